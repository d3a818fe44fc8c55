//! The first two tables of published briefs: the server's hardware, and its software.

use crate::analysis::comparability::conditions::{headings, values};
use crate::analysis::facts::{Facts, MeasuredFacts, SetupFacts};
use crate::base::units;
use crate::brief::block::Block;
use crate::brief::kernel_parameters;
use crate::brief::section::{Section, SectionBlocks};
use crate::language::{Language, Name};
use crate::record::key::{FactKey, cpu, drive, dyno, engine, host, kernel, memory};
use crate::say;

/// The server's hardware and software.
pub const SECTION: Section =
    Section::appendix("server", |l| say!(l, "section-server"), SectionBlocks::Whole(blocks));

/// In the order of the table.
const HARDWARE: &[FactKey] = &[
    host::VENDOR,
    host::SERVER,
    host::BOARD,
    host::BIOS,
    host::VIRTUAL_MACHINE,
    cpu::MODEL,
    cpu::SOCKETS,
    cpu::CORES,
    cpu::LOGICAL_PROCESSORS,
    cpu::SMT,
    cpu::HIGHEST_FREQUENCY,
    cpu::NUMA_NODES,
    memory::TOTAL,
    memory::MODULES,
    drive::MODEL,
    drive::SERIAL,
    drive::FIRMWARE,
    drive::CAPACITY,
    drive::LOGICAL_BLOCK_SIZE,
    drive::LINK_SPEED,
    drive::LINK_WIDTH,
    drive::NUMA_NODE,
];

const SOFTWARE: &[FactKey] = &[
    host::OPERATING_SYSTEM,
    kernel::RELEASE,
    kernel::COMMAND_LINE,
    kernel::DRIVERS[0].0,
    kernel::DRIVERS[1].0,
    cpu::GOVERNOR,
    cpu::FREQUENCY_DRIVER,
    cpu::MITIGATIONS,
    memory::HUGE_PAGES,
    drive::FILESYSTEM,
    drive::MOUNT_OPTIONS,
    drive::SCHEDULER,
    dyno::VERSION,
    engine::VERSION,
];

/// Maximum number of values of a fact in a fleet's brief.
const MOST_VALUES: usize = 8;

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let tables = [(say!(l, "server-hardware"), HARDWARE), (say!(l, "server-software"), SOFTWARE)];
    let mut found = tables.map(|(title, rows)| (title, pairs(l, facts, rows)));
    found[0].1.extend(memory_limits(l, &facts.measured, &facts.setup));
    let some = found.into_iter().filter(|(_, pairs)| !pairs.is_empty());
    some.map(|(title, pairs)| Block::Pairs(title, pairs)).collect()
}

/// The memory limits of steps: the relevant part of the host's memory.
fn memory_limits(
    l: Language,
    measured: &MeasuredFacts,
    setup: &SetupFacts,
) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = Vec::new();
    for step in setup.runs.iter().flat_map(|run| &run.resolved.protocol.steps) {
        let Some(bytes) = step.memory_bytes else { continue };
        let limit = say!(l, "server-memory-limit", size = units::bytes(bytes));
        let title = measured.steps.iter().find(|s| s.name == step.name).map(|s| s.title.text(l));
        let name = say!(l, "server-memory-of-step", step = title.unwrap_or(step.name.clone()));
        let row = (name, limit);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

fn pairs(l: Language, facts: &Facts, rows: &[FactKey]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (key, heading) in
        rows.iter().flat_map(|key| headings(&facts.setup, *key).into_iter().map(move |h| (key, h)))
    {
        let found = values(&facts.setup, heading, key.name);
        // Listing each value's owners would mean hundreds of names; values unique to each drive are
        // omitted.
        if facts.subjects.are_a_fleet() && found.len() > 1 {
            let all: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
            if all.len() <= MOST_VALUES {
                let (heading, fact) = (Name::fact(heading), Name::fact(key.name));
                let label = say!(l, "difference-fact", heading, fact);
                pairs.push((label, all.join("; ")));
            }
            continue;
        }
        for (whose, value) in &found {
            let name =
                if [dyno::VERSION, engine::VERSION].contains(key) { heading } else { key.name };
            let mut label = vec![l.name(&Name::fact(name))];
            // Common values are stated once.
            label.extend((found.len() > 1).then(|| whose.clone()));
            pairs.push((
                l.sequence(&label),
                kernel_parameters::shown(l, &facts.statements, key.name, value),
            ));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::comparability::conditions::tests::two_drives;

    #[test]
    fn what_all_share_is_said_once_and_what_differs_with_whose_it_is() {
        let made = blocks(Language::ENGLISH, &two_drives());
        let [Block::Pairs(title, pairs), ..] = &made[..] else { panic!("{made:?}") };
        let has = |name: &str, value: &str| pairs.contains(&(name.to_string(), value.to_string()));
        assert!(title == "Server hardware" && has("Firmware", "1.0"), "{pairs:?}");
        assert!(has("Model, A", "Fast") && has("Model, B", "Slow"), "{pairs:?}");
    }
}
