//! Drift through the whole program: bundles of one point whose ops/s halve over the window, in one,
//! some or all repeats, and steady ones, and which of them the real `dyno claims --json` marks.

use dyno::base::rng::Rng;

use crate::made::{self, Figures, rng};
use crate::support::size;

const REPEATS: u32 = 5;

/// How ops/s decrease from 1 at the start of a window to a half at its end.
#[derive(Clone, Copy, Debug)]
enum Path {
    Line,
    Decay,
    Cliff,
}

impl Path {
    fn at(self, share: f64) -> f64 {
        match self {
            Path::Line => 1.0 - 0.5 * share,
            Path::Decay => 0.5f64.powf(share),
            Path::Cliff => {
                if share < 0.5 {
                    1.0
                } else {
                    0.5
                }
            }
        }
    }
}

/// Noise from second to second: its size, and its correlation.
type Noise = (f64, f64);

fn seconds(rng: &mut Rng, window: usize, path: Option<Path>, (scatter, stays): Noise) -> Vec<f64> {
    let mut noise = rng.normal();
    let second = |i: usize| {
        noise = stays * noise + (1.0 - stays * stays).sqrt() * rng.normal();
        let share = i as f64 / (window - 1) as f64;
        50_000.0 * path.map_or(1.0, |p| p.at(share)) * (scatter * noise).exp()
    };
    (0..window).map(second).collect()
}

/// Whether a bundle of one point is marked as drifted; `drifting` lists the repeats that do, from
/// 1.
fn is_marked(rng: &mut Rng, window: usize, path: Path, drifting: &[u32], noise: Noise) -> bool {
    let folder = made::folder();
    let plan = made::plan(folder.path(), &made::step("s", "", ""), 1, REPEATS);
    let bundle = folder.path().join("b.dyno");
    made::write(&bundle, &plan, &mut |key| {
        let seconds = seconds(rng, window, drifting.contains(&key.repeat).then_some(path), noise);
        Some(Figures { p99_ns: 1e6, seconds, ..Figures::default() })
    });
    let found = made::claims(&[&bundle], &[]);
    let caveats = found["caveats"].as_array().expect("a list");
    caveats.iter().any(|c| c.as_str().is_some_and(|c| c.contains("ops/s drifted by ")))
}

const NOISES: [Noise; 3] = [(0.01, 0.0), (0.03, 0.0), (0.03, 0.5)];

#[test]
fn ops_that_halve_are_marked_in_every_bundle() {
    // For each window: 500 in total.
    let bundles = size(9, 167);
    for window in [5, 20, 60] {
        for trial in 0..bundles {
            let mut rng = rng(41, trial * 100 + window as u64);
            let path = [Path::Line, Path::Decay, Path::Cliff][trial as usize % 3];
            let drifting = [&[3][..], &[1, 4], &[1, 2, 3, 4, 5]][trial as usize / 3 % 3];
            let noise = NOISES[rng.below(3) as usize];
            let marked = is_marked(&mut rng, window, path, drifting, noise);
            assert!(
                marked,
                "{window} s, {path:?}, in repeats {drifting:?}, noise {noise:?}, trial {trial}"
            );
        }
    }
}

#[test]
fn steady_points_are_marked_in_at_most_2_of_100_bundles() {
    let bundles = size(12, 501);
    for window in [5, 20, 60] {
        let is_marked = |trial: &u64| {
            let mut rng = rng(42, trial * 100 + window as u64);
            is_marked(&mut rng, window, Path::Line, &[], NOISES[*trial as usize % 3])
        };
        let marked = (0..bundles).filter(is_marked).count();
        println!("{marked} of {bundles} steady windows of {window} s are marked");
        assert!(marked as u64 <= (bundles / 50).max(1), "{marked} of {bundles}, {window} s");
    }
}

#[test]
fn a_window_too_short_to_test_says_so_wherever_its_claims_stand() {
    let text = |args: &[&str], seconds: usize| {
        let folder = made::folder();
        let step = made::step("s", "", "").replace("\"1s\"", &format!("\"{seconds}s\""));
        let plan = made::plan(folder.path(), &step, 2, REPEATS);
        let (bundle, mut rng) = (folder.path().join("b.dyno"), rng(43, 0));
        made::write(&bundle, &plan, &mut |key| {
            let level = if key.subject == "A" { 1.5 } else { 1.0 };
            let seconds = self::seconds(&mut rng, seconds, None, (0.005, 0.0))
                .iter()
                .map(|s| s * level)
                .collect();
            Some(Figures { p99_ns: 1e6, seconds, ..Figures::default() })
        });
        let out = std::process::Command::new(crate::support::DYNO)
            .args(args)
            .arg(&bundle)
            .output()
            .expect("ran");
        crate::support::said(&out)
    };
    for args in [&["claims"][..], &["compare"], &["show"]] {
        assert!(
            text(args, 3).contains("too short to test for drift"),
            "{args:?}: {}",
            text(args, 3)
        );
        assert!(!text(args, 8).contains("too short to test"), "{args:?}");
    }
}
