//! The reasons why a cell supports no claim, as types. "Not limited by the drive" is one of them,
//! but rules out only one direction: see `compare`.

pub use crate::analysis::caveat::Caveat;
use crate::analysis::facts::{
    CellFacts, Facts, SetupFacts, StepDurability, StepFacts, SubjectFacts,
};
use crate::analysis::keys::{SubjectKey, TestKey};
use crate::analysis::limits::bottleneck::BottleneckVerdict;
use crate::analysis::points::point_summary::{P99, RATE_KEPT, RepeatSummary};
use dyno_core::plan::Stream;
use dyno_core::record::setup::{DriveSetup, WriteCacheState};
use dyno_core::stats::Estimate;
use dyno_core::stats::family::FEWEST;
use dyno_core::stats::runs::trend::Drift;

/// From this share of late ops on, an open loop's response times are affected by the generator: p99
/// is the latency that one op in a hundred exceeds.
const LATE: f64 = 0.01;

/// The kernel's setting (`queue/write_cache`) with which it sends neither flushes nor FUA.
const THROUGH: &str = "write through";

/// Maximum difference between the rate times the mean latency and the number of ops in flight. In a
/// window with many times as many ops as are in flight, rounding alone makes them differ.
const LITTLES_LAW: f64 = 0.02;

impl CellFacts {
    /// Whether it rules out any claim.
    pub fn is_barred(&self) -> bool {
        self.caveats.iter().any(Caveat::bars)
    }

    /// The bottleneck, if known not to be the drive.
    pub fn not_the_drive(&self) -> Option<&BottleneckVerdict> {
        self.limit.as_ref().filter(|v| v.limit.bars_ranking())
    }
}

/// Adds every cell's caveats.
pub fn note(facts: &mut Facts) {
    let unsteady: Vec<Vec<bool>> = facts
        .tests
        .keys()
        .map(|test| facts.subjects.keys().map(|s| unsteady(&facts.setup, test, s)).collect())
        .collect();
    let failed = |step: &StepFacts, cell: &CellFacts| {
        let at = &step.values[cell.value].label;
        facts
            .measured
            .failures
            .iter()
            .filter(|f| f.subject == cell.subject && f.step == step.title && f.at == *at)
            .count()
    };
    let no_flush: Vec<Vec<bool>> = facts
        .tests
        .keys()
        .map(|test| facts.subjects.iter().map(|s| no_flush(facts, s.in_test(test))).collect())
        .collect();
    let is_undurable = |step: &StepFacts, c: &CellFacts| {
        no_flush[step.test.0][c.subject.0] && is_durable(&facts.setup, step)
    };
    let imported = |c: &CellFacts| facts.setup.runs[c.run].is_imported();
    let all: Vec<Vec<Vec<Caveat>>> = facts
        .measured
        .steps
        .iter()
        .map(|step| {
            let known =
                |c: &CellFacts| (failed(step, c), unsteady[step.test.0][c.subject.0], imported(c));
            let undurable = |c: &CellFacts| is_undurable(step, c).then_some(Caveat::NoFlush);
            let all = |c: &CellFacts| of(c, known(c)).into_iter().chain(undurable(c)).collect();
            step.cells.iter().map(all).collect()
        })
        .collect();
    for (step, caveats) in facts.measured.steps.iter_mut().zip(all) {
        step.cells.iter_mut().zip(caveats).for_each(|(cell, own)| cell.caveats = own);
    }
}

fn of(cell: &CellFacts, (failed, unsteady, imported): (usize, bool, bool)) -> Vec<Caveat> {
    let Some(total) = &cell.total else { return vec![Caveat::NotMeasured] };
    let mut all = Vec::new();
    if failed > 0 {
        all.push(Caveat::Failed(failed));
    }
    if unsteady {
        all.push(Caveat::NotSteady);
    }
    all.extend(of_load(total));
    for (name, _, stream) in cell.streams.iter().filter(|(_, headline, _)| !headline) {
        let missed = stream.achieved().filter(|share| *share < RATE_KEPT);
        all.extend(missed.map(|share| Caveat::BackgroundMissedRate(name.clone(), share)));
    }
    match cell.repeats.len() {
        n if n >= FEWEST => {}
        n if imported => all.push(Caveat::FewFigures(n)),
        n => all.push(Caveat::FewRepeats(n)),
    }
    all.extend(cell.not_the_drive().cloned().map(Caveat::NotTheDrive));
    all.shrink_to_fit();
    all
}

/// Reasons why a load was not the specified one, or has no level.
pub fn of_load(load: &RepeatSummary) -> Vec<Caveat> {
    let mut all = Vec::new();
    if let Drift::Drifted { percent } = load.drift {
        all.push(Caveat::Drifted(percent));
    }
    all.extend(load.achieved().filter(|share| *share < RATE_KEPT).map(Caveat::MissedRate));
    let late = load.late_share();
    if load.asked.is_some() && late >= LATE && lateness_shows(load) {
        all.push(Caveat::Late(late));
    }
    let off = load.littles_law.filter(|share| (share - 1.0).abs() > LITTLES_LAW);
    all.extend(off.map(Caveat::LittlesLaw));
    all
}

/// Whether the lateness of ops is a part of what was measured: of the mean or the 99th percentile
/// of a class. 100 µs are irrelevant beside blocks that take 300 ms.
fn lateness_shows(load: &RepeatSummary) -> bool {
    let shows = |response: Option<&Estimate>, service: Option<&Estimate>| {
        let both = response.zip(service).filter(|(all, _)| all.value > 0.0);
        both.is_none_or(|(all, own)| (all.value - own.value) / all.value >= LATE)
    };
    load.classes.iter().any(|class| {
        let (all, own) = (class.user_latency(), &class.service);
        shows(all.mean_ns.as_ref(), own.mean_ns.as_ref())
            || shows(all.percentiles_ns[P99].as_ref(), own.percentiles_ns[P99].as_ref())
    })
}

/// Whether a drive of the subject reports a volatile write cache that is on, while the kernel takes
/// it for one without. A preparation that switches the cache sets both.
fn no_flush(facts: &Facts, in_test: Option<&SubjectFacts>) -> bool {
    let Some(own) = in_test else { return false };
    let switched = &facts.setup.run_of(own).resolved.protocol.preparation.write_cache;
    let is_contradictory = |drive: &DriveSetup| {
        drive.write_cache.as_deref() == Some(THROUGH)
            && drive.volatile_cache.contains(&WriteCacheState::On)
    };
    switched.is_none() && own.setups.iter().any(is_contradictory)
}

/// Whether a stream of the step writes durably, as far as its load determines that.
fn is_durable(setup: &SetupFacts, step: &StepFacts) -> bool {
    let is_durable = |durability: StepDurability| durability != StepDurability::None;
    let of_stream = |stream: &Stream| StepDurability::of(stream).is_some_and(is_durable);
    setup.planned(step).is_some_and(|step| step.streams.iter().any(of_stream))
}

/// Whether a drive of the subject was prepared until steady for a test, but the last attempt was
/// not.
pub fn unsteady(setup: &SetupFacts, test: TestKey, subject: SubjectKey) -> bool {
    let own = || {
        let all = setup.prepared_for(test, subject);
        all.filter_map(|p| Some((p.drive, p.steady.as_ref()?)))
    };
    own().any(|(drive, _)| {
        own().rfind(|(d, _)| *d == drive).is_some_and(|(_, state)| !state.reached())
    })
}
