//! Bundles of different tests on the same drives: which bundles are of one test, and which of their
//! subjects are one, so that a report has all tests of a drive under one name.

use std::collections::{HashMap, HashSet};

use crate::analysis::keys::{Keyed, RunKey, TestKey};
use dyno_core::base::error::{Result, refused};
use dyno_core::plan::{DrivePlace, Plan, Subject};
use dyno_core::record::setup::DriveSetup;
use dyno_core::record::{CommonStart, RunContents, observed};

/// Two names of one subject, as the reader states them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameSubject {
    /// The name in the report.
    pub name: String,
    /// Its name in other bundles.
    pub other: String,
}

/// A subject of a bundle: the bundle's index and the name in its plan.
pub type SubjectOfRun = (usize, String);

/// The tests of several bundles, and their common subjects.
#[derive(Debug, Default)]
pub struct MergedRuns {
    /// The test of each bundle, numbered in the order of the bundles.
    pub tests: Keyed<RunKey, TestKey>,
    /// For a subject, the one in an earlier bundle of another test with which it is one.
    earlier: HashMap<SubjectOfRun, SubjectOfRun>,
}

impl MergedRuns {
    /// Bundles are of one test if they have a step in common, unless their protocols have different
    /// names and a subject is in both: it has done two tests. Their subjects are one if they were
    /// measured on the same drives, imported under the same name, or stated to be.
    pub fn of(runs: &[RunContents], stated: &[SameSubject]) -> Result<MergedRuns> {
        are_known(runs, stated)?;
        let mut merged = MergedRuns::default();
        for (index, run) in runs.iter().enumerate() {
            let same = |other: &usize| is_same_test(&runs[*other], run, stated);
            let test = match (0..index).find(same) {
                Some(known) => merged.tests[RunKey(known)],
                None => TestKey(merged.tests.iter().map(|test| test.0 + 1).max().unwrap_or(0)),
            };
            merged.tests.push(test);
            // Of each test, a subject is one bundle's.
            let mut taken = HashSet::new();
            for subject in &run.run.plan.subjects {
                let found = merged.earlier_of((index, run), subject, runs, stated);
                if let Some(found) = found.filter(|found| taken.insert(found.clone())) {
                    merged.earlier.insert((index, subject.name.clone()), found);
                }
            }
        }
        Ok(merged)
    }

    /// The subject in an earlier bundle of another test with which this one is one.
    pub fn earlier(&self, run: usize, subject: &str) -> Option<&SubjectOfRun> {
        self.earlier.get(&(run, subject.to_string()))
    }

    fn earlier_of(
        &self,
        (index, run): (usize, &RunContents),
        subject: &Subject,
        runs: &[RunContents],
        stated: &[SameSubject],
    ) -> Option<SubjectOfRun> {
        let test = self.tests[RunKey(index)];
        for (at, other) in runs[..index].iter().enumerate() {
            if self.tests[RunKey(at)] == test {
                continue;
            }
            let found = other.run.plan.subjects.iter().find(|known| {
                is_same((other, known), (run, subject), stated)
                    && !self.has_part(runs, (at, &known.name), test)
            });
            if let Some(found) = found {
                // The first of a chain has the name.
                let root = (at, found.name.clone());
                return Some(self.earlier.get(&root).cloned().unwrap_or(root));
            }
        }
        None
    }

    /// Whether an earlier bundle of this test has the subject already.
    fn has_part(&self, runs: &[RunContents], (at, name): (usize, &str), test: TestKey) -> bool {
        let own = (at, name.to_string());
        let root = self.earlier.get(&own).unwrap_or(&own);
        let of_test = |(run, _): &SubjectOfRun| self.tests[RunKey(*run)] == test;
        let is_it = |(subject, first): (&SubjectOfRun, &SubjectOfRun)| {
            first == root && of_test(subject) && subject.0 < runs.len()
        };
        of_test(root) || self.earlier.iter().any(is_it)
    }
}

/// Names that no bundle has are an error.
fn are_known(runs: &[RunContents], stated: &[SameSubject]) -> Result<()> {
    let mut names = stated.iter().flat_map(|same| [&same.name, &same.other]);
    let has = |name: &String| {
        runs.iter().any(|run| run.run.plan.subjects.iter().any(|subject| subject.name == *name))
    };
    match names.find(|name| !has(name)) {
        None => Ok(()),
        Some(name) => Err(refused(
            format!("no bundle has a subject '{name}'"),
            "use the names that `dyno show` prints: --same \"NAME=OTHER NAME\"",
        )),
    }
}

fn is_same_test(a: &RunContents, b: &RunContents, stated: &[SameSubject]) -> bool {
    let (own, other) = (&a.run.plan, &b.run.plan);
    let steps: HashSet<&str> = step_names(own).collect();
    let common = step_names(other).any(|name| steps.contains(name));
    let repeated = || {
        own.subjects.iter().any(|s| other.subjects.iter().any(|t| is_same((a, s), (b, t), stated)))
    };
    common && (own.protocol.name == other.protocol.name || !repeated())
}

fn step_names(plan: &Plan) -> impl Iterator<Item = &str> {
    let own = plan.protocol.steps.iter().map(|step| step.name.as_str());
    own.chain(plan.imported.iter().flat_map(|run| &run.steps).map(|step| step.name.as_str()))
}

/// Whether two subjects of different bundles are one.
fn is_same(
    (a, own): (&RunContents, &Subject),
    (b, other): (&RunContents, &Subject),
    stated: &[SameSubject],
) -> bool {
    let is_stated = |same: &SameSubject| {
        let pair = (&same.name, &same.other);
        pair == (&own.name, &other.name) || pair == (&other.name, &own.name)
    };
    if stated.iter().any(is_stated) {
        return true;
    }
    match (a.run.plan.imported.is_some(), b.run.plan.imported.is_some()) {
        (true, true) => own.name == other.name,
        (false, false) => have_same_drives((a, own), (b, other)),
        // A published drive is another specimen.
        _ => false,
    }
}

/// Whether two subjects were measured on the same drives. Subjects that share a device within their
/// run are distinguished by their names.
fn have_same_drives(
    (a, own): (&RunContents, &Subject),
    (b, other): (&RunContents, &Subject),
) -> bool {
    let joint =
        |run: &RunContents| observed::all::<CommonStart>(&run.setup.observed).next().is_some();
    if joint(a) || joint(b) {
        return false;
    }
    let same = drives_of(a, own) == drives_of(b, other);
    let shared = |run: &RunContents, of: &Subject| {
        let alike = |s: &&Subject| drives_of(run, s) == drives_of(run, of);
        run.run.plan.subjects.iter().filter(alike).count() > 1
    };
    same && (own.name == other.name || !(shared(a, own) || shared(b, other)))
}

/// What identifies a drive.
#[derive(PartialEq, Eq)]
enum DriveIdentity<'r> {
    /// Its serial number and namespace, wherever it is connected.
    Serial(&'r str, &'r str),
    /// Its place on a host.
    Place(Option<&'r str>, &'r std::path::Path),
}

fn drives_of<'r>(run: &'r RunContents, subject: &'r Subject) -> Vec<DriveIdentity<'r>> {
    let setup = |number: usize| {
        let own = |d: &&DriveSetup| d.subject == subject.name && d.drive as usize == number;
        run.setup.drives.iter().find(own)
    };
    let identity = |(number, drive): (usize, &'r dyno_core::plan::Drive)| match &drive.place {
        DrivePlace::Device { serial, .. } => {
            let device = setup(number).and_then(|setup| setup.device.as_deref());
            DriveIdentity::Serial(serial, namespace(device.unwrap_or_default()))
        }
        DrivePlace::Directory(path) => DriveIdentity::Place(run.setup.host.name.as_deref(), path),
    };
    subject.drives.iter().enumerate().map(identity).collect()
}

/// The namespace of an NVMe device by its kernel name: "2" of nvme0n2; empty for other devices.
fn namespace(device: &str) -> &str {
    let number = device.strip_prefix("nvme").and_then(|rest| rest.split_once('n'));
    number.map_or("", |(_, namespace)| namespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_that_of_the_kernels_name() {
        assert_eq!(["nvme0n1", "nvme10n12", "sda", ""].map(namespace), ["1", "12", "", ""]);
    }
}
