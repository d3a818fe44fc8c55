//! Attacks on foreign data. Every module is a table: a situation, Dyno's message, and what must be
//! unchanged afterwards, compared by checksums of every byte, mode, owner and link. Needs root and
//! loop devices; situations that are impossible here are reported and counted as not tested.
//! `DYNO_SOAK=1` exchanges links and kills more often.

#![allow(clippy::type_complexity, reason = "tables of situations are lists of tuples")]

mod bench;
mod bundles;
mod datasets;
mod drives;
mod ground;
mod held;
mod killed;
mod marks;
mod names;
mod ours;
mod outputs;
mod read_only;
mod readers;
mod rooms;
mod served;
mod stacks;
#[path = "../support/mod.rs"]
mod support;
mod trees;
mod turned;
mod turner;

#[test]
fn there_are_at_least_seven_hundred_situations() {
    let all = [
        ("drives", drives::CASES + marks::MARKS.len() * 3),
        ("held drives", held::CASES),
        ("grounds", ground::CASES),
        ("contents", ours::CASES),
        ("datasets", datasets::cases()),
        ("outputs", outputs::cases()),
        ("names", names::cases()),
        ("bundles", bundles::cases()),
        ("room", rooms::CASES),
        ("stacks", stacks::CASES),
    ];
    let sum: usize = all.iter().map(|(_, n)| n).sum();
    println!("{sum} situations: {all:?}");
    assert!(sum >= 700, "{all:?}");
}
