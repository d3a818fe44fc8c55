//! The first two tables of published briefs: the server's hardware, and its software.

use crate::analysis::facts::{DisclosureGroup, Facts, GroupOwner, MeasuredFacts, SetupFacts};
use crate::brief::block::Block;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::setup_text;
use crate::language::{Language, Name};
use crate::say;
use dyno_core::base::units;
use dyno_core::record::key::{FactHeading, FactKey, dyno, engine};
use dyno_core::record::setup::{DriveField, HostField};

/// The server's hardware and software.
pub const SECTION: Section =
    Section::appendix("server", |l| say!(l, "section-server"), SectionBlocks::Whole(blocks));

/// A row of the tables.
#[derive(Clone, Copy)]
enum Row {
    Host(HostField),
    Drive(DriveField),
    /// The versions of Dyno, and of each engine.
    Dyno,
    Engines,
}

/// Rows in the order of the table.
const HARDWARE: &[Row] = &[
    Row::Host(HostField::Vendor),
    Row::Host(HostField::Server),
    Row::Host(HostField::Board),
    Row::Host(HostField::Bios),
    Row::Host(HostField::VirtualMachine),
    Row::Host(HostField::CpuModel),
    Row::Host(HostField::CpuSockets),
    Row::Host(HostField::CoresPerSocket),
    Row::Host(HostField::LogicalProcessors),
    Row::Host(HostField::Smt),
    Row::Host(HostField::HighestFrequency),
    Row::Host(HostField::NumaNodes),
    Row::Host(HostField::Memory),
    Row::Host(HostField::MemoryModules),
    Row::Drive(DriveField::Model),
    Row::Drive(DriveField::Serial),
    Row::Drive(DriveField::Firmware),
    Row::Drive(DriveField::Capacity),
    Row::Drive(DriveField::LogicalBlock),
    Row::Drive(DriveField::LinkSpeed),
    Row::Drive(DriveField::LinkLanes),
    Row::Drive(DriveField::NumaNode),
];

const SOFTWARE: &[Row] = &[
    Row::Host(HostField::OperatingSystem),
    Row::Host(HostField::KernelRelease),
    Row::Host(HostField::KernelCommandLine),
    Row::Host(HostField::NvmeParameters),
    Row::Host(HostField::NvmeCoreParameters),
    Row::Host(HostField::Governor),
    Row::Host(HostField::FrequencyDriver),
    Row::Host(HostField::Mitigations),
    Row::Host(HostField::HugePages),
    Row::Drive(DriveField::Filesystem),
    Row::Drive(DriveField::MountOptions),
    Row::Drive(DriveField::Scheduler),
    Row::Dyno,
    Row::Engines,
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

/// The distinct values of a field, each with its owners: drives, runs, or steps of subjects.
struct OwnedValues {
    /// The heading and the name of the field, in English.
    heading: String,
    name: String,
    /// The name alone in the table.
    label: String,
    values: Vec<(Vec<String>, String)>,
}

impl OwnedValues {
    fn of(heading: &str, name: &str, label: &str) -> OwnedValues {
        let [heading, name, label] = [heading, name, label].map(String::from);
        OwnedValues { heading, name, label, values: Vec::new() }
    }

    fn add(&mut self, owner: String, value: String) {
        match self.values.iter_mut().find(|(_, known)| *known == value) {
            Some((owners, _)) => owners.push(owner),
            None => self.values.push((vec![owner], value)),
        }
    }
}

/// The values of a row; several of the engines.
fn of_row(l: Language, facts: &Facts, row: Row) -> Vec<OwnedValues> {
    match row {
        Row::Host(field) => {
            let heading = field.heading().name();
            let mut found = OwnedValues::of(heading, field.name(), field.name());
            for run in facts.setup.runs.iter() {
                let value = run.host.value(field);
                let shown = value.map(|v| setup_text::of_host(l, &facts.statements, field, &v));
                shown.into_iter().for_each(|value| found.add(run.file.clone(), value));
            }
            vec![found]
        }
        Row::Drive(field) => {
            let heading = FactHeading::Drive.name();
            let mut found = OwnedValues::of(heading, field.name(), field.name());
            for (key, subject) in facts.subjects.iter_enumerated() {
                for drive in &subject.setups {
                    let owner = setup_text::drive(l, &facts.subjects, key, drive);
                    let value = drive.value(field).map(|value| setup_text::value(l, &value));
                    value.into_iter().for_each(|value| found.add(owner.clone(), value));
                }
            }
            vec![found]
        }
        Row::Dyno => versions(facts, |group| group.is_of_dyno(), dyno::VERSION),
        Row::Engines => versions(facts, |group| !group.is_of_dyno(), engine::VERSION),
    }
}

/// The versions of software, by its name.
fn versions(facts: &Facts, counts: fn(&DisclosureGroup) -> bool, key: FactKey) -> Vec<OwnedValues> {
    let mut all: Vec<OwnedValues> = Vec::new();
    for group in facts.setup.disclosure.iter().filter(|group| counts(group)) {
        for (_, value) in group.rows.iter().filter(|(name, _)| name == key.name) {
            let owner = match &group.owner {
                GroupOwner::Run(run) => facts.setup.runs[*run].file.clone(),
                GroupOwner::Step(subject, step) | GroupOwner::Server(subject, step, _) => {
                    format!("{}, {step}", facts.subjects[*subject].name)
                }
                GroupOwner::Points => continue,
            };
            let at = all.iter().position(|found| found.heading == group.name);
            let at = at.unwrap_or_else(|| {
                all.push(OwnedValues::of(&group.name, key.name, &group.name));
                all.len() - 1
            });
            all[at].add(owner, value.clone());
        }
    }
    all
}

fn pairs(l: Language, facts: &Facts, rows: &[Row]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for found in rows.iter().flat_map(|row| of_row(l, facts, *row)) {
        // Listing each value's owners would mean hundreds of names; values unique to each drive are
        // omitted.
        if facts.subjects.are_a_fleet() && found.values.len() > 1 {
            let all: Vec<&str> = found.values.iter().map(|(_, value)| value.as_str()).collect();
            if all.len() <= MOST_VALUES {
                let (heading, fact) = (Name::fact(&found.heading), Name::fact(&found.name));
                let label = say!(l, "difference-fact", heading, fact);
                pairs.push((label, all.join("; ")));
            }
            continue;
        }
        let several = found.values.len() > 1;
        for (owners, value) in found.values {
            let mut label = vec![l.name(&Name::fact(&found.label))];
            // Common values are stated once.
            label.extend(several.then(|| owners.join(", ")));
            pairs.push((l.sequence(&label), value));
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
