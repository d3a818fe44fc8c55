//! NVMe commands to a namespace that Dyno sends itself and waits for: its number, and its placement
//! handles.
//!
//! Flexible Data Placement (FDP): a write names one of a namespace's placement handles, and the
//! drive stores data from different handles in different reclaim units. NVM Express Base
//! Specification 2.3, I/O Management Receive, Reclaim Unit Handle Status; the layout is that of
//! `struct nvme_fdp_ruh_status` in libnvme.

use std::os::fd::AsRawFd;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Result, bail};

/// `NVME_IOCTL_ID` and `NVME_IOCTL_IO_CMD` of linux/nvme_ioctl.h.
const NAMESPACE_ID: libc::c_ulong = 0x4E40;
const IO_COMMAND: libc::c_ulong = 0xC048_4E43;

/// One placement handle of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlacementHandle {
    /// The placement identifier in write commands.
    pub identifier: u16,
    /// The drive's reclaim unit handle to which it refers.
    pub reclaim_unit_handle: u16,
    /// Logical blocks that can still be written before the handle refers to a new reclaim unit.
    pub available_blocks: u64,
}

/// `struct nvme_passthru_cmd`.
#[repr(C)]
#[derive(Default)]
struct NvmePassthroughCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    dwords_2_and_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    bytes: u32,
    dwords_10_to_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

/// The number of an open namespace, as block device or as generic device.
pub fn namespace_id(file: &impl AsRawFd) -> Option<u32> {
    // SAFETY: the ioctl takes no argument.
    let namespace = unsafe { libc::ioctl(file.as_raw_fd(), NAMESPACE_ID) };
    u32::try_from(namespace).ok().filter(|&id| id > 0)
}

/// The placement handles of an open namespace, in the drive's order; hints count them from 0. An
/// error if the drive has no FDP or FDP is disabled.
pub fn placement_handles(file: &impl AsRawFd) -> Result<Vec<PlacementHandle>> {
    const IO_MANAGEMENT_RECEIVE: u8 = 0x12;
    const HANDLE_STATUS: u32 = 1;
    const BYTES: usize = 4096;
    let Some(namespace) = namespace_id(file) else { bail!("it is not an NVMe namespace") };
    let mut answer = [0u8; BYTES];
    let mut command = NvmePassthroughCommand {
        opcode: IO_MANAGEMENT_RECEIVE,
        namespace,
        address: answer.as_mut_ptr() as u64,
        bytes: BYTES as u32,
        // The number of dwords is 0's based.
        dwords_10_to_15: [HANDLE_STATUS, BYTES as u32 / 4 - 1, 0, 0, 0, 0],
        ..NvmePassthroughCommand::default()
    };
    // SAFETY: the kernel reads the command, and writes its result and at most `BYTES` to `answer`.
    let status = unsafe { libc::ioctl(file.as_raw_fd(), IO_COMMAND, &raw mut command) };
    match status {
        0 => Ok(read_handles(&answer)),
        1.. => bail!(
            "it answers I/O Management Receive with NVMe status type {:x}h, code {:02x}h",
            status >> 8 & 0x7,
            status & 0xFF
        ),
        _ => Err(std::io::Error::last_os_error().into()),
    }
}

/// The number of handles is at offset 14; they have 32 bytes each, from offset 16.
fn read_handles(answer: &[u8]) -> Vec<PlacementHandle> {
    const HEAD: usize = 16;
    const HANDLE: usize = 32;
    let number = |bytes: &[u8], at: usize, len: usize| {
        bytes[at..at + len].iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte))
    };
    let count = number(answer, 14, 2) as usize;
    let handle = |own: &[u8]| PlacementHandle {
        identifier: number(own, 0, 2) as u16,
        reclaim_unit_handle: number(own, 2, 2) as u16,
        available_blocks: number(own, 8, 8),
    };
    answer[HEAD..].chunks_exact(HANDLE).take(count).map(handle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_read_by_the_layout_of_their_status() {
        let mut answer = [0u8; 4096];
        answer[14] = 2;
        for (i, (identifier, unit, blocks)) in
            [(0u16, 3u16, 5_000u64), (0x0101, 4, 1 << 33)].into_iter().enumerate()
        {
            let at = 16 + 32 * i;
            answer[at..at + 2].copy_from_slice(&identifier.to_le_bytes());
            answer[at + 2..at + 4].copy_from_slice(&unit.to_le_bytes());
            answer[at + 8..at + 16].copy_from_slice(&blocks.to_le_bytes());
        }
        let found: Vec<_> = read_handles(&answer)
            .into_iter()
            .map(|own| (own.identifier, own.reclaim_unit_handle, own.available_blocks))
            .collect();
        assert_eq!(found, [(0, 3, 5_000), (0x0101, 4, 1 << 33)]);
        // A drive may have more handles than fit.
        answer[15] = 0xFF;
        assert_eq!(read_handles(&answer).len(), 127);
    }

    #[test]
    fn what_is_no_namespace_has_no_handles() {
        let file = std::fs::File::open("/dev/null").expect("opened");
        let why = placement_handles(&file).unwrap_err().to_string();
        assert!(why.contains("not an NVMe namespace"), "{why}");
        assert_eq!(std::mem::size_of::<NvmePassthroughCommand>(), 72);
    }
}
