//! Control of mimalloc's handling of freed memory.

/// Lets the allocator keep what it has: tensors come and go by the hundred, and giving their pages back to the system
/// and faulting them in again costs a third of a training step. A program calls it first thing, if mimalloc is its
/// allocator.
pub fn never_purge_memory() {
    set_purge_delay(-1);
}

/// Lets it give back what has been free for a second: a search needs a tenth less memory then, and takes a few hundredths
/// longer. As [`never_purge_memory`], before any other thread starts.
pub fn purge_memory_promptly() {
    set_purge_delay(1_000);
}

/// In milliseconds; -1 for never.
fn set_purge_delay(delay: std::ffi::c_long) {
    /// `mi_option_purge_delay` in mimalloc.h; the binding leaves it out.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    #[expect(unsafe_code, reason = "the allocator's options have no safe interface")]
    // SAFETY: changes one integer option before any other thread starts.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, delay);
    }
}
