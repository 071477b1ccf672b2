//! Catalogues of models: lists of strangers, downloads that go well and badly, and what is installed in the end. Only this
//! machine is contacted.

mod command_line;
#[path = "../desk/mod.rs"]
mod desk;
mod downloading;
mod lists;
mod models;
mod server;
#[path = "../tiny/mod.rs"]
mod tiny;
