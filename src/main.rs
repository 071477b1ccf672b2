//! The program `canopy`: the window without arguments, the same jobs as subcommands with them.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    canopy::never_purge_memory();
    canopy::cli::run()
}
