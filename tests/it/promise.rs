//! The promise through the whole program: bundles of identical subjects in 24 settings that cover
//! every pair of values of any two factors, and the claims of the real `dyno claims --json`.
//! `simulation` has the same settings through the function alone, in thousands.

use std::collections::HashMap;

use dyno::base::rng::Rng;
use dyno::plan::{Plan, PointIndex};

use crate::made::{self, Figures, rng};
use crate::support::size;

/// How run-to-run scatter differs between points.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Equal,
    /// From a third to three times the scatter.
    Unequal,
    /// Student's t with 3 degrees of freedom, of the same variance.
    Heavy,
}

#[derive(Clone, Copy, Debug)]
struct Setting {
    scatter: f64,
    shape: Shape,
    repeats: u32,
    subjects: usize,
    steps: usize,
    /// The effect of each further place in a repeat's order.
    place: f64,
    /// The factor by which the first subject scatters more.
    noisy: f64,
}

const LEVELS: [usize; 7] = [4, 3, 2, 3, 2, 2, 2];

fn setting(row: [usize; 7]) -> Setting {
    Setting {
        scatter: [0.0, 0.01, 0.03, 0.1][row[0]],
        shape: [Shape::Equal, Shape::Unequal, Shape::Heavy][row[1]],
        repeats: [3, 5][row[2]],
        subjects: [2, 3, 6][row[3]],
        steps: [1, 10][row[4]],
        place: [0.0, 0.02][row[5]],
        noisy: [1.0, 3.0][row[6]],
    }
}

/// Every pair of values of any two factors that no row has yet.
fn pairs() -> Vec<[usize; 4]> {
    let mut all = Vec::new();
    for (f, own) in LEVELS.into_iter().enumerate() {
        for (g, other) in LEVELS.into_iter().enumerate().skip(f + 1) {
            all.extend((0..own).flat_map(|x| (0..other).map(move |y| [f, x, g, y])));
        }
    }
    all
}

/// 24 settings that together cover every pair; the rest are random.
fn covering() -> Vec<Setting> {
    let covers = |row: &[usize; 7], o: &[usize; 4]| row[o[0]] == o[1] && row[o[2]] == o[3];
    let (mut open, mut rng, mut found) = (pairs(), rng(1, 0), Vec::new());
    while found.len() < 24 {
        let tried: Vec<[usize; 7]> =
            (0..500).map(|_| LEVELS.map(|l| rng.below(l as u64) as usize)).collect();
        let new = |row: &&[usize; 7]| open.iter().filter(|o| covers(row, o)).count();
        let best = *tried.iter().max_by_key(new).expect("tried");
        open.retain(|o| !covers(&best, o));
        found.push(setting(best));
    }
    assert!(open.is_empty(), "{} pairs are in no setting", open.len());
    found
}

/// Of variance 1.
fn draw(rng: &mut Rng, shape: Shape) -> f64 {
    match shape {
        Shape::Equal | Shape::Unequal => rng.normal(),
        Shape::Heavy => rng.normal() / (0..3).map(|_| rng.normal().powi(2)).sum::<f64>().sqrt(),
    }
}

/// Whether a brief of identical subjects claims anything.
fn claims_anything(with: &Setting, points: usize, trial: u64, rng: &mut Rng) -> bool {
    let folder = made::folder();
    let values: Vec<String> = (1..=points).map(|v| v.to_string()).collect();
    let sweep = format!("sweep = {{ axis = \"io.depth\", values = [{}] }}", values.join(", "));
    let steps: String = (0..with.steps).map(|i| made::step(&format!("s{i}"), &sweep, "")).collect();
    let plan = made::plan(folder.path(), &steps, with.subjects, with.repeats);
    let bundle = folder.path().join(format!("{trial}.dyno"));
    write(&bundle, &plan, with, rng);
    let found = made::claims(&[&bundle], &[]);
    let compared = found["comparisons_in_family"].as_u64().expect("a number");
    // Two figures of each pair at each point, and their means.
    let pairs = (with.subjects * (with.subjects - 1) / 2) as u64;
    assert_eq!(compared, pairs * 2 * with.steps as u64 * (points as u64 + 1), "{with:?}");
    !found["claims"].as_array().expect("a list").is_empty()
}

/// Subjects that differ only by chance, as a run would measure them.
fn write(bundle: &std::path::Path, plan: &Plan, with: &Setting, rng: &mut Rng) {
    let places = PointIndex::of(plan);
    let (mut spreads, mut blocks) = (HashMap::new(), HashMap::new());
    made::write(bundle, plan, &mut |key| {
        let axis = key.axis.as_ref().map_or(0.0, |a| a.value.as_f64());
        let cell = (key.step.clone(), axis.to_bits());
        let spread = match with.shape {
            Shape::Unequal => {
                *spreads.entry(cell.clone()).or_insert_with(|| 10f64.powf(rng.unit() - 0.5))
            }
            _ => 1.0,
        };
        let block =
            *blocks.entry((cell, key.repeat)).or_insert_with(|| 2.0 * with.scatter * rng.normal());
        let place = places.place(plan, key).expect("subjects take turns");
        let own = with.scatter * spread * if key.subject == "A" { with.noisy } else { 1.0 };
        let shared = block + with.place * f64::from(place);
        let noise = draw(rng, with.shape);
        let other = 0.6 * noise + 0.8 * draw(rng, with.shape);
        let level = 11.5 + 0.1 * axis;
        let ops_per_s = (level + shared + own * noise).exp().clamp(2e4, 2e6);
        let p99_ns = (23.0 - level - shared - own * other).exp();
        Some(Figures { ops_per_s, p99_ns, ..Figures::default() })
    });
}

#[test]
fn identical_subjects_are_distinguished_in_at_most_5_of_100_briefs_that_the_program_prints() {
    let briefs = size(1, 100);
    // Each point is a transaction, and a thousand of them show no more than a hundred.
    let points = if briefs == 1 { 3 } else { 10 };
    let settings = covering();
    let mut all = 0;
    for (index, with) in settings.iter().enumerate() {
        let told =
            |trial: &u64| claims_anything(with, points, *trial, &mut rng(2 + index as u64, *trial));
        let wrong = (0..briefs).filter(told).count();
        println!("{wrong:3} of {briefs} {with:?}");
        assert!(with.scatter > 0.0 || wrong == 0, "{with:?}");
        // At 5 %, more than 12 of 100 are chance in one setting of 700.
        let most = if with.noisy > 1.0 { 15 } else { 12 };
        assert!(wrong <= most, "{wrong} of {briefs}: {with:?}");
        all += wrong;
    }
    let of = settings.len() as u64 * briefs;
    println!("{all} of {of} briefs with a false claim");
    // A mean of 5 %; more than four of 24 briefs are chance in one of 36.
    assert!(all as u64 <= (of / 20).max(4), "{all} of {of}");
}
