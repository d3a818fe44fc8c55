//! A block: up to 4,096 requests stored by column. A block is decoded without the blocks before it.
//!
//! ```text
//! u32 bytes of the columns, u32 requests, u64 time of the first, u64 XXH3 of the columns
//! columns: time since the one before, kind, device, offset, length
//! ```
//!
//! Offsets are relative to the end of the previous request to the same device, so sequential
//! requests take no space. Numbers are little-endian.

use twox_hash::XxHash3_64;

use super::column::{ColumnReader, common_divisor, encode, put_varint};
use super::device_ends::DeviceEnds;
use super::request::{Request, RequestKind};
use dyno_core::base::error::{Result, anyhow, ensure};

/// Maximum number of requests in a block.
pub const BLOCK_REQUESTS: usize = 4096;
/// Size of the header before the columns, bytes.
pub const HEADER_BYTES: usize = 24;
/// Maximum size of the columns, bytes: five values of 64 bits with a class each, and the column
/// headers.
pub const MOST_BYTES: usize = BLOCK_REQUESTS * 5 * 9 + 5 * 32;

/// Header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    pub bytes: u32,
    pub requests: u32,
    pub first_ns: u64,
    pub checksum: u64,
}

impl BlockHead {
    pub fn parse(bytes: &[u8; HEADER_BYTES]) -> BlockHead {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let sizes = word(0);
        BlockHead {
            bytes: sizes as u32,
            requests: (sizes >> 32) as u32,
            first_ns: word(8),
            checksum: word(16),
        }
    }
}

/// Appends a block. `requests` are ordered by time and not empty.
pub fn encode_block(requests: &[Request], out: &mut Vec<u8>) {
    let first_ns = requests.first().map_or(0, |request| request.at_ns);
    let (mut columns, mut values) = (Vec::new(), Vec::with_capacity(requests.len()));
    let mut add = |values: &mut Vec<u64>| {
        encode(values, &mut columns);
        values.clear();
    };
    let mut before = first_ns;
    for request in requests {
        values.push(request.at_ns - std::mem::replace(&mut before, request.at_ns));
    }
    add(&mut values);
    values.extend(requests.iter().map(|request| request.kind as u64));
    add(&mut values);
    values.extend(requests.iter().map(|request| u64::from(request.device)));
    add(&mut values);
    let moves = moves(requests);
    let unit = common_divisor(moves.iter().map(|step| step.unsigned_abs()));
    values.extend(moves.iter().map(|step| zigzag(step / unit as i64)));
    add(&mut values);
    values.extend(requests.iter().map(|request| u64::from(request.length)));
    add(&mut values);
    put_varint(&mut columns, unit);
    out.extend((columns.len() as u32).to_le_bytes());
    out.extend((requests.len() as u32).to_le_bytes());
    out.extend(first_ns.to_le_bytes());
    out.extend(XxHash3_64::oneshot(&columns).to_le_bytes());
    out.extend(columns);
}

/// Distance from the end of the previous request to the same device, for each request. Both are
/// below 2^63.
fn moves(requests: &[Request]) -> Vec<i64> {
    let mut ends = DeviceEnds::default();
    let step = |request: &Request| {
        if request.kind == RequestKind::Flush {
            return 0;
        }
        let before = ends.replace(request.device, request.end()).unwrap_or(0);
        request.offset.wrapping_sub(before) as i64
    };
    requests.iter().map(step).collect()
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Decodes blocks and reuses its memory.
#[derive(Default)]
pub struct BlockDecoder {
    columns: [Vec<u64>; 5],
    ends: DeviceEnds,
}

impl BlockDecoder {
    /// Decodes the requests of a block. The bytes are not trusted: times must not decrease, and
    /// devices, kinds and offsets must be valid.
    pub fn decode(
        &mut self,
        head: &BlockHead,
        bytes: &[u8],
        devices: usize,
        requests: &mut Vec<Request>,
    ) -> Result<()> {
        requests.clear();
        ensure!(XxHash3_64::oneshot(bytes) == head.checksum, "its checksum is another");
        let mut reader = ColumnReader::new(bytes);
        for column in &mut self.columns {
            reader.column(head.requests as usize, column)?;
        }
        let unit = reader.varint()?;
        ensure!(reader.is_empty(), "there are bytes behind its columns");
        let [times, kinds, of_device, steps, lengths] = &self.columns;
        self.ends.clear();
        let mut at_ns = head.first_ns;
        for i in 0..head.requests as usize {
            at_ns = at_ns.checked_add(times[i]).ok_or_else(|| anyhow!("a time beyond 64 bits"))?;
            let kind = RequestKind::ALL.get(kinds[i] as usize).copied();
            let kind = kind.ok_or_else(|| anyhow!("a kind of request that does not exist"))?;
            ensure!(of_device[i] < devices as u64, "a device that is not in the table");
            let device = of_device[i] as u16;
            let length = u32::try_from(lengths[i]).map_err(|_| anyhow!("a length beyond 2^32"))?;
            let mut request = Request { at_ns, device, kind, offset: 0, length };
            if kind != RequestKind::Flush {
                let before = self.ends.of(device).unwrap_or(0);
                let step = i128::from(unzigzag(steps[i])) * i128::from(unit);
                request.offset = u64::try_from(i128::from(before) + step)
                    .map_err(|_| anyhow!("an offset beyond 2^63 or below 0"))?;
                self.ends.replace(device, request.end());
            }
            match request.fault() {
                None => requests.push(request),
                Some(fault) => return Err(anyhow!("an invalid request: {fault}")),
            }
        }
        Ok(())
    }
}
