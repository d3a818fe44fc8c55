//! An allocator that counts the allocations of other threads while enabled, with their origins.

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static N: AtomicU64 = AtomicU64::new(0);
/// Origins of the first ones.
static FIRST: Mutex<Vec<String>> = Mutex::new(Vec::new());
const SHOWN: u64 = 200;

thread_local! {
    /// This thread's allocations are not counted: it enabled the count, or is handling one.
    static EXEMPT: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: everything is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTS.load(Relaxed) {
            note();
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }

    /// A growing buffer is counted too: a worker's memory must be reserved before the barrier.
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if COUNTS.load(Relaxed) {
            note();
        }
        unsafe { System.realloc(at, layout, size) }
    }
}

fn note() {
    if EXEMPT.replace(true) {
        return;
    }
    // The threads that read the meters and the kernel's accounting format what they read.
    if !matches!(std::thread::current().name(), Some("meter" | "witness" | "canary")) {
        if N.fetch_add(1, Relaxed) < SHOWN {
            let at = Backtrace::force_capture().to_string();
            FIRST.lock().unwrap_or_else(|e| e.into_inner()).push(at);
        }
        EXEMPT.set(false);
    }
}

/// Enables or disables counting of other threads' allocations.
pub fn count(from_now: bool) {
    EXEMPT.set(true);
    COUNTS.store(from_now, Relaxed);
}

/// The number of allocations since the last call, and the origins of the first ones.
pub fn allocated() -> (u64, Vec<String>) {
    let first = std::mem::take(&mut *FIRST.lock().unwrap_or_else(|e| e.into_inner()));
    (N.swap(0, Relaxed), first)
}
