//! How much a process allocates at a time, while it is counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

struct Counting;

static IS_COUNTED: AtomicBool = AtomicBool::new(false);
/// Bytes; less than zero once more is freed than was allocated since counting began.
static NOW: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

fn add(bytes: isize) {
    if IS_COUNTED.load(Relaxed) {
        let now = NOW.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(now, Relaxed);
    }
}

#[expect(unsafe_code, reason = "allocators have no safe interface")]
// SAFETY: all is the system's; only numbers are added up.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size().cast_signed());
        // SAFETY: the caller keeps to the contract of `alloc`, which is passed on as it is.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size().cast_signed());
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        add(-layout.size().cast_signed());
        // SAFETY: `place` came from the system's allocator with this layout, as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that the process allocates at a time during a call, more than before it. Nothing else is counted meanwhile.
pub fn peak_of<T>(call: impl FnOnce() -> T) -> (T, usize) {
    NOW.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTED.store(true, Relaxed);
    let outcome = call();
    IS_COUNTED.store(false, Relaxed);
    (outcome, PEAK.load(Relaxed).unsigned_abs())
}
