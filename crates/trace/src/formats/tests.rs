//! Each format returns the requests of its lines or records, and the reason for each refused one.

use std::path::PathBuf;

use crate::{Compiled, Reader, Request, RequestKind, compile};
use dyno_core::base::error::describe;

pub struct Made {
    pub folder: tempfile::TempDir,
    pub source: PathBuf,
}

pub fn source(bytes: impl AsRef<[u8]>) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    std::fs::write(&source, bytes).unwrap();
    Made { folder, source }
}

/// Time, device, kind, offset and length of each request.
pub type Row = (u64, String, RequestKind, u64, u32);

pub fn compiled(made: &Made) -> (Compiled, Vec<Row>) {
    let output = made.folder.path().join("compiled");
    let compiled = compile(&made.source, &output).unwrap();
    let (mut reader, mut rows) = (Reader::open(&output).unwrap(), Vec::new());
    assert_eq!(reader.summary(), &compiled.summary);
    while let Some(Request { at_ns, device, kind, offset, length }) = reader.next_request().unwrap()
    {
        let name = compiled.summary.devices[usize::from(device)].name.clone();
        rows.push((at_ns, name, kind, offset, length));
    }
    (compiled, rows)
}

fn row(at_ns: u64, device: &str, kind: RequestKind, offset: u64, length: u32) -> Row {
    (at_ns, device.to_string(), kind, offset, length)
}

use RequestKind::{Discard, Flush, Read, Write};

#[test]
fn fio_3_has_a_time_in_each_line() {
    let text = "fio version 3 iolog\n0 /dev/a add\n0 /dev/a open\n1000 /dev/a read 4096 8192\n\
                1250 /dev/b write 0 512\n1250 /dev/a datasync 0 0\n1300 /dev/a trim 4096 65536\n\
                1400 /dev/a close\n";
    let (compiled, rows) = compiled(&source(text));
    assert_eq!((compiled.format, compiled.refusals.count), ("fio iolog", 0));
    assert_eq!(compiled.summary.origin_ns, 1_000_000);
    let expected = [
        row(0, "/dev/a", Read, 4096, 8192),
        row(250_000, "/dev/b", Write, 0, 512),
        row(250_000, "/dev/a", Flush, 0, 0),
        row(300_000, "/dev/a", Discard, 4096, 65536),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn fio_2_moves_its_time_with_waits() {
    let text = "fio version 2 iolog\r\na add\r\na open\r\na read 0 4096\r\na read 4096 4096\r\n\
                a wait 150 0\r\na sync 0 0\r\na wait 50 0\r\na write 0 4096\r\n";
    let (_, rows) = compiled(&source(text));
    let times: Vec<_> = rows.iter().map(|row| (row.0, row.2)).collect();
    assert_eq!(times, [(0, Read), (0, Read), (150_000, Flush), (200_000, Write)]);
}

#[test]
fn blkparse_arrivals_are_its_queued_requests() {
    let text = "  8,0    1        1     0.000000000   697  A   R 223490 + 8 <- (8,1) 4096\n\
                \x20 8,0    1        1     0.000000100   697  Q   R 223490 + 8 [some thing]\n\
                \x20 8,0    1        2     0.000000900   697  G   R 223490 + 8 [some thing]\n\
                \x20 8,0    3        1     1.500000000   697  Q FWFSM 16 + 8 [jbd2/sda1-8]\n\
                \x20 8,0    3        2     1.500000001   697  Q FWS [jbd2/sda1-8]\n\
                \x20 8,0    3        3     1.600000000   697  Q   D 2048 + 1024 [fstrim]\n\
                \x20 8,0    3        4     1.600000001   697  C   D 2048 + 1024 [0]\n\
                CPU1 (8,0):\n Reads Queued:           1,        4KiB\n";
    let (compiled, rows) = compiled(&source(text));
    assert_eq!((compiled.format, compiled.refusals.count), ("blkparse", 0));
    let expected = [
        row(0, "8,0", Read, 223_490 * 512, 4096),
        row(1_499_999_900, "8,0", Flush, 0, 0),
        row(1_499_999_900, "8,0", Write, 16 * 512, 4096),
        row(1_499_999_901, "8,0", Flush, 0, 0),
        row(1_599_999_900, "8,0", Discard, 2048 * 512, 1024 * 512),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn alibaba_counts_bytes_and_microseconds() {
    let text = "device_id,opcode,offset,length,timestamp\n\
                419,W,8792731648,16384,1577808144360767\n725,R,59110326272,4096,1577808144360813\n";
    let (compiled, rows) = compiled(&source(text));
    assert_eq!((compiled.format, compiled.refusals.count), ("Alibaba block traces", 0));
    assert_eq!(compiled.summary.origin_ns, 1_577_808_144_360_767_000);
    let second = row(46_000, "725", Read, 59_110_326_272, 4096);
    assert_eq!(rows, [row(0, "419", Write, 8_792_731_648, 16384), second]);
}

#[test]
fn tencent_counts_sectors_and_seconds() {
    let text = "1538323200,12910952,8,0,1576\n1538323201,6265984,128,1,1576\n";
    let (compiled, rows) = compiled(&source(text));
    assert_eq!((compiled.format, compiled.refusals.count), ("Tencent block storage", 0));
    let second = row(1_000_000_000, "1576", Write, 6_265_984 * 512, 65536);
    assert_eq!(rows, [row(0, "1576", Read, 12_910_952 * 512, 4096), second]);
}

#[test]
fn msr_cambridge_counts_bytes_and_file_times() {
    let text = "128166372003061629,hm,0,Read,383496192,32768,413\n\
                128166372016382155,hm,1,Write,2822144000,4096,500\n";
    // Compressed as by SNIA.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    for bytes in [text.as_bytes().to_vec(), packed.finish().unwrap()] {
        let (compiled, rows) = compiled(&source(bytes));
        assert_eq!((compiled.format, compiled.refusals.count), ("MSR Cambridge", 0));
        let second = row(1_332_052_600, "hm.1", Write, 2_822_144_000, 4096);
        assert_eq!(rows, [row(0, "hm.0", Read, 383_496_192, 32768), second]);
    }
}

#[test]
fn every_refused_line_is_counted_and_the_first_ten_are_named() {
    let wrong = [
        ("1,R,-4096,4096,5", "the offset '-4096' is not a whole number from 0 on"),
        ("1,R,0,4096,-5", "the time '-5' is not"),
        ("1,R,0,0,5", "its length is 0"),
        ("1,R,9223372036854775807,4096,5", "it ends beyond 2^63 bytes"),
        ("1,R,99999999999999999999,4096,5", "the offset '99999999999999999999' is beyond 2^64"),
        ("1,R,0,4294967296,5", "a length of 4294967296 bytes is beyond 2^32"),
        ("1,R,0,4096,18446744073709551615", "the time '18446744073709551615' is too large"),
        ("1,T,0,4096,5", "'T' is neither R nor W"),
        ("1,R,0,4096", "it has fewer than 5 columns"),
        ("1,R,0\0,4096,5", "it has a NUL byte"),
        ("1,R,0,4096,5,6", "it has more than 5 columns"),
    ];
    let mut text = "7,W,0,512,1\n".to_string();
    wrong.iter().for_each(|(line, _)| text += &format!("{line}\n"));
    text += &format!("7,W,512,512,{}\n7,W,1024,512,3\n", "x".repeat(20_000));
    let (compiled, rows) = compiled(&source(text));
    assert_eq!((rows.len(), compiled.refusals.count), (2, 12));
    let lines = compiled.refusals.lines();
    for (i, (_, says)) in wrong.iter().take(10).enumerate() {
        let line = format!("line {}: ", i + 2);
        assert!(lines[i].starts_with(&line) && lines[i].contains(says), "{}", lines[i]);
    }
    assert!(lines[9].ends_with("1,R,0\\u{0},4096,5"), "nothing hidden: {}", lines[9]);
    assert_eq!(lines[10..], ["and 2 more"]);
}

#[test]
fn what_is_no_trace_is_an_error_that_says_what_to_give() {
    for (bytes, says) in [
        (&b""[..], "is empty"),
        (b"hello\nworld\n", "has no format that Dyno reads"),
        (&[0; 5000], "has no format that Dyno reads"),
        (b"fio version 3 iolog\n0 a add\n", "has no request"),
        (b"fio version 3 iolog\nx a read 0 1\n", "line 2: the time 'x' is not a whole number"),
        (b"DYNTRACE", "was truncated"),
    ] {
        let made = source(bytes);
        let output = made.folder.path().join("compiled");
        let opened = crate::read_any(&made.source, made.folder.path());
        let Err(error) = opened else { panic!("{says}") };
        let (what, hints) = describe(&error);
        assert!(what.contains(says) && !hints.is_empty(), "{what}");
        assert!(!output.exists());
    }
}
