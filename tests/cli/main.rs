//! The program from its command line, its server, disks that fail it, and the house that it is built as.

mod architecture;
mod bad_input;
mod catalogue;
mod charts;
mod command_line;
mod examples;
mod faults;
mod killed;
mod remote;
mod server;
#[path = "../support/mod.rs"]
mod support;
