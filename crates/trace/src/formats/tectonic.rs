//! Traces of Meta's Tectonic storage, published with Baleen (FAST 2024): `block_id io_offset
//! io_size op_time op_name` and three to five columns about users and hosts. Bytes, seconds since
//! 1970; operations 1, 2 and 5 read, 3, 4 and 6 write. Blocks of 8 MiB are laid one behind the
//! other in the order in which they occur, because the source does not state where they lay.

use std::collections::HashMap;
use std::path::Path;

use super::TraceFormat;
use super::fields::{seconds, whole};
use super::lines::{self, Beginning, LONGEST};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::{Result, failed};

const BLOCK: u64 = 8 << 20;

/// Maximum number of blocks, which are held in memory: 128 TiB of data.
const MOST_BLOCKS: usize = 1 << 24;

pub struct Tectonic;

impl TraceFormat for Tectonic {
    fn name(&self) -> &'static str {
        "Tectonic (Baleen)"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.has(|line| operation(line).is_ok())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        let mut places: HashMap<u64, u64> = HashMap::new();
        lines::each(file, LONGEST, sink, |line, sink: &mut RequestSink| {
            if line.starts_with(['#', 'b']) {
                return Ok(None);
            }
            let operation = match operation(line) {
                Ok(operation) => operation,
                Err(reason) => return Ok(Some(reason)),
            };
            let next = places.len();
            let place = *places.entry(operation.block).or_insert(next as u64);
            if places.len() > MOST_BLOCKS {
                let what = format!("{} has more than {MOST_BLOCKS} blocks", file.display());
                return Err(failed(what, "keep the lines of fewer blocks"));
            }
            sink.take(&SourceRequest {
                at_ns: operation.at_ns,
                device: "tectonic".into(),
                kind: operation.kind,
                offset: place * BLOCK + operation.offset,
                length: operation.length,
            })
        })
    }
}

struct BlockOperation {
    block: u64,
    offset: u64,
    length: u64,
    at_ns: u64,
    kind: RequestKind,
}

fn operation(line: &str) -> Result<BlockOperation, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [block, offset, length, time, kind, others @ ..] = &fields[..] else {
        return Err("it has fewer than 8 columns".to_string());
    };
    if !(3..=5).contains(&others.len()) {
        return Err("it has fewer than 8 or more than 10 columns".to_string());
    }
    let kind = match *kind {
        "1" | "2" | "5" => RequestKind::Read,
        "3" | "4" | "6" => RequestKind::Write,
        _ => return Err(format!("the operation '{kind}' is not one from 1 to 6")),
    };
    let (offset, length) = (whole(offset, "offset")?, whole(length, "size")?);
    if offset.checked_add(length).is_none_or(|end| end > BLOCK) {
        return Err(format!("it ends beyond a block of {BLOCK} bytes"));
    }
    let (block, at_ns) = (whole(block, "number of the block")?, seconds(time, "time")?);
    Ok(BlockOperation { block, offset, length, at_ns, kind })
}
