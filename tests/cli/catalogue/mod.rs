//! Catalogues of models: lists of strangers, downloads that go well and badly, and what is installed in the end. Only this
//! machine is contacted.

mod command_line;
mod downloading;
mod lists;
mod models;
pub mod server;

use crate::support::desk;
