//! The rate of false change points, and the location and delay of true ones: simulated histories of
//! runs with a scatter of 2 %. docs/trends.md has the figures at full size.

use dyno::base::rng::Rng;
use dyno::stats::runs::changes::{LASTING, change_points, sensitivity};

use crate::made::rng;
use crate::support::size;

/// The distribution of runs about their level, with a variance of 1.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Normal,
    /// Student's t with 3 degrees of freedom.
    Heavy,
}

fn draw(rng: &mut Rng, shape: Shape) -> f64 {
    match shape {
        Shape::Normal => rng.normal(),
        Shape::Heavy => rng.normal() / (0..3).map(|_| rng.normal().powi(2)).sum::<f64>().sqrt(),
    }
}

/// Numbers of runs before and after a step; `kept` of a run's deviation is in the next one.
fn history(
    rng: &mut Rng,
    (shape, kept): (Shape, f64),
    before: usize,
    after: usize,
    step: f64,
) -> Vec<f64> {
    let level = |run: usize| if run < before { 1000.0 } else { 1000.0 * step };
    let (mut last, fresh) = (draw(rng, shape), (1.0 - kept * kept).sqrt());
    let mut run = |run: usize| {
        last = kept * last + fresh * draw(rng, shape);
        level(run) * (0.02 * last).exp()
    };
    (0..before + after).map(&mut run).collect()
}

/// The number of histories whose change points satisfy a condition.
fn count(trials: u64, seed: u64, holds: impl Fn(&mut Rng) -> bool) -> u64 {
    (0..trials).filter(|trial| holds(&mut rng(seed, *trial))).count() as u64
}

/// The deviation of a count of n from its expected value that chance exceeds once in 3,000; at full
/// size zero.
fn luck(n: u64, chance: f64) -> f64 {
    let full = std::env::var("DYNO_SOAK").as_deref() == Ok("1");
    if full { 0.0 } else { 3.4 * (n as f64 * chance * (1.0 - chance)).sqrt() }
}

#[test]
fn at_most_5_of_100_stable_histories_have_a_change_point() {
    let trials = size(60, 4_000);
    let normal = |kept| (Shape::Normal, kept);
    for of in [normal(0.0), (Shape::Heavy, 0.0), normal(0.3), normal(0.5)] {
        for runs in [12, 20, 50, 100] {
            let alarm = |rng: &mut Rng| !change_points(&history(rng, of, runs, 0, 1.0)).is_empty();
            let found = count(trials, 51, alarm);
            println!("{of:?}, {runs} stable runs: {found} of {trials} with a change point");
            let most = trials as f64 * 0.055 + luck(trials, 0.05);
            assert!(found as f64 <= most, "{of:?} {runs}: {found} of {trials}");
        }
    }
}

#[test]
fn a_step_of_5_per_cent_is_located_within_one_run_after_3_5_and_10_more() {
    let trials = size(60, 4_000);
    for (kept, promised) in [(0.0, [0.40, 0.70, 0.90]), (0.5, [0.20, 0.40, 0.65])] {
        for (after, promised) in [3, 5, 10].into_iter().zip(promised) {
            for step in [1.05, 0.95] {
                let located = |rng: &mut Rng| {
                    let all = change_points(&history(rng, (Shape::Normal, kept), 30, after, step));
                    all.iter().any(|c| c.at.abs_diff(30) <= 1)
                };
                let found = count(trials, 52, located);
                println!("AR(1) {kept}, × {step} after {after} runs: {found} of {trials}");
                let least = trials as f64 * promised - luck(trials, promised);
                assert!(found as f64 >= least, "{kept} {after} {step}: {found} of {trials}");
            }
        }
    }
}

#[test]
fn the_step_that_a_history_is_said_to_show_is_found_in_about_every_other_one() {
    let trials = size(40, 1_000);
    for kept in [0.0, 0.5] {
        let of = |rng: &mut Rng| {
            let before = history(rng, (Shape::Normal, kept), 40, 0, 1.0);
            let step = sensitivity(&before, &[]).expect("long enough").step;
            let mut values = history(rng, (Shape::Normal, kept), 35, LASTING, 1.0 + step);
            values.iter_mut().for_each(|v| *v /= 1000.0);
            change_points(&values).iter().any(|c| c.at.abs_diff(35) <= 2)
        };
        let found = count(trials, 53, of) as f64 / trials as f64;
        println!("AR(1) {kept}: {found:.2} of the steps that are said to be shown are found");
        assert!((0.25..0.8).contains(&found), "{kept}: {found}");
    }
}
