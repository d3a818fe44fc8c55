//! A toy importer: `tally_sheet` reads lines such as `reads 1200`: ops in a window of one second.

use dyno::base::error::{Result, failed};
use dyno::import::{self, Entry, Format, Found, Info, Input, cell, tally};
use dyno::record::Class;

struct TallySheet;

static INFO: Info =
    Info { name: "tally_sheet", summary: "lines of a step and its ops", missing: &["latencies"] };

pub fn add() {
    import::ALL.add(&TallySheet);
}

impl Format for TallySheet {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn read(&self, input: &Input<'_>) -> Result<Found> {
        let mut found = Found::default();
        for line in input.text.lines() {
            let read = line.split_once(' ').and_then(|(step, ops)| Some((step, ops.parse().ok()?)));
            let (step, ops) = read.ok_or_else(|| {
                failed(format!("'{line}' is not a tally"), "write a step and its ops")
            })?;
            let mut entry = Entry::new(step, None, Some(1_000_000_000));
            let tallies = vec![tally(Class::READ, ops, 0)];
            entry.point.cells.push(cell("sheet", 0, Some(1), Some(1), tallies));
            found.entries.push(entry);
        }
        Ok(found)
    }
}
