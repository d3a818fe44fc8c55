//! External input results in data or an error, never in a panic: cargo-fuzz's corpus, and mutations
//! of it from a seed, with the stable toolchain. `DYNO_SOAK=1` runs for ten minutes.

#[path = "../../fuzz/targets.rs"]
mod targets;

use std::path::Path;
use std::time::{Duration, Instant};

use dyno::base::rng::{Rng, Seed};
use targets::TARGETS;

use crate::support::{seed, size};

/// Fragments of text formats; inserting them finds more than random bytes.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1e308",
    "-inf",
    "nan",
    "18446744073709551616",
    "0.0000001",
    "\"",
    "\n",
    "\r\n",
    ":",
    ",",
    "=",
    "[",
    "]",
    "{",
    "}",
    "[[",
    "null",
    "\u{0}",
    "µs",
    "%",
    "s",
    " ",
    "#",
    "99",
    "inf",
    "....",
    "é",
    "\\",
];

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = files.map(|f| f.unwrap().path()).collect();
    paths.sort();
    let mut inputs: Vec<_> = paths.iter().map(|p| std::fs::read(p).unwrap()).collect();
    inputs.push(Vec::new());
    inputs
}

fn mutated(rng: &mut Rng, from: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = from.to_vec();
    for _ in 0..1 + rng.below(6) {
        let at = rng.below(bytes.len() as u64 + 1) as usize;
        let end = (at + 1 + rng.below(64) as usize).min(bytes.len());
        match rng.below(8) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            2 if at < bytes.len() => drop(bytes.drain(at..end)),
            3 if at < bytes.len() => bytes.extend_from_within(at..end),
            4 if at < bytes.len() => bytes[at] = rng.below(256) as u8,
            5 if !other.is_empty() => {
                let from = rng.below(other.len() as u64) as usize;
                let piece = &other[from..(from + 1 + rng.below(200) as usize).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            _ => {
                let word = WORDS[rng.below(WORDS.len() as u64) as usize];
                let end = if rng.below(2) == 0 { at } else { end.max(at) };
                bytes.splice(at..end, word.bytes());
            }
        }
    }
    bytes
}

/// A share of the time for each target; returns the number of inputs.
fn look(target: &str, run: targets::Run, time: Duration) -> u64 {
    let inputs = corpus(target);
    inputs.iter().for_each(|input| run(input));
    let mut rng = Seed::new(seed(), 0, 0).at(0);
    let (begun, mut tried) = (Instant::now(), inputs.len() as u64);
    while begun.elapsed() < time {
        let pick = |rng: &mut Rng| &inputs[rng.below(inputs.len() as u64) as usize];
        let (from, other) = (pick(&mut rng), pick(&mut rng));
        let input = mutated(&mut rng, from, other);
        if std::panic::catch_unwind(|| run(&input)).is_err() {
            let path = std::env::temp_dir().join(format!("dyno-fuzz-{target}"));
            std::fs::write(&path, &input).unwrap();
            panic!("{target} panics on {}", path.display());
        }
        tried += 1;
    }
    tried
}

#[test]
fn nothing_that_others_wrote_makes_dyno_panic() {
    let seconds = size(1, 600);
    let looked = TARGETS.iter().map(|&(target, run)| {
        std::thread::spawn(move || (target, look(target, run, Duration::from_secs(seconds))))
    });
    for found in looked.collect::<Vec<_>>() {
        let (target, tried) = found.join().expect("a target without a panic");
        println!("{target}: {tried} inputs in {seconds} s");
    }
}
