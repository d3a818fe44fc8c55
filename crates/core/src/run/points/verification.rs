//! The requirements of a plan with `verify = true`, checked before anything is touched; and the
//! state that an earlier run left, checked before anything is written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::base::error::{Context, Result, refused};
use crate::base::units;
use crate::engine::{Access, verify};
use crate::lab::drive::shared;
use crate::lab::folder::data::FOLDER;
use crate::plan::{Component, Dataset, DrivePlace, Plan, Stream, Subject};
use crate::record::{Fact, Verified};
use crate::run::context::RunContext;
use crate::run::datasets::{dataset, space};

/// Refuses plans that cannot be verified.
pub fn check(plan: &Plan) -> Result<()> {
    for dataset in &plan.protocol.datasets {
        let users: Vec<&Component> = users(plan, dataset).map(|stream| &stream.engine).collect();
        let all = || std::iter::once(&dataset.engine).chain(users.iter().copied());
        if !all().any(|part| verify::is_on(&part.knobs)) {
            continue;
        }
        let name = &dataset.name;
        let asked = |part: &Component| verify::directory(&part.knobs);
        let journal = asked(&dataset.engine).with_context(|| format!("dataset '{name}'"))?;
        for part in all() {
            if asked(part)? != journal || journal.is_none() {
                return Err(refused(
                    format!("the streams of dataset '{name}' are not all verified in the same way"),
                    "write `verify` and `journal` into the dataset, and into no stream; all of its \
                     streams are verified, through psync, uring or libaio",
                ));
            }
        }
        let direct = |part: &Component| part.knobs.flag("direct").unwrap_or(false);
        if users.iter().any(|part| direct(part) != direct(users[0])) {
            return Err(refused(
                format!("verified dataset '{name}' is used with direct I/O and without"),
                "the page cache may contain data that direct writes have changed: set `direct` in \
                 the dataset, and in no stream",
            ));
        }
        if dataset.fill.is_none() {
            return Err(refused(
                format!("dataset '{name}' cannot be verified: it has no fill"),
                "only data written by Dyno can be verified: give it a `fill`",
            ));
        }
        if dataset.restore {
            return Err(refused(
                format!("dataset '{name}' cannot be verified and restored"),
                "restored data are older than the journal: omit `restore` or `verify`",
            ));
        }
        plan.subjects.iter().try_for_each(|subject| elsewhere(subject, &journal))?;
    }
    plan.subjects.iter().try_for_each(no_own)
}

/// All streams that use a dataset.
fn users<'p>(plan: &'p Plan, dataset: &'p Dataset) -> impl Iterator<Item = &'p Stream> {
    let steps = plan.protocol.steps.iter().flat_map(|step| &step.streams);
    let prepared = plan.protocol.prepare.iter().map(|c| &c.stream);
    let steady = plan.protocol.preparation.steady.iter().map(|s| &s.stream);
    steps.chain(prepared).chain(steady).filter(|stream| stream.dataset == dataset.name)
}

/// A subject's own knobs would have only some of its streams verified.
fn no_own(subject: &Subject) -> Result<()> {
    let own = |knob: &str| [verify::VERIFY.name, verify::JOURNAL.name].contains(&knob);
    match subject.overrides.iter().find(|given| own(&given.knob)) {
        None => Ok(()),
        Some(given) => Err(refused(
            format!("subject '{}' has its own `{}`", subject.name, given.knob),
            "set it in the dataset: all subjects are verified, or none",
        )),
    }
}

/// Refuses a journal on a physical device under test: it would be lost with the data.
fn elsewhere(subject: &Subject, journal: &Option<PathBuf>) -> Result<()> {
    let Some(journal) = journal else { return Ok(()) };
    if !journal.is_dir() {
        return Err(refused(
            format!("the journal's directory {} is not there", journal.display()),
            "create it, on a drive that is not under test",
        ));
    }
    let below = shared::devices_below(journal);
    for drive in &subject.drives {
        let under_test = shared::devices(drive, FOLDER);
        if let Some(device) = under_test.intersection(&below).next() {
            return Err(refused(
                format!(
                    "the journal in {} would be on {device}, which is under test as '{}'",
                    journal.display(),
                    subject.name
                ),
                "use a directory on another drive (`journal`): a journal lost with the data \
                 proves nothing",
            ));
        }
    }
    Ok(())
}

/// The sizes of a plan's journals, for `plan check`: one line per directory.
pub fn in_words(plan: &Plan) -> Result<Vec<String>> {
    let mut needed: BTreeMap<PathBuf, u64> = BTreeMap::new();
    for dataset in &plan.protocol.datasets {
        let Some(directory) = verify::directory(&dataset.engine.knobs)? else { continue };
        let drives: usize = plan.subjects.iter().map(|subject| subject.drives.len()).sum();
        let bytes = space::fill_bytes(dataset).unwrap_or(0);
        let copies = u64::from(dataset::instances(plan, &dataset.name));
        let own = verify::journal_bytes(bytes) * copies * drives as u64;
        *needed.entry(directory).or_default() += own;
    }
    let words = |(directory, bytes): (PathBuf, u64)| {
        format!(
            "Verified: {} of journals in {}, and as much memory while they are open{}",
            units::bytes(bytes),
            directory.display(),
            match shared::devices_below(&directory).contains("memory") {
                true => "; in memory they outlive a kill, not a crash of the host",
                false => "",
            }
        )
    };
    Ok(needed.into_iter().map(words).collect())
}

/// If a run that wrote a verified dataset did not end, compares all of it with its journal, before
/// this run writes anything. The finding is stored in the bundle.
pub fn recheck(run: RunContext<'_>, subject: &Subject) -> Result<Vec<Fact>> {
    let RunContext { plan, time, progress } = run;
    let mut facts = Vec::new();
    for dataset in &plan.protocol.datasets {
        if !verify::is_on(&dataset.engine.knobs) {
            continue;
        }
        for drive in &subject.drives {
            let bare = matches!(drive.place, DrivePlace::Device { .. });
            if bare && plan.protocol.preparation.filesystem.is_some() {
                // It is recreated together with the dataset.
                continue;
            }
            for instance in 0..dataset::instances(plan, &dataset.name) {
                let home = dataset::home(drive, &dataset.name, instance, Default::default())?;
                let knobs = &dataset.engine.knobs;
                let Some(journal) = verify::journal_of(knobs, &home)? else { continue };
                if !verify::was_left_open(&journal, &home)? {
                    continue;
                }
                let name = format!("{}: dataset '{}'", subject.name, dataset.name);
                progress.activity(&format!("{name} is compared with its journal"));
                let looking = || {
                    format!("{name}, after a run that did not end (journal {})", journal.display())
                };
                let target = dataset::open(&dataset.engine, &home, Access::ReadOnly, time.clock)
                    .with_context(looking)?;
                let checked = target
                    .recheck(time.stop, &mut |done, all| progress.fill(done, all))
                    .with_context(looking)?;
                facts
                    .extend(checked.map(|blocks| {
                        Verified::after_a_kill(&subject.name, &dataset.name, blocks)
                    }));
            }
        }
    }
    Ok(facts)
}
