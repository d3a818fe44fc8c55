//! Statistical promises, tested on generated series with known truth: seeded, so that every run
//! gives the same.

use dyno::base::rng::{Rng, Seed};
use dyno::stats::estimate;

use crate::support::{seed, size};

/// Ten times as many in a soak; the bounds below are for this number.
fn trials() -> u64 {
    size(2_000, 20_000)
}

/// Draws with mean zero: normal, and lognormal (sigma 1).
const NORMAL: fn(&mut Rng) -> f64 = Rng::normal;
const LOGNORMAL: fn(&mut Rng) -> f64 = |rng| rng.normal().exp() - 0.5f64.exp();

/// n values around 100, each with `correlation` times the previous deviation.
fn series(rng: &mut Rng, draw: fn(&mut Rng) -> f64, correlation: f64, n: usize) -> Vec<f64> {
    let mut x = 0.0;
    let mut next = || {
        x = correlation * x + draw(rng);
        100.0 + x
    };
    // The first hundred let the series forget its start.
    (0..100 + n).map(|_| next()).skip(100).collect()
}

/// The percentage of trials that satisfied a condition.
fn percent(trial: impl Fn(&mut Rng) -> bool + Sync) -> f64 {
    percent_of(trials(), trial)
}

fn percent_of(trials: u64, trial: impl Fn(&mut Rng) -> bool + Sync) -> f64 {
    let seed = seed();
    let held = |from: u64| {
        (from..trials).step_by(2).filter(|&i| trial(&mut Seed::new(seed, 0, 0).at(i))).count()
    };
    let held = std::thread::scope(|scope| {
        let other = scope.spawn(|| held(1));
        held(0) + other.join().unwrap()
    });
    held as f64 * 100.0 / trials as f64
}

#[track_caller]
fn within(what: &str, percent: f64) {
    println!("{what}: {percent} %");
    assert!((93.0..=97.0).contains(&percent), "{what}: {percent} %");
}

#[test]
fn throughput_over_repeats_is_held_in_95_of_100() {
    for (draw, correlation) in [(NORMAL, 0.9), (LOGNORMAL, 0.5)] {
        let held = percent(|rng| {
            let repeat =
                |rng: &mut Rng| series(rng, draw, correlation, 60).iter().sum::<f64>() / 60.0;
            let repeats: Vec<f64> = (0..5).map(|_| repeat(rng)).collect();
            let e = estimate::from_repeats(&repeats, "ops/s").unwrap();
            e.low <= 100.0 && 100.0 <= e.high
        });
        within(&format!("5 repeats, correlation {correlation}"), held);
    }
}

/// Repeats are added until half the interval is within a limit, so a series that looks quieter than
/// it is ends sooner. docs/claims.md has the effect on the interval.
#[test]
fn stopping_when_the_interval_is_narrow_costs_it_little() {
    for (limit, noise) in [(2.0, 0.005), (2.0, 0.01), (2.0, 0.02), (2.0, 0.04)] {
        let held = percent(|rng| {
            let mut repeats: Vec<f64> =
                (0..3).map(|_| 100.0 * (1.0 + noise * rng.normal())).collect();
            loop {
                let e = estimate::from_repeats(&repeats, "ops/s").unwrap();
                if e.relative_percent().is_some_and(|half| half <= limit) || repeats.len() == 10 {
                    return e.low <= 100.0 && 100.0 <= e.high;
                }
                repeats.push(100.0 * (1.0 + noise * rng.normal()));
            }
        });
        println!("until ±{limit} % at a noise of {} %: {held} %", noise * 100.0);
        assert!(held >= 88.0, "{held} %");
    }
}
