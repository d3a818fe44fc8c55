//! Anonymisation of a trace: device names become numbers, and the extents of each device are
//! permuted by a random key that is not stored. Times, kinds, sizes and the layout within an extent
//! do not change, so neither do skew, reuse and sequential runs up to the size of an extent.

use std::io::Write;

use super::layout::Summary;
use super::reader::Reader;
use super::request::{Request, RequestKind};
use super::writer::Writer;
use dyno_core::base::error::{Context, Result};
use dyno_core::base::rng::{mix, spread};

/// Size of an extent, bytes.
pub const EXTENT: u64 = 1 << 20;

/// Writes the requests of `reader` without device names and original offsets.
pub fn anonymise<W: Write>(reader: &mut Reader, out: W) -> Result<(W, Summary)> {
    let mut key = [0; 8];
    rustix::rand::getrandom(&mut key, rustix::rand::GetRandomFlags::empty())
        .context("asking the kernel for a random key")?;
    let key = u64::from_le_bytes(key);
    reader.seek_to(0)?;
    let ends: Vec<u64> = reader.summary().devices.iter().map(|device| device.end).collect();
    let mut writer = Writer::new(out)?;
    writer.add_missing(reader.summary().missing);
    for number in 1..=ends.len() {
        writer.device(&format!("device {number}"))?;
    }
    while let Some(request) = reader.next_request()? {
        let end = ends[usize::from(request.device)];
        let key = mix(key.wrapping_add(u64::from(request.device)));
        writer.push(&permuted(&request, end, key))?;
    }
    writer.finish()
}

/// Moves a request to the permuted extent on its device, which ends at `end`.
fn permuted(request: &Request, end: u64, key: u64) -> Request {
    if request.kind == RequestKind::Flush {
        return *request;
    }
    let extent = spread(request.offset / EXTENT, end.div_ceil(EXTENT), key);
    let offset = extent * EXTENT + request.offset % EXTENT;
    // The last extent may be partial, and a request may extend beyond its own extent.
    let offset = offset.min(end - u64::from(request.length));
    Request { offset, ..*request }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn extents_are_permuted_and_nothing_leaves_the_device() {
        let end = 100 * EXTENT - 8192;
        let mut seen = BTreeSet::new();
        let mut moved = 0;
        for n in 0..100u64 {
            let length = 4096;
            let request = Request {
                at_ns: n,
                device: 0,
                kind: RequestKind::Write,
                offset: n * EXTENT,
                length,
            };
            let made = permuted(&request, end, 12345);
            assert!(made.end() <= end);
            assert_eq!((made.at_ns, made.kind, made.length), (n, RequestKind::Write, length));
            moved += usize::from(made.offset != request.offset);
            seen.insert(made.offset / EXTENT);
        }
        assert_eq!(seen.len(), 100, "no two extents become one");
        assert!(moved > 90, "{moved}");
        let long = Request {
            at_ns: 0,
            device: 0,
            kind: RequestKind::Read,
            offset: 5 * EXTENT + 512,
            length: 3 << 20,
        };
        (0..50).for_each(|key| assert!(permuted(&long, end, key).end() <= end));
    }
}
