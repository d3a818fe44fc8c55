//! The index of a folder from elsewhere: its size, its numbers and its texts are anyone's.

use std::fs::File;
use std::io::{BufWriter, Write};

use crate::bench::{Bench, MEGABYTES, SECONDS};
use crate::bundles;

const HEAD: &str = "dyno catalogue 1";

/// Writes the lines after the head.
type Lines<'a> = &'a dyn Fn(&mut dyn Write);

#[test]
fn an_index_of_any_size_costs_little_time_and_memory() {
    let bench = Bench::new();
    bundles::honest(&bench, &bench.at("a.dyno"));
    let huge: [(&str, Lines<'_>); 3] = [
        ("entries of files that are not there", &|out| {
            for i in 0..4_000_000 {
                let entry = format!(
                    "{{\"path\":\"{i:x}\",\"size_bytes\":0,\"modified_unix_ns\":0,\
                     \"contents\":{{\"broken\":\"\"}}}}"
                );
                writeln!(out, "{entry}").unwrap();
            }
        }),
        ("one line", &|out| {
            out.write_all(b"{\"path\":\"").unwrap();
            (0..300).for_each(|_| out.write_all(&[b'x'; 1 << 20]).unwrap());
        }),
        ("deeply nested", &|out| {
            (0..3).for_each(|_| out.write_all(&[b'['; 1 << 20]).unwrap());
        }),
    ];
    for (what, write) in huge {
        let mut out = BufWriter::new(File::create(bench.at(".dyno-catalogue")).unwrap());
        writeln!(out, "{HEAD}").unwrap();
        write(&mut out);
        out.flush().unwrap();
        drop(out);
        let ended = bench.ok(&["catalogue", "."]);
        assert!(ended.out.contains("1 of 1 bundles"), "{what}: {}", ended.out);
        // Five times on a slow machine, as for bundles.
        let (seconds, megabytes) = (ended.cpu_s, ended.rss_mb);
        assert!(
            seconds < 5.0 * SECONDS && megabytes < MEGABYTES,
            "{what}: {seconds} s, {megabytes} MB"
        );
        println!("{what}: {seconds:.2} s, {megabytes:.0} MB");
    }
}

#[test]
fn counts_that_cannot_be_and_hidden_characters_are_read_from_the_bundle_again() {
    let bench = Bench::new();
    bundles::honest(&bench, &bench.at("a.dyno"));
    bench.ok(&["catalogue", "."]);
    let index = std::fs::read_to_string(bench.at(".dyno-catalogue")).unwrap();
    let listed = bench.ok(&["catalogue", "."]).out;
    let entry: serde_json::Value = serde_json::from_str(index.lines().nth(1).unwrap()).unwrap();
    type Change<'a> = &'a dyn Fn(&mut serde_json::Value);
    let changes: [Change<'_>; 5] = [
        &|bundle| bundle["points"] = u64::MAX.into(),
        &|bundle| bundle["failed"] = 1_000.into(),
        &|bundle| bundle["started_unix_ns"] = u64::MAX.into(),
        &|bundle| bundle["title"] = "\u{1b}]0;owned\u{7}\u{202e}".into(),
        &|bundle| bundle["subjects"][0] = "\u{200b}".into(),
    ];
    for change in changes {
        let mut entry = entry.clone();
        change(&mut entry["contents"]["bundle"]);
        std::fs::write(bench.at(".dyno-catalogue"), format!("{HEAD}\n{entry}\n")).unwrap();
        assert_eq!(bench.ok(&["catalogue", "."]).out, listed, "{entry}");
    }
}
