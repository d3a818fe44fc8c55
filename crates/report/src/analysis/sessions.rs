//! Bundles of one subject as its sessions: which subjects of several bundles are one, and the order
//! of their sessions in time.

use std::collections::{BTreeSet, HashMap};

use dyno_core::plan::{Order, Plan};
use dyno_core::record::setup::DriveSetup;
use dyno_core::record::{CommonStart, RunContents, observed};

/// Numbers of sessions within a run are below this.
const RUN: u32 = 1 << 20;

/// The subjects of several bundles that are one, and the order of the bundles.
#[derive(Debug, Default)]
pub struct JoinedRuns {
    /// For the index of a run and a subject's name, the earlier run with the same subject, and the
    /// number of repeats in the runs in between, that one included.
    earlier: HashMap<(usize, String), (usize, u32)>,
    /// The place of each run by its start.
    ranks: Vec<u32>,
}

impl JoinedRuns {
    /// Joins nothing.
    pub fn apart(runs: &[RunContents]) -> JoinedRuns {
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|run| (runs[*run].run.started_unix_ns, *run));
        let mut ranks = vec![0; runs.len()];
        order.iter().enumerate().for_each(|(rank, run)| ranks[*run] = rank as u32);
        JoinedRuns { earlier: HashMap::new(), ranks }
    }

    /// Joins subjects of the same name, drives, test and host that did not alternate with others,
    /// if there are at least two of them: of one alone, its bundles are what is compared.
    pub fn of(runs: &[RunContents]) -> JoinedRuns {
        let mut joined = JoinedRuns::apart(runs);
        let may = |run: &&RunContents| is_in_sessions(run);
        let names = runs.iter().filter(may).flat_map(|run| &run.run.plan.subjects);
        if names.map(|subject| &subject.name).collect::<BTreeSet<_>>().len() < 2 {
            return joined;
        }
        for (index, run) in runs.iter().enumerate().filter(|(_, run)| is_in_sessions(run)) {
            for subject in &run.run.plan.subjects {
                let before = runs[..index].iter().enumerate().filter(|(_, other)| {
                    is_in_sessions(other)
                        && is_same_test(run, other)
                        && is_same_subject(&subject.name, run, other)
                });
                let before: Vec<(usize, u32)> =
                    before.map(|(other, of)| (other, of.run.plan.repeats)).collect();
                if let Some((first, _)) = before.first() {
                    let repeats = before.iter().map(|(_, repeats)| repeats).sum();
                    joined.earlier.insert((index, subject.name.clone()), (*first, repeats));
                }
            }
        }
        joined
    }

    /// The first run with the same subject, and the number of repeats in it and later ones.
    pub fn earlier(&self, run: usize, subject: &str) -> Option<(usize, u32)> {
        self.earlier.get(&(run, subject.to_string())).copied()
    }

    /// A session of a run as a number that is unique among all runs, and ascends with time.
    pub fn session(&self, run: usize, session: u32) -> u32 {
        self.ranks[run] * RUN + session
    }
}

/// Whether no subject of a run alternated with another, and Dyno measured it by itself.
fn is_in_sessions(run: &RunContents) -> bool {
    let plan = &run.run.plan;
    let apart = plan.order != Order::Interleaved || plan.subjects.len() == 1;
    apart
        && plan.imported.is_none()
        && observed::all::<CommonStart>(&run.setup.observed).next().is_none()
}

fn is_same_test(a: &RunContents, b: &RunContents) -> bool {
    let test = |plan: &Plan| {
        (plan.protocol.clone(), plan.method, plan.meters.clone(), plan.unwatched, plan.until)
    };
    a.setup.host == b.setup.host && test(&a.run.plan) == test(&b.run.plan)
}

/// Whether both runs have a subject of this name, on the same drives.
fn is_same_subject(name: &str, a: &RunContents, b: &RunContents) -> bool {
    let own = |run: &RunContents| {
        let subject = run.run.plan.subjects.iter().find(|subject| subject.name == name);
        let drives = run.setup.drives.iter().filter(|drive| drive.subject == name);
        let identity = |d: &DriveSetup| {
            (d.drive, d.model.clone(), d.serial.clone(), d.firmware.clone(), d.capacity_bytes)
        };
        subject.map(|subject| (subject.clone(), drives.map(identity).collect::<Vec<_>>()))
    };
    own(a).is_some() && own(a) == own(b)
}
