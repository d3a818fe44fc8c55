//! The rate of false claims in briefs, and of detected true differences: simulated briefs through
//! `stats::family::family`, the source of every claim. Quick by default; with DYNO_SOAK=1 a
//! thousand briefs for each setting, with the figures in docs/claims.md.

use std::cmp::Ordering;

use dyno::base::rng::{Rng, Seed};
use dyno::stats::detectable::{PlannedBrief, detectable};
use dyno::stats::family::{Observation, Ratio, Sheet, family};
use dyno::stats::level::level;

/// How run-to-run scatter differs between points.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Equal,
    /// From a third to three times the scatter.
    Unequal,
    /// Student's t with 3 degrees of freedom, of the same variance.
    Heavy,
    /// One run in twenty scatters ten times as much.
    Outliers,
}

/// When the subjects are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    /// In balanced turns.
    Turns,
    /// Each in one session of its own.
    Apart,
    /// One after the other, and the first one again after the last, which halves its repeats.
    Returned,
    /// Each in this many sessions, with all repeats in each of them.
    Sessions(usize),
}

/// The parameters of a brief. `Default` is the simplest.
#[derive(Clone, Copy, Debug)]
struct Setting {
    subjects: usize,
    repeats: usize,
    steps: usize,
    scatter: f64,
    shape: Shape,
    /// The effect of each further place in a repeat's order.
    place: f64,
    /// A bucket of the histogram of p99.
    bucket: f64,
    /// The factor by which the first subject scatters more.
    noisy: f64,
    /// The effect of each further measured point, whichever it is.
    drift: f64,
    /// The true gain of the first subject.
    gain: f64,
    /// How many of a step's repeats fail.
    failed: f64,
    order: Order,
    /// The effect of each session in units of the scatter.
    session: f64,
    /// The correlation of a subject's consecutive measurements.
    kept: f64,
    /// The effect of each repeat on each subject in units of the scatter, common to its points.
    lasting: f64,
    points: usize,
    /// A point is repeated until half the width of its levels' intervals is within this.
    until: f64,
}

const PLAIN: Setting = Setting {
    subjects: 2,
    repeats: 5,
    steps: 1,
    scatter: 0.01,
    shape: Shape::Equal,
    place: 0.0,
    bucket: 0.0,
    noisy: 1.0,
    drift: 0.0,
    gain: 0.0,
    failed: 0.0,
    order: Order::Turns,
    session: 0.0,
    kept: 0.0,
    lasting: 0.0,
    points: 10,
    until: 0.0,
};

fn soak() -> bool {
    std::env::var_os("DYNO_SOAK").is_some_and(|v| v == "1")
}

/// An unoptimised build is twenty times as slow, and runs a fourth.
fn briefs(quick: u64) -> u64 {
    match (soak(), cfg!(debug_assertions)) {
        (true, _) => 1_000,
        (false, true) => quick / 4,
        (false, false) => quick,
    }
}

/// Of variance 1, except for outliers.
fn draw(rng: &mut Rng, shape: Shape) -> f64 {
    match shape {
        Shape::Equal | Shape::Unequal => rng.normal(),
        Shape::Heavy => {
            let squares: f64 = (0..3).map(|_| rng.normal().powi(2)).sum();
            rng.normal() / squares.sqrt()
        }
        Shape::Outliers if rng.below(20) == 0 => 10.0 * rng.normal(),
        Shape::Outliers => rng.normal(),
    }
}

/// A Williams square (1949): each subject in each place, and after each other, equally often.
fn williams(n: usize) -> Vec<Vec<usize>> {
    let zigzag = |i: usize| if i.is_multiple_of(2) { n - i / 2 } else { i / 2 + 1 };
    let row = |shift: usize| (0..n).map(|i| (zigzag(i) + shift) % n).collect::<Vec<usize>>();
    let mut rows: Vec<Vec<usize>> = (0..n).map(row).collect();
    if !n.is_multiple_of(2) {
        let back = rows.iter().map(|r| r.iter().rev().copied().collect()).collect::<Vec<_>>();
        rows.extend(back);
    }
    rows
}

/// One figure's noise of every measurement of a subject, in the order of time, which correlates
/// consecutive ones.
fn chain(rng: &mut Rng, with: &Setting) -> Vec<f64> {
    let (mut last, fresh) = (draw(rng, with.shape), (1.0 - with.kept * with.kept).sqrt());
    let next = |_| {
        last = with.kept * last + fresh * draw(rng, with.shape);
        last
    };
    let sessions = match with.order {
        Order::Sessions(n) => n,
        Order::Returned => 2,
        Order::Turns | Order::Apart => 1,
    };
    (0..with.repeats * sessions * with.steps * with.points).map(next).collect()
}

/// What a subject keeps from point to point: the noise of both figures, and an effect of each
/// repeat.
struct Subject {
    noise: [Vec<f64>; 2],
    repeats: Vec<f64>,
}

impl Subject {
    fn of(rng: &mut Rng, with: &Setting) -> Subject {
        let noise = [chain(rng, with), chain(rng, with)];
        let effect = |_| with.lasting * with.scatter * rng.normal();
        Subject { noise, repeats: (0..with.repeats).map(effect).collect() }
    }
}

/// The subjects of a repeat of a point in their order, each with its place, block and session.
fn turns(with: &Setting, point: usize, repeat: usize) -> Vec<(usize, usize, usize, usize)> {
    let all = 0..with.subjects;
    let alone = |s: usize, session: usize| {
        let block = (session * with.subjects + s) * with.repeats + repeat;
        (s, 0, block, session * with.subjects + s)
    };
    match with.order {
        Order::Turns => {
            let rows = williams(with.subjects);
            let row = &rows[(point * with.repeats + repeat) % rows.len()];
            row.iter().enumerate().map(|(place, &s)| (s, place, repeat, 0)).collect()
        }
        Order::Apart => all.map(|s| alone(s, 0)).collect(),
        Order::Returned => {
            let again = |s: usize| usize::from(s == 0 && 2 * repeat > with.repeats - 1);
            all.map(|s| alone(s, again(s))).collect()
        }
        Order::Sessions(n) => {
            (0..n).flat_map(|session| all.clone().map(move |s| alone(s, session))).collect()
        }
    }
}

/// One step's ops/s and p99.
fn step(
    rng: &mut Rng,
    with: &Setting,
    subjects: &[Subject],
    (number, sessions): (usize, &[f64]),
) -> [Sheet; 2] {
    let pairs: Vec<(usize, usize)> =
        (0..with.subjects).flat_map(|a| (a + 1..with.subjects).map(move |b| (a, b))).collect();
    let empty = || Sheet {
        cells: vec![vec![Vec::new(); with.subjects]; with.points],
        comparable: vec![pairs.clone(); with.points],
        resolution: 0.0,
        step: number,
        lag: with.points * with.steps,
        axis: (0..with.points).map(|p| p as f64).collect(),
        is_ladder: false,
    };
    let (mut ops, mut p99) = (empty(), Sheet { resolution: with.bucket, ..empty() });
    let mut measured = 0.0;
    for p in 0..with.points {
        let spread = if with.shape == Shape::Unequal { 10f64.powf(rng.unit() - 0.5) } else { 1.0 };
        let level = 10.0 + 0.3 * p as f64;
        for r in 0..with.repeats {
            let common = 2.0 * with.scatter * rng.normal();
            for (s, place, block, session) in turns(with, p, r) {
                let alternates = with.order == Order::Turns;
                let own = with.scatter * spread * if s == 0 { with.noisy } else { 1.0 };
                let gain = if s == 0 { with.gain.ln_1p() } else { 0.0 };
                let shared = if alternates { common } else { sessions[session] };
                let shared = shared
                    + subjects[s].repeats[r]
                    + with.place * place as f64
                    + with.drift * measured;
                let at = (session / with.subjects * with.repeats + r) * with.steps + number;
                let [noise, other] = [0, 1].map(|i| subjects[s].noise[i][at * with.points + p]);
                let other = 0.6 * noise + 0.8 * other;
                let log = level + gain + shared + own * noise;
                let response = 20.0 - level - gain - shared - own * other;
                let response = match with.bucket {
                    0.0 => response,
                    width => (response / width).ceil() * width,
                };
                measured += 1.0;
                if rng.unit() < with.failed {
                    continue;
                }
                let seen = |log: f64| Observation {
                    value: log.exp(),
                    block: block as u32,
                    place: place as u32,
                    session: session as u32,
                };
                ops.cells[p][s].push(seen(log));
                p99.cells[p][s].push(seen(response));
            }
        }
    }
    for p in 0..with.points {
        let narrow = |own: &Vec<Observation>, repeats: usize| {
            let values: Vec<f64> = own.iter().take(repeats).map(|o| o.value).collect();
            let width =
                level(&values).and_then(|l| Some((l.interval?.1 / l.interval?.0).ln() / 2.0));
            width.is_some_and(|half| half <= with.until)
        };
        let enough = |repeats: &usize| ops.cells[p].iter().all(|own| narrow(own, *repeats));
        let Some(repeats) = (3..with.repeats).find(enough) else { continue };
        let cells = ops.cells[p].iter_mut().chain(&mut p99.cells[p]);
        cells.for_each(|own| own.truncate(repeats));
    }
    [ops, p99]
}

/// Each subject's p99 along the axis, without what the points themselves differ by.
fn ladder(p99: &Sheet) -> Sheet {
    let (points, subjects) = (p99.cells.len(), p99.cells[0].len());
    let own = |(s, p): (usize, usize)| {
        let level = (20.0 - (10.0 + 0.3 * p as f64)).exp();
        let of = |o: &Observation| Observation { value: o.value / level, place: 0, ..*o };
        p99.cells[p][s].iter().map(of).collect::<Vec<_>>()
    };
    let next: Vec<(usize, usize)> = (1..points).map(|p| (p - 1, p)).collect();
    Sheet {
        cells: (0..subjects).map(|s| (0..points).map(|p| own((s, p))).collect()).collect(),
        comparable: vec![next; subjects],
        is_ladder: true,
        axis: Vec::new(),
        ..p99.clone()
    }
}

fn brief(rng: &mut Rng, with: &Setting) -> Vec<Ratio> {
    let subjects: Vec<Subject> = (0..with.subjects).map(|_| Subject::of(rng, with)).collect();
    // Three sessions at most, or one and a return.
    let sessions: Vec<f64> =
        (0..3 * with.subjects).map(|_| with.session * with.scatter * rng.normal()).collect();
    let mut sheets: Vec<Sheet> =
        (0..with.steps).flat_map(|i| step(rng, with, &subjects, (i, &sessions))).collect();
    // Of a subject that changes with time, another point is another level.
    if with.drift == 0.0 && with.gain == 0.0 && with.order == Order::Turns {
        let ladders: Vec<Sheet> = sheets.iter().skip(1).step_by(2).map(ladder).collect();
        sheets.extend(ladders);
    }
    family(&sheets)
}

/// The number of briefs that satisfied a condition.
fn count(briefs: u64, seed: u64, holds: impl Fn(&mut Rng) -> bool + Sync) -> u64 {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let share = |first: u64| {
        let own = (first..briefs).step_by(threads as usize);
        own.filter(|&i| holds(&mut Seed::new(seed, 0, 0).at(i))).count() as u64
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|t| scope.spawn(move || share(t))).collect();
        all.into_iter().map(|t| t.join().unwrap()).sum()
    })
}

/// At most the count of n that a probability of 5 % gives: 75 of 1,000.
fn most(n: u64, chance: f64) -> f64 {
    n as f64 * chance + 3.6 * (n as f64 * chance * (1.0 - chance)).sqrt()
}

/// At least the count of n that a probability gives; at full size, the expected one.
fn least(n: u64, chance: f64) -> f64 {
    let luck = if soak() { 0.0 } else { 3.6 * (n as f64 * chance * (1.0 - chance)).sqrt() };
    n as f64 * chance - luck
}

/// Settings that together cover every pair of values of any two factors, with one column of values
/// per factor.
fn covering() -> Vec<Setting> {
    let (scatters, shapes) =
        ([0.0, 0.01, 0.03, 0.1], [Shape::Equal, Shape::Unequal, Shape::Heavy, Shape::Outliers]);
    let (repeats, subjects, steps) = ([3, 5], [2, 3, 6], [1, 10]);
    let (places, buckets, noisy) = ([0.0, 0.02], [0.0, 0.01, 0.03], [1.0, 3.0]);
    let levels = [4, 4, 2, 3, 2, 2, 3, 2];
    let mut open: Vec<[usize; 4]> = Vec::new();
    for f in 0..levels.len() {
        for g in f + 1..levels.len() {
            open.extend((0..levels[f]).flat_map(|x| (0..levels[g]).map(move |y| [f, x, g, y])));
        }
    }
    let mut rng = Seed::new(3, 0, 0).at(0);
    let mut found = Vec::new();
    while !open.is_empty() {
        let covers = |row: &[usize], o: &[usize; 4]| row[o[0]] == o[1] && row[o[2]] == o[3];
        let tried =
            (0..500).map(|_| levels.map(|l| rng.below(l as u64) as usize)).collect::<Vec<_>>();
        let best =
            tried.iter().max_by_key(|row| open.iter().filter(|o| covers(*row, o)).count()).unwrap();
        open.retain(|o| !covers(best, o));
        let [scatter, shape, r, s, step, place, bucket, noise] = *best;
        found.push(Setting {
            scatter: scatters[scatter],
            shape: shapes[shape],
            repeats: repeats[r],
            subjects: subjects[s],
            steps: steps[step],
            place: places[place],
            bucket: buckets[bucket],
            noisy: noisy[noise],
            ..PLAIN
        });
    }
    found
}

/// Single steps with few points are the hardest: least is known about differences in their scatter.
fn one_step() -> Vec<Setting> {
    let mut found = Vec::new();
    for shape in [Shape::Equal, Shape::Unequal, Shape::Heavy, Shape::Outliers] {
        for (subjects, repeats) in [(2, 3), (3, 3), (6, 3), (2, 5), (3, 5), (6, 5)] {
            found.extend([1.0, 3.0].map(|noisy| Setting {
                shape,
                subjects,
                repeats,
                noisy,
                place: 0.02,
                ..PLAIN
            }));
        }
    }
    found
}

fn told(with: &Setting) -> String {
    format!(
        "| {} | {} | {} | {} % | {:?} | {} % | {} % | {} |",
        with.subjects,
        with.repeats,
        with.steps,
        with.scatter * 100.0,
        with.shape,
        with.place * 100.0,
        with.bucket * 100.0,
        with.noisy
    )
}

#[test]
fn identical_subjects_are_distinguished_in_at_most_5_of_100_briefs() {
    let mut settings = covering();
    if soak() {
        settings.extend(one_step());
    }
    let (n, mut all, mut wrong) = (briefs(40), 0, Vec::new());
    for (i, with) in settings.iter().enumerate() {
        let seed = 100 + i as u64;
        let false_briefs =
            count(n, seed, |rng| brief(rng, with).iter().any(|r| r.claims().is_some()));
        println!("{} {:.1} % |", told(with), false_briefs as f64 * 100.0 / n as f64);
        all += false_briefs;
        let limit = match with.scatter {
            0.0 => 0.0,
            _ if soak() && with.noisy > 1.0 => 0.07 * n as f64,
            _ => most(n, 0.05),
        };
        if false_briefs as f64 > limit {
            wrong.push(format!("{} {false_briefs} of {n}", told(with)));
        }
    }
    let (total, cells) = (n * settings.len() as u64, settings.len());
    println!(
        "{cells} settings of {n} briefs: {:.2} % claim a difference",
        all as f64 * 100.0 / total as f64
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let limit = if soak() { total as f64 * 0.05 } else { most(total, 0.05) };
    assert!(all as f64 <= limit, "{all} of {total}");
}

#[test]
fn identical_subjects_are_not_told_apart_where_much_is_missing_either() {
    let n = briefs(100);
    let heavy = Setting { shape: Shape::Heavy, repeats: 3, ..PLAIN };
    let unequal = Setting { shape: Shape::Unequal, subjects: 3, ..PLAIN };
    for with in [
        Setting { points: 1, ..PLAIN },
        Setting { points: 1, subjects: 3, repeats: 3, place: 0.02, ..PLAIN },
        Setting { points: 1, repeats: 3, steps: 10, place: 0.02, ..unequal },
        Setting { points: 2, place: 0.02, ..heavy },
        Setting { failed: 0.1, place: 0.02, ..unequal },
        Setting { failed: 0.1, place: 0.02, repeats: 4, ..heavy },
        Setting { failed: 0.3, place: 0.02, subjects: 6, ..PLAIN },
        Setting { failed: 0.1, place: 0.02, noisy: 3.0, subjects: 3, ..PLAIN },
        Setting { repeats: 10, until: 0.02, ..PLAIN },
        Setting { repeats: 10, until: 0.01, place: 0.02, ..heavy },
        Setting { repeats: 10, until: 0.02, ..unequal },
    ] {
        let false_briefs =
            count(n, 5, |rng| brief(rng, &with).iter().any(|r| r.claims().is_some()));
        let percent = false_briefs as f64 * 100.0 / n as f64;
        let Setting { points, failed, until, .. } = with;
        println!("{} {points} | {failed} | {until} | {percent:.1} % |", told(&with));
        assert!(false_briefs as f64 <= most(n, 0.05), "{false_briefs} of {n}");
    }
}

/// Kinds of dependence between repeats and points, each with its name in docs/claims.md.
fn dependent() -> Vec<(&'static str, Setting)> {
    vec![
        ("none", PLAIN),
        ("AR(1) 0.3", Setting { kept: 0.3, ..PLAIN }),
        ("AR(1) 0.5", Setting { kept: 0.5, ..PLAIN }),
        ("subject × repeat", Setting { lasting: 1.0, ..PLAIN }),
        ("drift", Setting { drift: 0.01, ..PLAIN }),
        ("place", Setting { place: 0.02, ..PLAIN }),
    ]
}

/// Orders other than turns that support claims.
fn in_sessions() -> Vec<(&'static str, Setting)> {
    let three = Setting { order: Order::Sessions(3), ..PLAIN };
    let returned = Setting { order: Order::Returned, ..PLAIN };
    vec![
        ("three sessions", Setting { session: 1.0, ..three }),
        ("three sessions, AR(1) 0.5", Setting { session: 1.0, kept: 0.5, ..three }),
        ("three sessions without effect", three),
        ("returned", Setting { session: 1.0, ..returned }),
        ("returned, drift", Setting { drift: 0.001, ..returned }),
        ("returned without effect", returned),
    ]
}

#[test]
fn subjects_whose_state_lasts_are_not_distinguished_either() {
    let n = briefs(80);
    let sizes = match soak() {
        true => [2, 3, 6].into_iter().flat_map(|s| [3, 5].map(|r| (s, r))).collect(),
        false => vec![(2, 5), (3, 3)],
    };
    let mut wrong = Vec::new();
    for (name, kind) in dependent().into_iter().chain(in_sessions()) {
        let mut row = format!("| {name} |");
        for points in [1, 10] {
            for &(subjects, repeats) in &sizes {
                let with = Setting { subjects, repeats, points, ..kind };
                let found =
                    count(n, 121, |rng| brief(rng, &with).iter().any(|r| r.claims().is_some()));
                row += &format!(" {:.1} |", found as f64 * 100.0 / n as f64);
                let limit = if soak() { 0.06 * n as f64 } else { most(n, 0.05) };
                if found as f64 > limit {
                    wrong.push(format!("{name}: {found} of {n} {with:?}"));
                }
            }
        }
        println!("{row}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_dependence_leaves_to_be_found() {
    let n = briefs(40);
    for (name, kind) in dependent().into_iter().chain(in_sessions()) {
        let mut row = format!("| {name} |");
        for (repeats, scatter, gain) in [(5, 0.01, 0.01), (5, 0.01, 0.03), (3, 0.03, 0.1)] {
            for points in [1, 10] {
                let with = Setting { repeats, scatter, gain, points, ..kind };
                let hits = count(n, 22, |rng| found(&brief(rng, &with)));
                row += &format!(" {:.1} |", hits as f64 * 100.0 / n as f64);
                if points == 10 && name == "AR(1) 0.5" && gain > 0.01 {
                    assert!(hits as f64 >= least(n, 0.9), "{hits} of {n}: {with:?}");
                }
            }
        }
        println!("{row}");
    }
}

#[test]
fn subjects_of_one_session_each_have_figures_and_no_interval() {
    for (subjects, session, gain) in [(2, 3.0, 0.0), (3, 0.0, 0.5)] {
        let with = Setting { order: Order::Apart, subjects, session, gain, ..PLAIN };
        let all = brief(&mut Seed::new(6, 0, 0).at(0), &with);
        assert_eq!(all.len(), subjects * (subjects - 1) / 2 * 2 * 11);
        assert!(all.iter().all(|r| r.interval.is_none() && r.claims().is_none()), "{all:?}");
    }
}

/// Whether the first subject's gain is found somewhere, and nothing in the wrong direction.
fn found(ratios: &[Ratio]) -> bool {
    let expected =
        |r: &Ratio| if r.sheet.is_multiple_of(2) { Ordering::Greater } else { Ordering::Less };
    ratios.iter().any(|r| r.claims().is_some())
        && ratios.iter().all(|r| r.claims().is_none_or(|c| c == expected(r)))
}

#[test]
fn true_differences_are_found() {
    let n = briefs(100);
    for (repeats, scatter, gain, floor) in [(5, 0.01, 0.03, 0.9), (3, 0.03, 0.1, 0.8)] {
        for shape in [Shape::Equal, Shape::Unequal, Shape::Heavy, Shape::Outliers] {
            for (place, drift) in [(0.0, 0.0), (0.02, 0.0), (0.0, 0.01)] {
                let with = Setting { repeats, scatter, shape, place, drift, gain, ..PLAIN };
                let hits = count(n, 7, |rng| found(&brief(rng, &with)));
                let at_one = count(n, 7, |rng| {
                    let all = brief(rng, &with);
                    all.iter().any(|r| {
                        (r.sheet, r.at) == (0, Some(4)) && r.claims() == Some(Ordering::Greater)
                    })
                });
                let percent = |hits: u64| hits as f64 * 100.0 / n as f64;
                println!(
                    "| +{} % | {repeats} | {} % | {shape:?} | {} % | {} % | {:.1} % | {:.1} % |",
                    gain * 100.0,
                    scatter * 100.0,
                    place * 100.0,
                    drift * 100.0,
                    percent(hits),
                    percent(at_one)
                );
                let floor = if shape == Shape::Outliers { floor - 0.15 } else { floor };
                assert!(hits as f64 >= least(n, floor), "{hits} of {n}");
                if repeats == 5 && shape == Shape::Equal {
                    assert!(at_one as f64 >= least(n, 0.75), "at a given point: {at_one} of {n}");
                }
            }
        }
    }
}

#[test]
fn what_a_plan_is_said_to_show_is_what_its_brief_shows() {
    for (subjects, repeats, steps) in [(2, 5, 1), (2, 3, 1), (3, 5, 10)] {
        let with = Setting { subjects, repeats, steps, place: 0.02, ..PLAIN };
        let all: Vec<Ratio> = (0..briefs(200).min(200))
            .flat_map(|i| brief(&mut Seed::new(4, 0, 0).at(i), &with))
            .collect();
        let middle = |means: bool| {
            // Ladders follow the two figures of each step.
            let of_subjects = |r: &&Ratio| r.sheet < 2 * with.steps && !r.is_trend;
            let own = all.iter().filter(of_subjects).filter(|r| r.at.is_none() == means);
            let width = |r: &Ratio| r.interval.map(|(low, high)| (high / low).ln() / 2.0);
            let mut halves: Vec<f64> = own.filter_map(width).collect();
            halves.sort_by(f64::total_cmp);
            halves[halves.len() / 2]
        };
        let pairs = subjects * (subjects - 1) / 2;
        let planned = PlannedBrief { repeats, points: with.points, pairs, steps, measures: 2 };
        let said = detectable(with.scatter, planned).unwrap();
        let (point, mean) = (middle(false), middle(true));
        println!("{subjects} subjects, {repeats} repeats: {point:.4} and {mean:.4}; {said:.4?}");
        assert!((0.85..1.15).contains(&(said.point / point)), "{point}; {said:?}");
        assert!((0.85..1.15).contains(&(said.mean.unwrap() / mean)), "{mean}; {said:?}");
    }
}

#[test]
fn a_levels_interval_holds_the_truth_in_95_of_100() {
    let n = briefs(1_000) * 10;
    for repeats in [3, 5] {
        for (scatter, shape) in [
            (0.01, Shape::Equal),
            (0.1, Shape::Equal),
            (0.03, Shape::Heavy),
            (0.03, Shape::Outliers),
        ] {
            let held = count(n, 9, |rng| {
                let values: Vec<f64> =
                    (0..repeats).map(|_| 100.0 * (scatter * draw(rng, shape)).exp()).collect();
                level(&values)
                    .unwrap()
                    .interval
                    .is_some_and(|(low, high)| low <= 100.0 && 100.0 <= high)
            });
            let percent = held as f64 * 100.0 / n as f64;
            println!("| {repeats} | {} % | {shape:?} | {percent:.1} % |", scatter * 100.0);
            let most = if matches!(shape, Shape::Equal) { 97.0 } else { 100.0 };
            assert!(
                (93.0..=most).contains(&percent),
                "{repeats} repeats, {scatter}, {shape:?}: {percent} %"
            );
        }
    }
}

#[test]
fn the_orders_of_the_simulation_are_williams_squares() {
    for n in [2, 3, 4, 5, 6] {
        let rows = williams(n);
        let mut behind = vec![0; n * n];
        for row in &rows {
            let mut sorted = row.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..n), "{row:?}");
            row.windows(2).for_each(|w| behind[w[0] * n + w[1]] += 1);
        }
        let times = rows.len() / n;
        let balanced = (0..n * n).all(|i| behind[i] == if i % n == i / n { 0 } else { times });
        assert!(balanced, "{n}: {rows:?}");
    }
}
