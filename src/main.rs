//! The program `canopy`: the window without arguments, the same jobs as subcommands with them.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    keep_freed_memory();
    canopy::cli::run()
}

/// Lets the allocator keep what it has: tensors come and go by the hundred, and giving their pages back to the system
/// and faulting them in again costs a third of a training step.
fn keep_freed_memory() {
    /// `mi_option_purge_delay` in mimalloc.h; the binding leaves it out.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    #[expect(unsafe_code, reason = "the allocator's options have no safe interface")]
    // SAFETY: changes one integer option before any other thread starts.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, -1);
    }
}
