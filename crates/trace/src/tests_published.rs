//! The size of compiled traces with the statistics of published ones, written in their formats:
//! numbers of volumes, arrivals, read shares and sizes are taken from the papers that describe the
//! traces. Offsets are uniform except for sequential runs, which gives the largest possible files.

use std::fmt::Write;

use super::compile;
use dyno_core::base::rng::Seed;

/// The statistics of a trace, rounded.
struct Published {
    format: &'static str,
    volumes: u64,
    /// Total of all volumes.
    arrivals_per_s: f64,
    reads: f64,
    /// Share of requests that start at the end of the previous request to the same volume.
    sequential: f64,
    /// Size of a volume, bytes.
    volume_bytes: u64,
    /// Unit of offsets and sizes, bytes.
    unit_bytes: u64,
    /// Sizes in bytes with their shares.
    sizes: &'static [(u64, f64)],
    /// Formats a line: volume, whether it is a read, offset, length, time in ns.
    line: fn(u64, bool, u64, u64, u64) -> String,
}

/// Mostly 4 to 64 KiB, as in all of these traces.
const SIZES: &[(u64, f64)] =
    &[(4096, 0.5), (8192, 0.14), (16384, 0.12), (32768, 0.1), (65536, 0.1), (131_072, 0.04)];
const TB: u64 = 1 << 40;

const PUBLISHED: [Published; 5] = [
    // Li, Wang, Lee and Shi, "An In-Depth Comparative Analysis of Cloud Block Storage Workloads",
    // ACM Transactions on Storage 19 (2), 2023: 20 billion requests to 1,000 volumes in 31 days, of
    // which a quarter read.
    Published {
        format: "Alibaba block traces",
        volumes: 1000,
        arrivals_per_s: 7550.0,
        reads: 0.25,
        sequential: 0.1,
        volume_bytes: TB / 2,
        unit_bytes: 4096,
        sizes: SIZES,
        line: |volume, reads, offset, length, at_ns| {
            let kind = if reads { 'R' } else { 'W' };
            format!("{volume},{kind},{offset},{length},{}", 1_577_808_000_000_000 + at_ns / 1000)
        },
    },
    // The same paper: 33 billion requests to 4,995 volumes in nine days.
    Published {
        format: "Tencent block storage",
        volumes: 4995,
        arrivals_per_s: 43_000.0,
        reads: 0.3,
        sequential: 0.1,
        volume_bytes: TB / 2,
        unit_bytes: 4096,
        sizes: SIZES,
        line: |volume, reads, offset, length, at_ns| {
            let (s, kind) = (1_538_323_200 + at_ns / 1_000_000_000, u8::from(!reads));
            format!("{s},{},{},{kind},{volume}", offset / 512, length / 512)
        },
    },
    // Narayanan, Donnelly and Rowstron, "Write Off-Loading", FAST 2008: 434 million requests to 36
    // volumes in a week, of which 30 % read; 1.1 TB in all, in sectors of 512 bytes.
    Published {
        format: "MSR Cambridge",
        volumes: 36,
        arrivals_per_s: 718.0,
        reads: 0.3,
        sequential: 0.2,
        volume_bytes: TB / 8,
        unit_bytes: 512,
        sizes: SIZES,
        line: |volume, reads, offset, length, at_ns| {
            let (time, kind) =
                (128_166_372_000_000_000 + at_ns / 100, if reads { "Read" } else { "Write" });
            format!("{time},hm{},{},{kind},{offset},{length},413", volume / 4, volume % 4)
        },
    },
    // One drive of 4 TB at 10,000/s.
    Published {
        format: "fio iolog",
        volumes: 1,
        arrivals_per_s: 10_000.0,
        reads: 0.7,
        sequential: 0.0,
        volume_bytes: 4 * TB,
        unit_bytes: 4096,
        sizes: SIZES,
        line: |_, reads, offset, length, at_ns| {
            let kind = if reads { "read" } else { "write" };
            format!("{} /dev/a {kind} {offset} {length}", at_ns / 1000)
        },
    },
    Published {
        format: "blkparse",
        volumes: 1,
        arrivals_per_s: 10_000.0,
        reads: 0.7,
        sequential: 0.0,
        volume_bytes: 4 * TB,
        unit_bytes: 4096,
        sizes: SIZES,
        line: |_, reads, offset, length, at_ns| {
            let (s, ns, kind) =
                (at_ns / 1_000_000_000, at_ns % 1_000_000_000, if reads { 'R' } else { 'W' });
            let (at, sectors) = (offset / 512, length / 512);
            format!("  8,0    3        1     {s}.{ns:09}   697  Q   {kind} {at} + {sectors} [fio]")
        },
    },
];

/// Text of a trace of `requests` requests with these statistics.
fn text(of: &Published, requests: u64) -> String {
    let mut text = String::new();
    if of.format == "fio iolog" {
        text += "fio version 3 iolog\n0 /dev/a add\n0 /dev/a open\n";
    }
    let (seed, mut at_ns) = (Seed::new(9, 0, 0), 0.0);
    let mut ends = vec![0; of.volumes as usize];
    for n in 0..requests {
        let mut rng = seed.at(n);
        at_ns += rng.exponential() * 1e9 / of.arrivals_per_s;
        // A tenth of the volumes receives nine tenths of the requests.
        let few = (of.volumes / 10).max(1);
        let volume = if rng.unit() < 0.9 { rng.below(few) } else { rng.below(of.volumes) };
        let reads = rng.unit() < of.reads;
        let mut rest = rng.unit();
        let sized = of.sizes.iter().find(|(_, share)| {
            rest -= share;
            rest < 0.0
        });
        let length = sized.map_or(4096, |(bytes, _)| *bytes);
        let follows = rng.unit() < of.sequential;
        let random = rng.below((of.volume_bytes - length) / of.unit_bytes) * of.unit_bytes;
        let end = &mut ends[volume as usize];
        let offset = if follows && *end + length <= of.volume_bytes { *end } else { random };
        *end = offset + length;
        writeln!(text, "{}", (of.line)(volume, reads, offset, length, at_ns as u64)).unwrap();
    }
    text
}

#[test]
fn a_request_takes_at_most_eight_bytes_in_each_published_format() {
    const REQUESTS: u64 = 40_960;
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (folder.path().join("log"), folder.path().join("compiled"));
    for of in PUBLISHED {
        // The size of the device table is independent of the number of requests.
        let [few, many] = [REQUESTS, 2 * REQUESTS].map(|requests| {
            let written = text(&of, requests);
            std::fs::write(&source, &written).unwrap();
            let _ = std::fs::remove_file(&output);
            let compiled = compile(&source, &output).unwrap();
            assert_eq!((compiled.format, compiled.summary.requests), (of.format, requests));
            assert_eq!(compiled.refusals.count, 0, "{:?}", compiled.refusals.lines());
            (std::fs::metadata(&output).unwrap().len(), written.len() as u64)
        });
        let bytes = |size: u64| size as f64 / REQUESTS as f64;
        let (own, as_text) = (bytes(many.0 - few.0), bytes(many.1 - few.1));
        println!("{}: {own:.2} bytes a request, {as_text:.0} as text", of.format);
        assert!(own <= 8.0, "{}: {own} bytes a request", of.format);
    }
}
