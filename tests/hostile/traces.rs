//! Traces made to harm: every one ends in an answer or an error that says where, with bounded
//! memory and nothing left behind.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;

use dyno::base::units::grouped;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::bench::{Bench, MEGABYTES};
use crate::pages::fifo;
use crate::support::size;

/// A line of Alibaba's format.
fn line(offset: &str, time: u64) -> String {
    format!("1,R,{offset},4096,{time}\n")
}

#[test]
fn hostile_traces_are_named_refused_or_read_in_bounded_memory() {
    let bench = Bench::new();
    let good = line("0", 5) + &line("4096", 6);
    let unordered: String = (0..3000).rev().map(|n| line("4096", n)).collect();
    for (name, text, code, says) in [
        ("empty", String::new(), 1, "is empty"),
        ("nul", "\0".repeat(5000), 1, "has no format that Dyno reads"),
        ("nul-within", good.clone() + "1,R,0,40\096,7\n", 0, "line 3: it has a NUL byte"),
        ("negative", good.clone() + &line("-4096", 7), 0, "line 3: the offset '-4096' is not"),
        ("far", good.clone() + &line("9223372036854775807", 7), 0, "it ends beyond 2^63 bytes"),
        ("farther", good.clone() + &line("18446744073709551616", 7), 0, "is beyond 2^64"),
        ("crlf", good.replace('\n', "\r\n"), 0, ""),
        ("cut", good.clone() + "1,R,40", 0, "line 3: it has fewer than 5 columns"),
        ("unordered", unordered, 0, ""),
        ("control", good.clone() + "1,R,\u{1b}[2J,1,1\n", 0, "'\\u{1b}[2J'"),
        ("iolog", "fio version 3 iolog\n5 a read -1 4096\n".to_string(), 1, "the offset '-1'"),
        ("compiled", "DYNTRACE\u{1}\0\0\0\0\0\0\0".to_string(), 1, "was truncated"),
    ] {
        bench.write(name, &text);
        let ended = bench.dyno(&["trace", "info", name]);
        assert!(ended.is_orderly() && ended.rss_mb < MEGABYTES, "{name}: {}", ended.said);
        assert_eq!(ended.code(), Some(code), "{name}: {}", ended.said);
        assert!(ended.said.contains(says), "{name}: {}", ended.said);
        assert!(!ended.said.contains('\u{1b}') && !ended.out.contains('\u{1b}'), "{name}");
        if says.is_empty() {
            assert_eq!(ended.said, "", "{name}");
        }
    }
}

#[test]
fn a_compiled_trace_whose_end_claims_the_whole_of_a_huge_file_is_refused_at_once() {
    let bench = Bench::new();
    let file = std::fs::File::create(bench.at("huge")).unwrap();
    let size = 1u64 << 36;
    file.set_len(size).unwrap();
    file.write_all_at(b"DYNTRACE\x01\0\0\0\0\0\0\0", 0).unwrap();
    let words = [16, size - 48, 0].map(u64::to_le_bytes).concat();
    file.write_all_at(&[&words[..], b"DYNTREND"].concat(), size - 32).unwrap();
    let ended = bench.dyno(&["trace", "info", "huge"]);
    assert_eq!(ended.code(), Some(1), "{}", ended.said);
    assert!(ended.said.contains("more than 256 MiB"), "{}", ended.said);
    assert!(ended.rss_mb < MEGABYTES, "{} MB", ended.rss_mb);
}

/// Lines of one gzip member of `burst`.
const MEMBER: u64 = 100_000;

/// A trace of requests that all arrive at one time, packed: members of a gzip file follow one
/// another, so that 10^9 lines (17 GB) take a few hundred MB.
fn burst(bench: &Bench, lines: u64) {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    for n in 0..MEMBER {
        writeln!(packed, "1,W,{},4096,7", n * 4096).unwrap();
    }
    let member = packed.finish().unwrap();
    let mut file = BufWriter::new(File::create(bench.at("burst")).unwrap());
    (0..lines / MEMBER).for_each(|_| file.write_all(&member).unwrap());
    file.flush().unwrap();
}

/// 10^9 lines with DYNO_SOAK=1.
#[test]
fn any_number_of_requests_of_one_time_is_one_burst_in_constant_memory_and_linear_time() {
    let bench = Bench::new();
    let mut before = None;
    for lines in [100_000, 1_000_000, size(4_000_000, 1_000_000_000u64)] {
        burst(&bench, lines);
        let ended = bench.ok(&["trace", "info", "burst"]);
        let counted = format!("most arrivals in a second: {}", grouped(lines));
        assert!(ended.out.contains(&counted), "{counted}: {}", ended.out);
        println!("{lines} lines: {:.1} s of processor time, {:.0} MB", ended.cpu_s, ended.rss_mb);
        assert!(ended.rss_mb < MEGABYTES, "{lines} lines: {} MB", ended.rss_mb);
        if let Some((former, cpu_s, rss_mb)) = before {
            let (times, more) = (lines as f64 / former as f64, ended.rss_mb - rss_mb);
            assert!(ended.cpu_s < 5.0 * times * cpu_s, "{lines} lines: {} s", ended.cpu_s);
            // The first size does not fill the window that puts requests in order.
            assert!(former < 1_000_000 || more < 32.0, "{lines} lines: {more} MB more");
        }
        before = Some((lines, ended.cpu_s, ended.rss_mb));
    }
    let ended = bench.dyno(&["trace", "model", "burst", "-o", "m.toml"]);
    assert_eq!(ended.code(), Some(1));
    assert!(ended.said.contains("all requests of burst arrive at one time"), "{}", ended.said);
}

#[test]
fn pipes_devices_and_files_of_others_are_refused() {
    let bench = Bench::new();
    fifo(&bench.at("pipe"));
    bench.write("mine.html", "mine");
    bench.write("t", &line("0", 5));
    for args in [
        &["trace", "info", "pipe"][..],
        &["trace", "info", "/dev/zero"],
        &["trace", "info", "x"],
        &["trace", "info", "t", "-o", "mine.html"],
        &["trace", "info", "t", "-o", "t"],
        &["trace", "model", "t", "-o", "mine.html"],
        &["trace", "generate", "-o", "mine.html"],
        &["trace", "record", "t", "-o", "new"],
        &["trace", "record", "/dev/zero", "-o", "new"],
    ] {
        let ended = bench.dyno(args);
        let code = ended.code();
        assert!(ended.is_orderly() && matches!(code, Some(1 | 3)), "{args:?}: {}", ended.said);
    }
    assert_eq!(std::fs::read(bench.at("mine.html")).unwrap(), b"mine");
    assert!(!bench.at("new").exists());
}
