//! The program from outside: what it prints, what it writes, and with which exit code it ends.

mod batch;
mod combine;
mod corpora;
mod ctxpro;
mod declared;
#[path = "../desk/mod.rs"]
mod desk;
mod evaluating;
mod imported;
mod language_model;
mod models;
mod project;
mod real_models;
mod reported;
mod srx;
mod terms;
mod texts;
#[path = "../tiny/mod.rs"]
mod tiny;
mod translating;
mod usage;
