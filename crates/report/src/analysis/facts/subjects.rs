//! The subjects of a report, in one list.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};

use crate::analysis::keys::{DriveKey, Keyed, RunKey, SubjectKey, TestKey};
use dyno_core::plan::OwnKnob;
use dyno_core::record::setup::DriveSetup;

/// Maximum number of subjects whose pairs are all compared.
const MOST_SUBJECTS: usize = 24;

/// One subject.
#[derive(Clone, Debug, Default)]
pub struct SubjectFacts {
    /// Its name in the report.
    pub name: String,
    /// Its name in its own run.
    pub own_name: String,
    /// Its run; if it was measured in several bundles, the first of them, with the same test and
    /// host.
    pub run: RunKey,
    /// All of its runs of this test.
    pub runs: Vec<RunKey>,
    /// The name of its host, if known.
    pub host: Option<String>,
    /// The test of these runs: its first one.
    pub test: TestKey,
    /// The same subject in each of its other tests, under the same name.
    pub elsewhere: Vec<SubjectFacts>,
    /// Its drives, with their names in the plan.
    pub drives: Keyed<DriveKey, String>,
    /// The setups of its drives, if they were stored, in the same order.
    pub setups: Vec<DriveSetup>,
    /// The size of one drive, bytes: as stated, or as read by the host.
    pub capacity_bytes: Option<f64>,
    /// Knobs that the plan sets only for this subject.
    pub knobs: Vec<OwnKnob>,
}

impl SubjectFacts {
    /// The setup of one of its drives, by number from 0.
    pub fn setup_of(&self, drive: u32) -> Option<&DriveSetup> {
        self.setups.iter().find(|setup| setup.drive == drive)
    }

    /// The subject as it was in a test; None if it has no part in it.
    pub fn in_test(&self, test: TestKey) -> Option<&SubjectFacts> {
        [self].into_iter().chain(&self.elsewhere).find(|own| own.test == test)
    }

    /// The number of its drives, at least 1.
    pub fn drive_count(&self) -> usize {
        self.drives.len().max(1)
    }
}

/// The subjects, in the order of the plans.
#[derive(Clone, Debug, Default)]
pub struct Subjects {
    all: Keyed<SubjectKey, SubjectFacts>,
    /// The brief's subject, with which tables compare the others: the first, or the one named by
    /// brief.toml.
    pub headline: SubjectKey,
}

impl Subjects {
    /// Whether models are compared instead of pairs: there are so many that their pairs'
    /// simultaneous intervals would show nothing, or drives moved between hosts, and would be
    /// compared with themselves.
    pub fn are_a_fleet(&self) -> bool {
        self.len() > MOST_SUBJECTS || self.drives_moved()
    }

    /// Whether two drives were each measured on two hosts or more.
    fn drives_moved(&self) -> bool {
        let mut hosts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for subject in self.iter() {
            if let ([DriveSetup { serial: Some(serial), .. }], Some(host)) =
                (&subject.setups[..], &subject.host)
            {
                hosts.entry(serial).or_default().insert(host);
            }
        }
        hosts.values().filter(|hosts| hosts.len() > 1).count() > 1
    }

    /// All names, in order.
    pub fn names(&self) -> Vec<String> {
        self.iter().map(|subject| subject.name.clone()).collect()
    }

    /// The subject with this name in the report.
    pub fn named(&self, name: &str) -> Option<SubjectKey> {
        self.position(|subject| subject.name == name)
    }

    /// The subjects with this name in their plans: each of several bundles may have one.
    pub fn of_plans(&self, name: &str) -> impl Iterator<Item = &SubjectFacts> {
        self.iter().filter(move |subject| subject.own_name == name)
    }

    /// The subjects as they were in a test; one that has no part in it remains as it is.
    pub fn in_test(&self, test: TestKey) -> Subjects {
        let of = |subject: &SubjectFacts| subject.in_test(test).unwrap_or(subject).clone();
        Subjects { all: self.iter().map(of).collect(), headline: self.headline }
    }

    /// The subjects that have a part in a test.
    pub fn of_test(&self, test: TestKey) -> impl Iterator<Item = SubjectKey> + '_ {
        self.keys().filter(move |subject| self[*subject].in_test(test).is_some())
    }

    /// The subjects with which the brief's subject is compared.
    pub fn rivals(&self) -> impl Iterator<Item = SubjectKey> + Clone + use<> {
        let own = self.headline;
        self.keys().filter(move |subject| *subject != own)
    }

    /// Every pair of subjects once, the lower key first.
    pub fn pairs(&self) -> impl Iterator<Item = (SubjectKey, SubjectKey)> + use<> {
        let all = 0..self.len();
        all.flat_map(|b| (0..b).map(move |a| (SubjectKey(a), SubjectKey(b))))
    }
}

impl Deref for Subjects {
    type Target = Keyed<SubjectKey, SubjectFacts>;

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl DerefMut for Subjects {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.all
    }
}

impl FromIterator<SubjectFacts> for Subjects {
    fn from_iter<I: IntoIterator<Item = SubjectFacts>>(all: I) -> Subjects {
        Subjects { all: Keyed::from_iter(all), headline: SubjectKey::default() }
    }
}
