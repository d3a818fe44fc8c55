//! Constructed differences between subjects, and their grades.

use super::*;
use crate::analysis::caveat::Caveat;
use crate::analysis::facts::{
    AxisPosition, DisclosureGroup, GroupOwner, PreparedFacts, ProtocolFacts, RunFacts, SetupFacts,
    SubjectFacts,
};
use crate::analysis::keys::{RunKey, StepKey, SubjectKey, TestKey, ValueKey};
use crate::analysis::limits::bottleneck::{Bottleneck, BottleneckVerdict};
use crate::analysis::limits::writes::CellWrites;
use crate::analysis::outliers::Outliers;
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::brief::text::condition_text::{condition, not_given as not_given_text, values};
use crate::language::Language;
use dyno_core::plan::model::headline::AxisPlace;
use dyno_core::plan::{LoopKind, Order, SteadyMetric, SteadyRule, Timing};
use dyno_core::record::setup::{HostSetup, WriteCacheState};
use dyno_core::record::{PreparationStep, Replayed, SteadyState, SteadyWindow};
use dyno_core::stats::estimate::from_repeats;
use dyno_core::stats::runs::trend::Drift;

/// A subject with drives of these setups.
pub fn subject(name: &str, run: usize, setups: Vec<DriveSetup>) -> SubjectFacts {
    let number = |(number, setup)| DriveSetup { subject: name.into(), drive: number, ..setup };
    SubjectFacts {
        name: name.to_string(),
        own_name: name.to_string(),
        run: RunKey(run),
        drives: setups.iter().map(|_| "/dev/nvme0n1".to_string()).collect(),
        setups: (0..).zip(setups).map(number).collect(),
        ..SubjectFacts::default()
    }
}

/// Subjects A and B of one run, with drives of these setups.
fn subjects(a: Vec<DriveSetup>, b: Vec<DriveSetup>) -> Facts {
    Facts {
        tests: vec![ProtocolFacts::default()].into(),
        setup: SetupFacts { runs: vec![run("ab.dyno")].into(), ..SetupFacts::default() },
        subjects: [subject("A", 0, a), subject("B", 0, b)].into_iter().collect(),
        ..Facts::default()
    }
}

/// Two drives with different block sizes and models, and the same firmware.
pub fn two_drives() -> Facts {
    let drive = |model: &str, logical_block_bytes: u64| DriveSetup {
        model: Some(model.into()),
        firmware: Some("1.0".into()),
        logical_block_bytes: Some(logical_block_bytes),
        ..DriveSetup::default()
    };
    subjects(vec![drive("Fast", 512)], vec![drive("Slow", 4096)])
}

/// Two subjects of one run without known differences: two points, each measured three times on
/// both.
pub fn two_alike() -> Facts {
    let value = |n: f64| AxisPosition { number: n, ..AxisPosition::of(None) };
    let at = |subject| [0, 1].map(|value| (subject, ValueKey(value)));
    let places = [0, 1].map(SubjectKey).into_iter().flat_map(at);
    let step = StepFacts {
        key: StepKey(0),
        test: TestKey(0),
        name: "read".into(),
        own_name: "read".into(),
        title: "Reads".into(),
        imported: false,
        axis: None,
        search: None,
        metrics: Vec::new(),
        headline_metric: Metric::total(PointFigure::Ops),
        headline_value: Some(ValueKey(1)),
        over_axis: Default::default(),
        headline: None,
        place: AxisPlace::Top,
        figures: Vec::new(),
        values: vec![value(1.0), value(2.0)].into(),
        class: None,
        loop_kind: Some(LoopKind::Closed),
        timing: Some(Timing::Service),
        instances: false,
        window_ns: Some(60_000_000_000),
        warmup_ns: Some(0),
        cells: places.clone().map(|(subject, value)| cell(subject, value)).collect(),
        lead: ValueKey(0),
        index: places.zip(0..).collect(),
    };
    let mut facts = subjects(vec![DriveSetup::default()], vec![DriveSetup::default()]);
    facts.measured.steps = [step].into_iter().collect();
    facts
}

/// The same, with writes that a host limited and submitted late.
pub fn late_writes() -> Facts {
    let mut facts = two_alike();
    for cell in &mut facts.measured.steps[StepKey(0)].cells {
        let repeats = vec![1.5, 1.6, 1.55];
        let amplification = Ok((from_repeats(&repeats, "").expect("three"), repeats));
        cell.caveats = vec![Caveat::Late(0.3)];
        cell.limit = Some(by_host());
        cell.writes = Some(CellWrites { repeats: Vec::new(), amplification, resolution: 0.0 });
    }
    facts
}

fn by_host() -> BottleneckVerdict {
    let limit = Bottleneck::Cpu;
    BottleneckVerdict { limit, evidence: Vec::new(), remedy: None, repeats: None }
}

fn cell(subject: SubjectKey, value: ValueKey) -> CellFacts {
    CellFacts {
        subject,
        value,
        repeats: vec![1, 2, 3],
        places: vec![None; 3],
        sessions: vec![subject.0 as u32 + 1; 3],
        run: RunKey(0),
        total: None,
        streams: Vec::new(),
        drives: Vec::new(),
        instances: Vec::new(),
        servers: Vec::new(),
        drift: Drift::Steady,
        power: Vec::new(),
        writes: None,
        cost: Default::default(),
        holds: None,
        limit: None,
        processors: None,
        outliers: Outliers::default(),
        slow_commands: Vec::new(),
        errors: Default::default(),
        caveats: Vec::new(),
        watts_over_time: Vec::new(),
        celsius_over_time: Vec::new(),
        over_time: Vec::new(),
        replay: Default::default(),
        accelerators: Vec::new(),
        searches: Vec::new(),
    }
}

/// A difference in test conditions that is added to facts without differences: its name, and the
/// expected text.
pub struct Unlike {
    /// The expected difference or condition.
    pub what: &'static str,
    /// Its subject.
    pub values: &'static str,
    /// Adds the difference to the facts.
    pub put: fn(&mut Facts),
}

/// Differences that only the run itself shows.
pub const UNLIKE: [Unlike; 6] = [
    Unlike {
        what: "Shared device",
        values: "A and B: nvme0n1",
        put: |facts| {
            let row = ("Shared by subjects".to_string(), "A and B: nvme0n1".to_string());
            facts.setup.disclosure.push(DisclosureGroup {
                owner: GroupOwner::Run(RunKey(0)),
                name: "Physical devices".into(),
                rows: vec![row],
            });
        },
    },
    Unlike {
        what: "Shared device",
        values: "the plan permits a shared device",
        put: |facts| facts.setup.runs[RunKey(0)].shares_device = true,
    },
    Unlike {
        what: "Steady state before the points",
        values: "steady (A), not steady: excursion 151.7 % (B)",
        put: |facts| {
            facts.setup.prepared.extend([
                prepared(SubjectKey(0), until_steady(0.08)),
                prepared(SubjectKey(1), until_steady(1.517)),
            ]);
        },
    },
    Unlike {
        what: "Missing repeats",
        values: "0 of 6 (A), 2 of 6 (B)",
        put: |facts| facts.measured.steps[StepKey(0)].cells[3].repeats.truncate(1),
    },
    Unlike {
        what: "Points that drifted",
        values: "1 of 2 (A), 0 of 2 (B)",
        put: |facts| {
            facts.measured.steps[StepKey(0)].cells[0].drift = Drift::Drifted { percent: -50.0 }
        },
    },
    Unlike {
        what: "Points not limited by the drive",
        values: "0 of 2 (A), 2 of 2 (B)",
        put: |facts| {
            let of_b = facts.measured.steps[StepKey(0)]
                .cells
                .iter_mut()
                .filter(|cell| cell.subject == SubjectKey(1));
            of_b.for_each(|cell| cell.limit = Some(by_host()));
        },
    },
];

/// A drive that was prepared until its rounds were within 20 %, and their results.
fn until_steady(excursion: f64) -> PreparationStep {
    let steady = SteadyState {
        metric: SteadyMetric::Iops,
        round_ns: 60_000_000_000,
        rule: SteadyRule { window: 5, excursion: 0.2, slope: 0.1 },
        rounds: vec![1.0; 5],
        window: Some(SteadyWindow {
            first_round: 1,
            values: vec![1.0; 5],
            mean: 1.0,
            excursion,
            slope_per_round: 0.0,
            intercept: 1.0,
            slope: 0.0,
            steady: excursion <= 0.2,
        }),
    };
    PreparationStep {
        subject: String::new(),
        drive: 0,
        action: "steady state".into(),
        asked: String::new(),
        outcome: String::new(),
        filesystem_uuid: None,
        steady: Some(steady),
        ended_unix_ns: 0,
    }
}

#[test]
fn what_only_the_run_shows_is_a_difference_in_conditions() {
    assert_eq!(differences(&two_alike()), []);
    for unlike in UNLIKE {
        let mut facts = two_alike();
        (unlike.put)(&mut facts);
        let (what, values) = (unlike.what.to_string(), unlike.values.to_string());
        assert_eq!(rows(&differences(&facts)), [(Grade::Confounder, what, values)]);
    }
}

#[test]
fn what_holds_for_both_alike_is_stated_too() {
    let mut facts = two_alike();
    facts
        .setup
        .prepared
        .extend([0, 1].map(|subject| prepared(SubjectKey(subject), until_steady(0.9))));
    facts.measured.steps[StepKey(0)]
        .cells
        .iter_mut()
        .for_each(|c| c.drift = Drift::Drifted { percent: 9.0 });
    let found = rows(&differences(&facts));
    assert_eq!(found[0].2, "not steady: excursion 90.0 % (A), not steady: excursion 90.0 % (B)");
    assert_eq!(found[1].2, "2 of 2 (A), 2 of 2 (B)");
    // No repeats are missing from a plan that permits fewer; from an interrupted one, those of both
    // are.
    let mut cut = two_alike();
    cut.setup.runs[RunKey(0)].repeats = 5;
    let asked = serde_json::json!({
        "name": "read", "title": "Reads", "warmup_ns": 0, "duration_ns": 60_000_000_000_u64,
        "drop_caches": false, "settle": false, "sweep": null, "streams": [],
    });
    cut.setup.runs[RunKey(0)]
        .resolved
        .protocol
        .steps
        .push(serde_json::from_value(asked).expect("a step"));
    assert_eq!(rows(&differences(&cut))[0].2, "4 of 10 (A), 4 of 10 (B)");
    cut.setup.runs[RunKey(0)].until_percent = Some(2.0);
    assert_eq!(differences(&cut), []);
}

#[test]
fn of_imported_figures_no_order_is_stated_and_it_is_unknown() {
    let said = |facts: &Facts| -> Vec<String> {
        unknown(&facts.subjects, &facts.measured, &facts.setup)
            .into_iter()
            .map(|what| not_given_text(Language::ENGLISH, what))
            .collect()
    };
    let mut facts = two_alike();
    assert_eq!(said(&facts), [""; 0]);
    facts.setup.runs[RunKey(0)].order = Order::NotGiven;
    facts.setup.runs[RunKey(0)].resolved.imported = Some(Default::default());
    let step = &mut facts.measured.steps[StepKey(0)];
    (step.window_ns, step.warmup_ns, step.loop_kind) = (None, None, None);
    assert_eq!(differences(&facts), []);
    let found = said(&facts);
    assert_eq!(found[0], "order of measurement");
    for what in ["closed or open loop", "warm-up", "preconditioning", "host"] {
        assert!(found.iter().any(|own| own == what), "{what} is not in {found:?}");
    }
    facts.setup.runs[RunKey(0)].order = Order::Blocked;
    assert_eq!(rows(&differences(&facts))[0].1, "Measured one subject after the other");
}

fn prepared(subject: SubjectKey, step: PreparationStep) -> PreparedFacts {
    PreparedFacts { test: TestKey(0), subject, step }
}

fn run(file: &str) -> RunFacts {
    let plan = serde_json::json!({
        "protocol": {
            "name": "", "title": "", "source": "", "datasets": [], "prepare": [], "steps": [],
        },
        "subjects": [], "repeats": 3, "order": "interleaved", "seed": 1,
    });
    RunFacts {
        file: file.into(),
        test: TestKey(0),
        started_unix_ns: 0,
        dyno_version: String::new(),
        repeats: 3,
        until_percent: None,
        order: Order::Interleaved,
        plan: String::new(),
        shares_device: false,
        host: HostSetup::default(),
        self_tests: Vec::new(),
        pacing_floor: None,
        resolved: serde_json::from_value(plan).expect("a plan"),
    }
}

/// The differences as printed.
fn rows(differences: &[Difference]) -> Vec<(Grade, String, String)> {
    let (l, subjects) = (Language::ENGLISH, two_drives().subjects);
    let row = |d: &Difference| (d.grade, condition(l, &d.what), values(l, &subjects, d));
    differences.iter().map(row).collect()
}

#[test]
fn another_block_size_disqualifies_and_another_model_is_what_is_compared() {
    let found = differences(&two_drives());
    let (what, values) = ("Drive: Logical block size", "512 bytes (A), 4096 bytes (B)");
    assert_eq!(rows(&found), [(Grade::Disqualifying, what.into(), values.into())]);
}

/// Options of RocksDB that a subject has in a step.
fn options(subject: usize, step: &str, value: &str) -> DisclosureGroup {
    DisclosureGroup {
        owner: GroupOwner::Step(SubjectKey(subject), step.into()),
        name: "RocksDB".into(),
        rows: vec![("Options".into(), value.into())],
    }
}

#[test]
fn only_the_settings_that_differ_are_named_and_a_step_is_held_against_the_same_step() {
    let mut unlike = two_alike();
    unlike.setup.disclosure =
        vec![options(0, "read", "a=1 b=2 c=3"), options(1, "read", "a=1 b=4 c=3")];
    let found = barred(&unlike);
    assert_eq!((found[0].pair, found[0].step), ((SubjectKey(0), SubjectKey(1)), None));
    let (what, values) = ("RocksDB: Options", "b=2 (A), b=4 (B)");
    let row = (Grade::Disqualifying, what.into(), values.into());
    assert_eq!(rows(&found[0].differences), [row]);
    let mut alike = two_alike();
    alike.setup.disclosure = vec![
        options(0, "read", "a=1"),
        options(1, "read", "a=1"),
        options(0, "write", "a=2"),
        options(1, "write", "a=2"),
    ];
    assert_eq!(differences(&alike), []);
}

#[test]
fn facts_of_runs_belong_to_the_subjects_of_those_runs() {
    let of_cpu = |file: &str, model: &str| {
        let host = HostSetup { cpu_model: Some(model.into()), ..HostSetup::default() };
        RunFacts { host, ..run(file) }
    };
    let mut facts = two_alike();
    facts.setup.runs = vec![of_cpu("a.dyno", "fast"), of_cpu("b.dyno", "slow")].into();
    facts.subjects[SubjectKey(1)].run = RunKey(1);
    let found = differences(&facts);
    let rows = rows(&found);
    let (what, values) = ("CPU: Model", "fast (A), slow (B)");
    assert_eq!(rows[0], (Grade::Disqualifying, what.into(), values.into()));
    assert_eq!(rows[1].1, "Measured in separate runs");
}

#[test]
fn a_write_cache_that_is_on_and_one_that_is_off_are_not_compared_and_none_is_a_drives_nature() {
    use WriteCacheState::{Absent, Off, On};
    let cached = |state| DriveSetup { volatile_cache: vec![state], ..DriveSetup::default() };
    let barred_with = |a, b| barred(&subjects(vec![cached(a)], vec![cached(b)])).len();
    assert_eq!([barred_with(On, Off), barred_with(On, On)], [1, 0]);
    assert_eq!([barred_with(On, Absent), barred_with(Absent, Off)], [0, 0]);
    // One that was changed by someone during the run.
    let changed = DriveSetup { volatile_cache_after: vec![Off], ..cached(On) };
    let facts = subjects(vec![cached(On)], vec![changed]);
    assert_eq!(rows(&barred(&facts)[0].differences)[0].2, "on (A, B), off (B)");
}

#[test]
fn drives_of_one_model_with_other_firmware_or_fill_are_doubted_and_other_preparation_disqualifies()
{
    let firmware = |models: [&str; 2]| {
        let drive = |model: &str, firmware: &str| DriveSetup {
            model: Some(model.into()),
            firmware: Some(firmware.into()),
            ..DriveSetup::default()
        };
        let [a, b] = models;
        differences(&subjects(vec![drive(a, "1")], vec![drive(b, "2")]))[0].grade
    };
    assert_eq!([firmware(["M", "M"]), firmware(["M", "N"])], [Grade::Confounder, Grade::Harmless]);
    let full = |share| DriveSetup { filled_share: Some(share), ..DriveSetup::default() };
    let filled = |b| differences(&subjects(vec![full(0.4)], vec![full(b)]));
    assert_eq!((filled(0.43).len(), &*rows(&filled(0.6))[0].2), (0, "40 % (A), 60 % (B)"));
    let mut facts = two_alike();
    facts.setup.prepared.push(prepared(
        SubjectKey(0),
        PreparationStep {
            subject: "A".into(),
            drive: 0,
            action: "purge: format".into(),
            asked: String::new(),
            outcome: String::new(),
            filesystem_uuid: None,
            steady: None,
            ended_unix_ns: 0,
        },
    ));
    let why = &rows(&barred(&facts)[0].differences)[0];
    assert_eq!((&*why.1, &*why.2), ("Preparation", "purge: format (A), nothing (B)"));
}

#[test]
fn recorded_loads_with_other_requests_are_not_compared_in_their_step_only() {
    let mut facts = two_alike();
    let of = |cell: &mut CellFacts, checksum: u64| {
        let (stream, file) = ("io".to_string(), "day.csv".to_string());
        cell.replay.recorded = vec![Replayed { stream, file, checksum, ..Replayed::default() }];
    };
    facts.measured.steps[StepKey(0)]
        .cells
        .iter_mut()
        .for_each(|cell| of(cell, 7 + cell.value.0 as u64));
    // Windows of one trace have their own requests at each value, and are alike.
    assert_eq!((barred(&facts), differences(&facts)), (Vec::new(), Vec::new()));
    of(&mut facts.measured.steps[StepKey(0)].cells[3], 0xABC);
    let found = barred(&facts);
    assert_eq!(
        (found.len(), found[0].pair, found[0].step),
        (1, (SubjectKey(0), SubjectKey(1)), Some(StepKey(0)))
    );
    let values = "day.csv, XXH3 0000000000000008 (A), day.csv, XXH3 0000000000000abc (B)";
    let row = (Grade::Disqualifying, "Recorded load, Reads".to_string(), values.to_string());
    assert_eq!(rows(&found[0].differences), std::slice::from_ref(&row));
    assert_eq!(rows(&differences(&facts)), [row]);
}

/// A drive with the settings that are compared.
fn set_up(filesystem: &str, scheduler: &str, requests: &str, cache: WriteCacheState) -> DriveSetup {
    let queue = [("nr_requests", requests), ("read_ahead_kb", "128")];
    DriveSetup {
        filesystem: Some(filesystem.into()),
        mount_options: Some(format!("rw,{filesystem}")),
        scheduler: Some(scheduler.into()),
        queue: queue.map(|(name, value)| (name.to_string(), value.to_string())).to_vec(),
        volatile_cache: vec![cache],
        ..DriveSetup::default()
    }
}

#[test]
fn groups_of_unequal_size_differ_in_their_drives_settings_like_single_drives() {
    use WriteCacheState::{Off, On};
    let ext4 = set_up("ext4", "none", "1023", On);
    let xfs = set_up("xfs", "mq-deadline", "256", Off);
    let expected = [
        ("Drive: Volatile write cache", "on (A), off (B)"),
        ("Drive: Filesystem", "ext4 (A), xfs (B)"),
        ("Drive: Mount options", "rw,ext4 (A), rw,xfs (B)"),
        ("Drive: Scheduler", "none (A), mq-deadline (B)"),
        ("Drive: Queue", "nr_requests=1023 (A), nr_requests=256 (B)"),
    ];
    let expected: Vec<(String, String)> =
        expected.map(|(what, values)| (what.to_string(), values.to_string())).into();
    for (many, few) in [(1, 1), (2, 1), (3, 2)] {
        let facts = subjects(vec![ext4.clone(); many], vec![xfs.clone(); few]);
        let found = rows(&differences(&facts));
        let (counts, settings): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(_, what, _)| what == "Number of drives");
        let settings: Vec<(String, String)> =
            settings.into_iter().map(|(_, what, values)| (what, values)).collect();
        assert_eq!(settings, expected, "{many} against {few}");
        let counts: Vec<String> = counts.into_iter().map(|(_, _, values)| values).collect();
        match (many, few) {
            (1, 1) => assert_eq!(counts, [""; 0]),
            (2, 1) => assert_eq!(counts, ["2 drives (A), 1 drive (B)"]),
            _ => assert_eq!(counts, ["3 drives (A), 2 drives (B)"]),
        }
        assert_eq!(barred(&facts).len(), 1, "the write caches");
    }
}

#[test]
fn sets_of_settings_are_compared_whatever_the_number_and_the_order_of_the_drives() {
    let on = |filesystem: &str| DriveSetup {
        filesystem: Some(filesystem.into()),
        ..DriveSetup::default()
    };
    let found = |a: &[&str], b: &[&str]| -> Vec<String> {
        let [a, b] = [a, b].map(|all| all.iter().map(|name| on(name)).collect::<Vec<_>>());
        let found = rows(&differences(&subjects(a, b)));
        let found = found.into_iter().filter(|(_, what, _)| what == "Drive: Filesystem");
        found.map(|(.., values)| values).collect()
    };
    assert_eq!(found(&["ext4", "xfs"], &["xfs", "ext4"]), [""; 0]);
    assert_eq!(found(&["ext4", "ext4"], &["ext4"]), [""; 0]);
    assert_eq!(found(&["ext4", "xfs"], &["ext4"]), ["ext4 (A, B), xfs (A)"]);
    assert_eq!(found(&["ext4"], &["xfs", "ext4"]), ["ext4 (A, B), xfs (B)"]);
}
