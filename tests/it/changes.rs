//! The rate of false change points, and the location and delay of true ones: simulated histories of
//! runs with a scatter of 2 %. docs/trends.md has the figures at full size.

use dyno::base::rng::Rng;
use dyno::stats::runs::changes::change_points;

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

/// Numbers of runs before and after a step.
fn history(rng: &mut Rng, shape: Shape, before: usize, after: usize, step: f64) -> Vec<f64> {
    let level = |run: usize| if run < before { 1000.0 } else { 1000.0 * step };
    (0..before + after).map(|run| level(run) * (0.02 * draw(rng, shape)).exp()).collect()
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
    let trials = size(100, 4_000);
    for shape in [Shape::Normal, Shape::Heavy] {
        for runs in [20, 50] {
            let alarm =
                |rng: &mut Rng| !change_points(&history(rng, shape, runs, 0, 1.0)).is_empty();
            let found = count(trials, 51, alarm);
            println!("{shape:?}, {runs} stable runs: {found} of {trials} with a change point");
            let most = trials as f64 * 0.05 + luck(trials, 0.05);
            assert!(found as f64 <= most, "{shape:?} {runs}: {found} of {trials}");
        }
    }
}

#[test]
fn a_step_of_5_per_cent_is_located_within_one_run_after_3_5_and_10_more() {
    let trials = size(100, 4_000);
    for (after, promised) in [(3, 0.70), (5, 0.90), (10, 0.93)] {
        for step in [1.05, 0.95] {
            let located = |rng: &mut Rng| {
                let all = change_points(&history(rng, Shape::Normal, 30, after, step));
                all.iter().any(|c| c.at.abs_diff(30) <= 1)
            };
            let found = count(trials, 52, located);
            println!("× {step} after {after} runs: located in {found} of {trials}");
            let least = trials as f64 * promised - luck(trials, promised);
            assert!(found as f64 >= least, "{after} {step}: {found} of {trials}");
        }
    }
}
