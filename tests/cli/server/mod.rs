//! `canopy serve` from outside: the program is started with a tiny model and used over HTTP.

mod client;
mod hostile;
mod keys;
mod language_model;
mod libre_translate;
mod limits;
mod many_clients;
mod openapi;
mod opus_cat;
mod own;
mod page;
mod python;

use crate::support::{mutation, tiny};
