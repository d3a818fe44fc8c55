//! Memory for the buffers of direct I/O: in huge pages if the host has free ones, because the
//! kernel then tracks one page of 2 MiB instead of 512 of 4 KiB.

use std::ptr::NonNull;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use crate::base::error::{Result, failed};

/// The huge page size of x86-64, also usual on other processors.
const HUGE_BYTES: usize = 2 << 20;

/// Zeroed memory, aligned to pages.
pub struct Pages {
    start: NonNull<u8>,
    /// The part in use.
    bytes: usize,
    /// The mapped length.
    mapped: usize,
    /// Whether it is in huge pages.
    pub huge: bool,
}

// SAFETY: the memory is owned by this value alone and is plain bytes.
unsafe impl Send for Pages {}

impl Pages {
    /// This many bytes, in huge pages if enough are free.
    pub fn new(bytes: usize) -> Result<Pages> {
        let huge_bytes = bytes.next_multiple_of(HUGE_BYTES);
        Pages::map(bytes, huge_bytes, MapFlags::HUGETLB)
            .or_else(|| Pages::map(bytes, bytes, MapFlags::empty()))
            .ok_or_else(|| {
                failed(format!("no memory for {bytes} bytes of buffers"), "lower depth or block")
            })
    }

    fn map(bytes: usize, mapped: usize, more: MapFlags) -> Option<Pages> {
        let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | more);
        // SAFETY: a new mapping, at an address chosen by the kernel.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), mapped, access, flags) }.ok()?;
        let huge = more.contains(MapFlags::HUGETLB);
        Some(Pages { start: NonNull::new(start.cast())?, bytes, mapped, huge })
    }

    /// All of it.
    pub fn all(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is at least that long, zeroed, and borrowed mutably through self.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }

    /// The disclosed text.
    pub fn describe(&self) -> &'static str {
        match self.huge {
            true => "in huge pages of 2 MiB",
            false => "in pages of 4 KiB, since no huge page is free (`sysctl vm.nr_hugepages`)",
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: mapped in `map` with this length and not unmapped since. If refused, it leaks.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.mapped) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_aligned_and_as_long_as_asked_with_or_without_huge_pages() {
        for bytes in [4096, 3 << 20] {
            let mut pages = Pages::new(bytes).expect("mapped");
            assert_eq!((pages.all().len(), pages.start.as_ptr() as usize % 4096), (bytes, 0));
            assert!(pages.all().iter().all(|byte| *byte == 0));
            pages.all().fill(1);
            let free = std::fs::read_to_string("/proc/meminfo").expect("read");
            let none =
                free.lines().any(|line| line.split_whitespace().eq(["HugePages_Total:", "0"]));
            assert!(!(none && pages.huge), "huge pages where there are none");
        }
    }
}
