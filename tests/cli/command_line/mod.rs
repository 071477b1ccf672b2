//! The program from outside: what it prints, what it writes, and with which exit code it ends.

mod batch;
mod combine;
mod corpora;
mod ctxpro;
mod declared;
mod encoder_decoder;
mod evaluating;
mod gguf;
mod imported;
mod language_model;
mod logging;
mod models;
mod project;
mod real_models;
mod reported;
mod srx;
mod terms;
mod texts;
mod translating;
mod usage;

use crate::support::{desk, tiny};
