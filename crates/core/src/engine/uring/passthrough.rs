//! NVMe passthrough, on the generic device of a namespace (`/dev/ng0n1`).
//!
//! The generic device cannot be opened exclusively. The device under test is the block device,
//! which the guard has approved and which stays open, exclusively if it is written to; the generic
//! device is derived from it and must belong to the same namespace. Commands and their fields: NVM
//! Command Set Specification, section 3.2; `struct nvme_uring_cmd`: linux/nvme_ioctl.h.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::Path;

use io_uring::{cqueue, opcode, squeue, types};

use super::super::blockfile::BlockFile;
use super::io_context::{FIRST_OF_PAIR, RequestForm, RingRequest, SlotTarget};
use crate::base::error::{Context, Result, failed};
use crate::lab::drive::namespace_commands::{namespace_id, placement_handles};
use crate::lab::guard::disk::Disk;
use crate::measure::{Op, OpKind};

/// `NVME_URING_CMD_IO` of linux/nvme_ioctl.h.
const COMMAND: u32 = 0xC048_4E80;

const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const WRITE_ZEROES: u8 = 0x08;
const DATASET_MANAGEMENT: u8 = 0x09;
/// Bit 30 of dword 12: force unit access.
const FUA: u32 = 1 << 30;
/// Bit 2 of dword 11: the ranges are deallocated.
const DEALLOCATE: u32 = 1 << 2;

/// A namespace's generic device.
pub struct Generic {
    file: File,
    namespace: u32,
    /// Size of a logical block, bytes.
    block_bytes: u32,
    /// The maximum transfer of one command.
    most_bytes: u64,
    /// Its name.
    pub name: String,
}

impl Generic {
    /// Opens the generic device of a block device that is already open.
    pub fn of(block: &BlockFile, writes: bool) -> Result<Generic> {
        let shown = block.path.display();
        let no = |why: &str| {
            failed(
                format!("NVMe commands cannot be sent to {shown}: {why}"),
                "name a whole NVMe namespace by its link below /dev/disk/by-id, or set \
                 `passthrough = false`",
            )
        };
        if !block.is_device {
            return Err(no("it is a file"));
        }
        let disk = Disk::of_open(&block.file)?;
        let generic = disk.name().strip_prefix("nvme").map(|rest| format!("/dev/ng{rest}"));
        let node = generic.ok_or_else(|| no("it is not an NVMe namespace"))?;
        if disk.whole() != disk {
            return Err(no("it is a partition"));
        }
        if !Path::new(&node).exists() {
            return Err(no(&format!("there is no {node} (Linux 5.13 makes it)")));
        }
        let opened = OpenOptions::new().read(true).write(writes).open(&node);
        let file = opened.with_context(|| format!("opening {node}"))?;
        if Disk::of(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd())))? != disk {
            return Err(no(&format!("{node} is of another namespace")));
        }
        let read = |name: &str| {
            let text = std::fs::read_to_string(disk.sysfs.join("queue").join(name)).ok();
            text.and_then(|text| text.trim().parse::<u64>().ok())
                .with_context(|| format!("reading queue/{name} of {shown}"))
        };
        Ok(Generic {
            file,
            namespace: namespace_id(&block.file)
                .ok_or_else(|| no("it does not say its namespace's number"))?,
            block_bytes: u32::try_from(read("logical_block_size")?).unwrap_or(512),
            // Commands, unlike block-layer requests, are not split.
            most_bytes: read("max_hw_sectors_kb")? * 1024,
            name: node,
        })
    }

    /// The addressing unit of commands.
    pub fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// The hint of writes by one of the namespace's placement handles, counted from 0; none without
    /// a handle.
    pub fn hint(&self, handle: Option<u64>) -> Result<PlacementHint> {
        let Some(handle) = handle else { return Ok(PlacementHint::default()) };
        let remedy = "leave `placement` out, or name a namespace for which `dyno drives` lists \
                      placement handles";
        let found = placement_handles(&self.file).map_err(|why| {
            failed(format!("{} has no placement handles (FDP): {why:#}", self.name), remedy)
        })?;
        let own = usize::try_from(handle).ok().and_then(|handle| found.get(handle));
        let own = own.ok_or_else(|| {
            let count = found.len();
            failed(
                format!("{} has {count} placement handles, and none {handle}", self.name),
                remedy,
            )
        })?;
        Ok(PlacementHint::of(own.identifier))
    }

    /// Refuses ops that a single command cannot execute: too large, or not whole logical blocks.
    pub fn check(&self, base: u64, sizes: &[u64]) -> Result<()> {
        let (block_bytes, name) = (u64::from(self.block_bytes), &self.name);
        if let Some(size) = sizes.iter().find(|size| **size > self.most_bytes) {
            return Err(failed(
                format!("a command to {name} moves {} bytes at most, not {size}", self.most_bytes),
                "reduce `block`, or set `passthrough = false`",
            ));
        }
        let whole = |bytes: &u64| bytes.is_multiple_of(block_bytes);
        if sizes.iter().chain([&base]).all(whole) {
            return Ok(());
        }
        Err(failed(
            format!("commands to {name} address blocks of {block_bytes} bytes"),
            "make `block` and `offset` multiples of that",
        ))
    }
}

impl AsRawFd for Generic {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.file.as_raw_fd()
    }
}

/// How an I/O context sends commands to these devices.
pub struct Commands {
    /// Generic devices by drive, open as long as the I/O context.
    pub generics: Vec<std::sync::Arc<Generic>>,
    /// Placement hint of writes, by drive.
    pub hints: Vec<PlacementHint>,
}

/// The directive of writes in dwords 12 and 13; zeroes for no directive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlacementHint(u32, u32);

impl PlacementHint {
    /// Directive type 2, Data Placement, with a placement identifier (NVM Express Base
    /// Specification 2.3, Data Placement directive).
    fn of(identifier: u16) -> PlacementHint {
        const DATA_PLACEMENT: u32 = 2 << 20;
        PlacementHint(DATA_PLACEMENT, u32::from(identifier) << 16)
    }
}

impl Commands {
    fn write(&self, flags: u32, place: &SlotTarget, at: u64, len: u32) -> squeue::Entry128 {
        let PlacementHint(directive, specific) = self.hints[place.file as usize];
        let generic = &self.generics[place.file as usize];
        let mut command = generic.of_blocks(WRITE, flags | directive, at, len);
        command.dwords[3] = specific;
        generic.entry(
            place,
            &NvmeUringCommand { address: place.address as u64, bytes: len, ..command },
        )
    }
}

/// `struct nvme_uring_cmd`, without the reserved trailing fields.
#[derive(Default)]
struct NvmeUringCommand {
    opcode: u8,
    address: u64,
    bytes: u32,
    /// Dwords from 10 on.
    dwords: [u32; 4],
}

impl Generic {
    fn bytes(&self, command: &NvmeUringCommand) -> [u8; 80] {
        let mut all = [0; 80];
        let mut put = |at: usize, value: &[u8]| all[at..at + value.len()].copy_from_slice(value);
        put(0, &[command.opcode]);
        put(4, &self.namespace.to_ne_bytes());
        put(24, &command.address.to_ne_bytes());
        put(36, &command.bytes.to_ne_bytes());
        for (i, dword) in command.dwords.iter().enumerate() {
            put(40 + 4 * i, &dword.to_ne_bytes());
        }
        all
    }

    fn entry(&self, place: &SlotTarget, command: &NvmeUringCommand) -> squeue::Entry128 {
        let file = types::Fixed(place.file);
        let entry = opcode::UringCmd80::new(file, COMMAND).cmd(self.bytes(command));
        match command.bytes {
            0 => entry.build(),
            _ => entry.buf_index(Some(place.buffer)).build(),
        }
    }

    /// For an op that addresses blocks: the first block in dwords 10 and 11, and their number minus
    /// one in dword 12.
    fn of_blocks(&self, opcode: u8, flags: u32, at: u64, len: u32) -> NvmeUringCommand {
        let first = at / u64::from(self.block_bytes);
        let count = len / self.block_bytes;
        let dwords = [first as u32, (first >> 32) as u32, count.saturating_sub(1) | flags, 0];
        NvmeUringCommand { opcode, dwords, ..NvmeUringCommand::default() }
    }
}

impl RequestForm for Commands {
    type Sq = squeue::Entry128;
    type Cq = cqueue::Entry32;
    /// The kernel counts all pages of a registered buffer from a command's address on as the
    /// command's segments, which a queue limits (`blk_rq_map_user_bvec` of block/blk-map.c): a
    /// single buffer for all slots would be refused (EINVAL).
    const BUFFERS_APART: bool = true;

    #[inline(always)]
    fn plain(&self, write: bool, place: &SlotTarget, at: u64, len: u32) -> Self::Sq {
        if write {
            return self.write(0, place, at, len);
        }
        let generic = &self.generics[place.file as usize];
        let command = generic.of_blocks(READ, 0, at, len);
        generic.entry(
            place,
            &NvmeUringCommand { address: place.address as u64, bytes: len, ..command },
        )
    }

    fn other(&self, place: &SlotTarget, at: u64, op: &Op) -> RingRequest<Self::Sq> {
        let (generic, address) = (&self.generics[place.file as usize], place.address);
        let write = |flags| self.write(flags, place, at, op.len);
        let flush = generic
            .entry(place, &NvmeUringCommand { opcode: FLUSH, ..NvmeUringCommand::default() });
        let alone = |entry| RingRequest { before: None, entry, answer: 0 };
        match op.kind {
            OpKind::WriteFua => alone(write(FUA)),
            OpKind::WriteFlush => {
                let first = write(0).flags(squeue::Flags::IO_LINK | squeue::Flags::SKIP_SUCCESS);
                let before = Some(first.user_data(FIRST_OF_PAIR | u64::from(place.slot)));
                RingRequest { before, entry: flush, answer: 0 }
            }
            OpKind::WriteZeroes => {
                alone(generic.entry(place, &generic.of_blocks(WRITE_ZEROES, 0, at, op.len)))
            }
            OpKind::Trim => {
                let block_bytes = generic.block_bytes;
                let first = at / u64::from(block_bytes);
                // One range: attributes, length in blocks, first block.
                let mut range = [0u8; 16];
                range[4..8].copy_from_slice(&(op.len / block_bytes).to_le_bytes());
                range[8..].copy_from_slice(&first.to_le_bytes());
                // SAFETY: the slot's buffer has at least 4,096 bytes and belongs to the I/O context
                // until the completion has been reaped.
                unsafe { std::ptr::copy_nonoverlapping(range.as_ptr(), address, range.len()) };
                alone(generic.entry(
                    place,
                    &NvmeUringCommand {
                        opcode: DATASET_MANAGEMENT,
                        address: address as u64,
                        bytes: range.len() as u32,
                        dwords: [0, DEALLOCATE, 0, 0],
                    },
                ))
            }
            _ => alone(flush.flags(squeue::Flags::IO_DRAIN)),
        }
    }

    /// A successful command returns 0, regardless of its length.
    fn answer(&self, _len: u32) -> i32 {
        0
    }

    fn nop(&self) -> Self::Sq {
        opcode::Nop::new().build().into()
    }

    fn set_user_data(entry: Self::Sq, data: u64) -> Self::Sq {
        entry.user_data(data)
    }

    /// A value above zero is the status field of the completion.
    fn failure(&self, result: i32) -> std::io::Error {
        match result {
            status if status > 0 => std::io::Error::other(format!(
                "NVMe status: type {:x}h, code {:02x}h",
                status >> 8 & 0x7,
                status & 0xFF
            )),
            _ => std::io::Error::from_raw_os_error(-result),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits 23:20 of dword 12: the directive's type; bits 31:16 of dword 13: the directive-specific
    /// value.
    #[test]
    fn a_hint_is_the_data_placement_directive_with_the_identifier() {
        assert_eq!(PlacementHint::of(0x0103), PlacementHint(0x0020_0000, 0x0103_0000));
        assert_eq!(PlacementHint::default(), PlacementHint(0, 0));
    }

    #[test]
    fn a_command_is_laid_out_as_the_kernel_and_the_specification_have_it() {
        let file = File::open("/dev/null").expect("opened");
        let generic =
            Generic { file, namespace: 7, block_bytes: 4096, most_bytes: 0, name: String::new() };
        let command = generic.of_blocks(WRITE, FUA, 4096 * 0x1_0000_0002, 16384);
        let bytes = generic.bytes(&NvmeUringCommand { address: 0x1000, bytes: 16384, ..command });
        let number = |at: usize| u32::from_ne_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
        assert_eq!((bytes[0], number(4), number(24), number(36)), (1, 7, 0x1000, 16384));
        assert_eq!([40, 44, 48, 52].map(number), [2, 1, 3 | FUA, 0]);
    }
}
