//! A toy importer: `tally_sheet` reads lines such as `reads 1200`: ops in a window of one second.

use dyno::base::error::{Result, failed};
use dyno::import::{self, FormatInfo, ImportFormat, ImportedFile, Input, Observation, cell, tally};
use dyno::record::Class;

struct TallySheet;

static INFO: FormatInfo =
    FormatInfo { name: "tally_sheet", summary: "a step and its ops", missing: &["latencies"] };

pub fn add() {
    import::ALL.add(&TallySheet);
}

impl ImportFormat for TallySheet {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        for line in input.text.lines() {
            let read = line.split_once(' ').and_then(|(step, ops)| Some((step, ops.parse().ok()?)));
            let (step, ops) = read.ok_or_else(|| {
                failed(format!("'{line}' is not a tally"), "write a step and its ops")
            })?;
            let mut entry = Observation::new(step, Some(1_000_000_000));
            let tallies = vec![tally(Class::READ, ops, 0)];
            entry.point.cells.push(cell("sheet", 0, Some(1), Some(1), tallies));
            found.observations.push(entry);
        }
        Ok(found)
    }
}
