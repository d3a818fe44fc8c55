//! All facts about the host, the drives, the engines and the plan, so that others can repeat the
//! run.

use crate::analysis::facts::{DisclosureGroup, Facts, GroupOwner, RunFacts, SetupFacts};
use crate::analysis::keys::RunKey;
use crate::brief::block::Block;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::{setup_text, wording};
use crate::language::Language;
use crate::say;
use crate::terms::names;
use dyno_core::record::key::{FactHeading, devices};

/// All facts, and the plan.
pub const SECTION: Section = Section::appendix(
    "disclosure",
    |l| say!(l, "section-disclosure"),
    SectionBlocks::Whole(blocks),
);

/// The heading of a group, with its owner.
fn heading(l: Language, facts: &Facts, group: &DisclosureGroup) -> String {
    let name = names::heading(l, &group.name);
    match &group.owner {
        GroupOwner::Run(run) => of_run(name, &facts.setup, *run),
        GroupOwner::Step(subject, step) => {
            format!("{name}: {}, {step}", facts.subjects[*subject].name)
        }
        GroupOwner::Server(subject, step, place) => {
            let (drive, server) = (place.drive + 1, place.instance + 1);
            let place = say!(l, "server-by-number", drive, server);
            format!("{name}: {}, {step}, {place}", facts.subjects[*subject].name)
        }
        GroupOwner::Points => name,
    }
}

/// A heading about a run, with the run if there are several.
fn of_run(name: String, setup: &SetupFacts, run: RunKey) -> String {
    match setup.runs.len() {
        0 | 1 => name,
        _ => format!("{name} ({})", setup.runs[run].file),
    }
}

/// The fields of each host under their headings, and those of each drive.
fn setups(l: Language, facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for heading in FactHeading::ALL.into_iter().filter(|heading| heading.is_of_host()) {
        for (key, run) in facts.setup.runs.iter_enumerated() {
            let own = run.host.disclosed().filter(|(field, _)| field.heading() == heading);
            let rows: Vec<(String, String)> = own
                .map(|(field, value)| {
                    let shown = setup_text::of_host(l, &facts.statements, field, &value);
                    (names::fact(l, field.name()), shown)
                })
                .collect();
            let title = of_run(names::heading(l, heading.name()), &facts.setup, key);
            out.extend((!rows.is_empty()).then(|| Block::Pairs(title, rows)));
        }
    }
    for (key, subject) in facts.subjects.iter_enumerated() {
        for drive in &subject.setups {
            let rows = drive.disclosed();
            let rows = rows
                .map(|(field, value)| (names::fact(l, field.name()), setup_text::value(l, &value)));
            let name = names::heading(l, FactHeading::Drive.name());
            let title = format!("{name}: {}", setup_text::drive(l, &facts.subjects, key, drive));
            out.push(Block::Pairs(title, rows.collect()));
        }
    }
    out
}

fn rows(l: Language, group: &DisclosureGroup) -> Vec<(String, String)> {
    let shown = |(name, value): &(String, String)| {
        let label = names::fact(l, name);
        let of_import =
            group.name == "Imported" && ["measured by", "missing"].contains(&name.as_str());
        match name.as_str() {
            _ if of_import => (label, names::of_import(l, value)),
            devices::SHARED => {
                let pairs = value.split("; ").map(|pair| names::shared_device(l, pair));
                (label, l.clauses(&pairs.collect::<Vec<_>>()))
            }
            _ => (label, names::said(l, value)),
        }
    };
    group.rows.iter().map(shown).collect()
}

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let run = |run: &RunFacts| {
        let when = wording::when_measured(l, run);
        let (version, repeats) = (&run.dyno_version, run.repeats);
        if run.is_imported() {
            let said = say!(l, "imported-run", when, version);
            return (run.file.clone(), said);
        }
        (run.file.clone(), say!(l, "run", when, version, repeats))
    };
    let mut out = vec![Block::Pairs(say!(l, "runs"), facts.setup.runs.iter().map(run).collect())];
    let (of_dyno, others): (Vec<_>, Vec<_>) =
        facts.setup.disclosure.iter().partition(|group| group.is_of_dyno());
    let block = |group: &DisclosureGroup| Block::Pairs(heading(l, facts, group), rows(l, group));
    out.extend(of_dyno.into_iter().map(block));
    out.extend(setups(l, facts));
    out.extend(others.into_iter().map(block));
    let plan =
        |run: &RunFacts| Block::Code(say!(l, "resolved-plan", file = &run.file), run.plan.clone());
    // Imported figures have no plan that could be run again; several tests have their bundles.
    let runs = facts.setup.runs.iter().filter(|run| !run.is_imported());
    out.extend(runs.filter(|_| facts.tests.len() < 2).map(plan));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::comparability::conditions::tests::subject;
    use dyno_core::record::setup::DriveSetup;

    #[test]
    fn each_drive_has_its_own_facts_though_a_subject_is_named_like_another_ones_second_drive() {
        let drive =
            |serial: &str| DriveSetup { serial: Some(serial.into()), ..DriveSetup::default() };
        let pair = vec![drive("S1"), drive("S2")];
        let all = [subject("P5510", 0, pair), subject("P5510 (2)", 0, vec![drive("S3")])];
        let facts = Facts { subjects: all.into_iter().collect(), ..Facts::default() };
        let shown = setups(Language::ENGLISH, &facts).into_iter().map(|block| match block {
            Block::Pairs(title, rows) => (title, rows),
            other => panic!("{other:?}"),
        });
        let expected = [
            ("Drive: P5510, drive 1", "S1"),
            ("Drive: P5510, drive 2", "S2"),
            ("Drive: P5510 (2)", "S3"),
        ];
        let rows = |serial: &str| vec![("Serial".to_string(), serial.to_string())];
        let expected = expected.map(|(title, serial)| (title.to_string(), rows(serial)));
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }
}
