//! The compiled file: every request is restored exactly, files are small, and corrupt files are
//! refused.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use dyno_core::base::error::describe;
use dyno_core::base::rng::Seed;

fn write(path: &Path, devices: &[&str], requests: &[Request]) -> Summary {
    let mut writer = Writer::new(std::fs::File::create(path).unwrap()).unwrap();
    for name in devices {
        writer.device(name).unwrap();
    }
    requests.iter().for_each(|request| writer.push(request).unwrap());
    writer.finish().unwrap().1
}

fn rest(reader: &mut Reader) -> dyno_core::base::error::Result<Vec<Request>> {
    let mut all = Vec::new();
    while let Some(request) = reader.next_request()? {
        all.push(request);
    }
    Ok(all)
}

struct Made {
    _folder: tempfile::TempDir,
    path: PathBuf,
    requests: Vec<Request>,
}

/// A trace of requests with these gaps, starting at time 0.
fn made(of: impl IntoIterator<Item = (u64, Request)>) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.trace");
    let mut at_ns = 0;
    let requests = of.into_iter().enumerate().map(|(i, (gap, request))| {
        at_ns += if i == 0 { 0 } else { gap };
        Request { at_ns, ..request }
    });
    let requests: Vec<Request> = requests.collect();
    write(&path, &["nvme0n1", "nvme1n1", "sda"], &requests);
    Made { _folder: folder, path, requests }
}

/// Poisson arrivals of 4 to 64 KiB at random offsets of 4 TB, times in ns: the highest entropy that
/// a real trace has.
fn random(count: u64) -> Made {
    let seed = Seed::new(7, 0, 0);
    made((0..count).map(|n| {
        let mut rng = seed.at(n);
        let gap = (rng.exponential() * 100_000.0) as u64;
        let kind = if rng.below(10) < 7 { RequestKind::Read } else { RequestKind::Write };
        let length = 4096 << rng.below(5);
        let offset = rng.below((4 << 40) / 4096) * 4096;
        (gap, Request { at_ns: 0, device: 0, kind, offset, length })
    }))
}

fn any_request() -> impl Strategy<Value = (u64, Request)> {
    let gap =
        prop_oneof![Just(0), 0u64..1000, (0u64..1000).prop_map(|us| us * 1000), 0u64..1 << 50];
    let offset = prop_oneof![(0u64..1000).prop_map(|n| n * 4096), 0..SPACE_BYTES >> 1];
    let length = prop_oneof![Just(4096), 1u32..u32::MAX];
    (gap, 0u16..3, 0usize..4, offset, length).prop_map(|(gap, device, kind, offset, length)| {
        let kind = RequestKind::ALL[kind];
        let flush = kind == RequestKind::Flush;
        let (offset, length) = if flush { (0, 0) } else { (offset, length) };
        (gap, Request { at_ns: 0, device, kind, offset, length })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_request_comes_back_from_any_time_on(
        of in proptest::collection::vec(any_request(), 0..9000),
        at in any::<proptest::sample::Index>(),
        origin in 0u64..1 << 60,
    ) {
        let made = made(of);
        let (path, requests) = (&made.path, &made.requests);
        let mut reader = Reader::open(path).unwrap();
        prop_assert_eq!(&rest(&mut reader).unwrap(), requests);
        prop_assert_eq!(reader.summary().requests, requests.len() as u64);
        let mut ends = [0; 3];
        for request in requests {
            let end = &mut ends[usize::from(request.device)];
            *end = request.end().max(*end);
        }
        let devices = reader.summary().devices.iter().map(|device| device.end);
        prop_assert_eq!(devices.collect::<Vec<_>>(), ends);
        if !requests.is_empty() {
            let time = requests[at.index(requests.len())].at_ns;
            for time in [time, time + 1, 0] {
                let expected = requests.iter().filter(|r| r.at_ns >= time).copied();
                reader.seek_to(time).unwrap();
                prop_assert_eq!(rest(&mut reader).unwrap(), expected.collect::<Vec<_>>());
            }
        }
        // Times of another clock become times since the first request.
        let shifted: Vec<Request> =
            requests.iter().map(|r| Request { at_ns: r.at_ns + origin, ..*r }).collect();
        let summary = write(path, &["a", "b", "c"], &shifted);
        prop_assert_eq!(&rest(&mut Reader::open(path).unwrap()).unwrap(), requests);
        prop_assert_eq!(summary.origin_ns, if requests.is_empty() { 0 } else { origin });
    }

    #[test]
    fn a_flipped_bit_is_an_error_or_changes_nothing(
        of in proptest::collection::vec(any_request(), 1..300),
        at in any::<proptest::sample::Index>(),
        bit in 0u8..8,
    ) {
        let made = made(of);
        let (path, requests) = (&made.path, &made.requests);
        let mut bytes = std::fs::read(path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        std::fs::write(path, bytes).unwrap();
        match Reader::open(path).and_then(|mut reader| rest(&mut reader)) {
            Ok(read) => prop_assert_eq!(&read, requests),
            Err(error) => {
                let (what, hints) = describe(&error);
                prop_assert!(what.contains("cannot read the compiled trace"), "{}", what);
                prop_assert!(hints[0].contains("compile the trace again"));
            }
        }
    }

    #[test]
    fn a_truncated_file_is_an_error(
        of in proptest::collection::vec(any_request(), 1..300),
        at in any::<proptest::sample::Index>(),
    ) {
        let made = made(of);
        let path = &made.path;
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..at.index(bytes.len())]).unwrap();
        let Err(error) = Reader::open(path) else { panic!("it was opened") };
        prop_assert!(describe(&error).0.contains("truncated"), "{:#}", error);
    }
}

#[test]
fn a_request_takes_at_most_eight_bytes() {
    let made = random(40_000);
    let (path, requests) = (&made.path, &made.requests);
    let bytes = std::fs::metadata(path).unwrap().len() as f64 / requests.len() as f64;
    assert!(bytes <= 8.0, "{bytes} bytes a request");
}

#[test]
fn a_reader_and_a_writer_hold_one_block() {
    let made = random(10_000);
    let (path, requests) = (&made.path, &made.requests);
    let (mut reader, mut chunk, mut all) = (Reader::open(path).unwrap(), Vec::new(), Vec::new());
    for _ in 0..4 {
        reader.next_requests(&mut chunk).unwrap();
        assert!(chunk.len() <= 4096);
        all.extend_from_slice(&chunk);
    }
    assert!(chunk.is_empty() && all == *requests);
}

#[test]
fn what_cannot_be_is_not_written() {
    let read = |at_ns, offset, length| Request {
        at_ns,
        device: 0,
        kind: RequestKind::Read,
        offset,
        length,
    };
    let flush = Request { kind: RequestKind::Flush, ..read(9, 0, 4096) };
    for (second, says) in [
        (read(4, 0, 4096), "at 4 ns follows one at 5 ns"),
        (read(9, SPACE_BYTES, 1), "beyond 2^63"),
        (read(9, 0, 0), "its length is 0"),
        (flush, "neither offset nor length"),
        (Request { device: 1, ..read(9, 0, 1) }, "device 1 is not in the table"),
    ] {
        let mut writer = Writer::new(Vec::new()).unwrap();
        writer.device("a").unwrap();
        writer.push(&read(5, 0, 4096)).unwrap();
        let error = writer.push(&second).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}
