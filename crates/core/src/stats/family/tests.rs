//! Small briefs calculated by hand, and briefs with gaps. The rate of false claims is simulated in
//! `tests/it/simulation.rs`.

use super::*;
use proptest::prelude::*;

/// Points × subjects × repeats, measured in alternating order.
fn sheet(points: &[Vec<Vec<f64>>]) -> Sheet {
    let cell = |p: usize, subjects: usize, s: usize, values: &Vec<f64>| -> Vec<Observation> {
        let observation = |(r, value): (usize, &f64)| {
            let place = if (p + r).is_multiple_of(2) { s } else { subjects - 1 - s };
            Observation { value: *value, block: r as u32, place: place as u32, session: 0 }
        };
        values.iter().enumerate().filter(|(_, v)| **v != 0.0).map(observation).collect()
    };
    let cells = points
        .iter()
        .enumerate()
        .map(|(p, subjects)| {
            subjects.iter().enumerate().map(|(s, v)| cell(p, subjects.len(), s, v)).collect()
        })
        .collect();
    let pairs = |n: usize| (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    Sheet { cells, comparable: points.iter().map(|s| pairs(s.len())).collect(), ..Sheet::default() }
}

#[test]
fn two_repeats_give_nothing_and_three_an_interval() {
    assert_eq!(family(&[sheet(&[vec![vec![100.0, 101.0], vec![50.0, 50.5]]])]), []);
    let three = family(&[sheet(&[vec![vec![100.0, 101.0, 99.0], vec![50.0, 50.6, 49.7]]])]);
    assert_eq!(three.len(), 1, "one point has no mean besides: {three:?}");
    assert!((three[0].ratio - 2.0).abs() < 0.02 && three[0].claims() == Some(Ordering::Greater));
    assert_eq!(three[0].inverted().claims(), Some(Ordering::Less));
}

#[test]
fn a_place_that_adds_two_percent_adds_nothing_to_the_difference() {
    let at = |p: usize, r: usize, s: usize| {
        let second = (p + r + s) % 2 == 1;
        let noise = [0.001, -0.002, 0.0015, -0.0005, 0.0][(3 * p + 2 * r + s) % 5];
        100.0 * (1.0 + 0.2 * p as f64) * (if second { 1.02f64 } else { 1.0 }) * (1.0 + noise)
    };
    let point = |p: usize| (0..2).map(|s| (0..5).map(|r| at(p, r, s)).collect()).collect();
    let points: Vec<Vec<Vec<f64>>> = (0..10).map(point).collect();
    let found = family(&[sheet(&points)]);
    assert_eq!(found.len(), 11);
    assert!(
        found.iter().all(|r| r.claims().is_none() && (r.ratio - 1.0).abs() < 0.003),
        "{found:?}"
    );
    assert!(
        found[10].at.is_none() && found[10].interval.is_some_and(|(low, high)| high - low < 0.008),
        "{:?}",
        found[10]
    );
}

#[test]
fn without_scatter_only_what_lies_beyond_the_resolution_is_a_claim() {
    let point = |a: f64, b: f64| vec![vec![a; 5], vec![b; 5]];
    let claims = |resolution: f64, a: f64| {
        let one = Sheet { resolution, ..sheet(&[point(a, 100.0), point(a, 100.0)]) };
        family(&[one]).iter().map(Ratio::claims).collect::<Vec<_>>()
    };
    assert_eq!(claims(0.0, 100.0), [None; 3]);
    assert_eq!(claims(0.0, 101.0), [Some(Ordering::Greater); 3]);
    assert_eq!(claims(0.03, 101.0), [None; 3]);
    assert_eq!(claims(0.0, 99.0), [Some(Ordering::Less); 3]);
}

/// One point; each subject's sessions, each with its repeats.
fn in_sessions(subjects: &[&[&[f64]]]) -> Sheet {
    let mut block = 0;
    let mut cell = |(s, sessions): (usize, &&[&[f64]])| -> Vec<Observation> {
        let of = |(i, repeats): (usize, &&[f64])| {
            // In turns.
            let session = (10 * i + s) as u32;
            let seen = |value: &f64| {
                block += 1;
                Observation { value: *value, block, place: 0, session }
            };
            repeats.iter().map(seen).collect::<Vec<_>>()
        };
        sessions.iter().enumerate().flat_map(of).collect()
    };
    let cells = vec![subjects.iter().enumerate().map(&mut cell).collect()];
    let pairs = (0..subjects.len()).flat_map(|a| (a + 1..subjects.len()).map(move |b| (a, b)));
    Sheet { cells, comparable: vec![pairs.collect()], ..Sheet::default() }
}

#[test]
fn one_session_each_has_a_ratio_and_no_interval() {
    let one = in_sessions(&[&[&[100.0, 101.0, 99.0, 100.0]], &[&[50.0, 50.5, 49.7, 50.0]]]);
    let [found] = &family(&[one])[..] else { panic!("one pair") };
    assert_eq!((found.repeats, found.interval, found.claims()), (4, None, None));
    assert!((found.ratio - 2.0).abs() < 0.01);
    let few = in_sessions(&[&[&[100.0, 101.0, 99.0]], &[&[50.0, 50.5]]]);
    assert_eq!(family(&[few]), [], "two repeats on one side");
}

#[test]
fn a_return_shows_the_scatter_of_sessions_with_one_degree_of_freedom() {
    // A is 2 % lower when measured again: s = √2 %, and a difference of means has √(3 ÷ 2) times
    // that.
    let of = |b: &[f64]| {
        let one = in_sessions(&[&[&[101.0, 101.0], &[99.0, 99.0]], &[b]]);
        family(&[one]).remove(0)
    };
    let found = of(&[50.0, 50.0, 50.0]);
    let (low, high) = found.interval.expect("an interval");
    // t(0.975, 1) = 12.706.
    let half = 12.706 * (0.020_002 / 2.0f64.sqrt()) * 1.5f64.sqrt();
    assert!(((high / low).ln() / 2.0 - half).abs() < 1e-3, "{low} {high}: {half}");
    assert!(found.degrees == 1.0 && found.claims() == Some(Ordering::Greater));
    assert_eq!(of(&[90.0, 90.0, 90.0]).claims(), None);
}

#[test]
fn several_sessions_count_and_their_repeats_do_not() {
    // Sessions scatter by 2 %, repeats do not scatter.
    let a: &[&[f64]] = &[&[100.0; 5], &[102.0; 5], &[98.0; 5]];
    let b: &[&[f64]] = &[&[103.0; 5], &[105.0; 5], &[101.0; 5]];
    let found = family(&[in_sessions(&[a, b])]).remove(0);
    assert_eq!((found.degrees, found.claims()), (4.0, None), "{found:?}");
    let c: &[&[f64]] = &[&[120.0; 5], &[122.0; 5], &[118.0; 5]];
    assert_eq!(family(&[in_sessions(&[a, c])])[0].claims(), Some(Ordering::Less));
}

#[test]
fn levels_are_adjusted_for_the_order_and_divide_to_the_ratio() {
    // The second place adds 10 %; A has it one time more.
    let at = |r: usize, s: usize| if (r + s) % 2 == 1 { 110.0 } else { 100.0 };
    let own = |s: usize, level: f64| (0..3).map(|r| level * at(r, s)).collect::<Vec<f64>>();
    let found = family(&[sheet(&[vec![own(0, 1.2), own(1, 1.0)]])]).remove(0);
    let (a, b) = found.levels.expect("of a point");
    assert!((a / b / found.ratio - 1.0).abs() < 1e-9 && (found.ratio - 1.2).abs() < 1e-6);
    let raw = own(0, 1.2).iter().product::<f64>() / own(1, 1.0).iter().product::<f64>();
    assert!((raw.cbrt() - 1.2).abs() > 0.02, "the levels as measured divide to something else");
}

#[test]
fn what_may_not_be_compared_is_left_out_and_lends_its_scatter() {
    let values = |k: usize| vec![100.0 + k as f64, 101.0, 99.0 - 0.5 * k as f64, 100.5, 99.5];
    let points: Vec<Vec<Vec<f64>>> =
        (0..4).map(|p| (0..3).map(|s| values(p + s)).collect()).collect();
    let mut one = sheet(&points);
    one.comparable = vec![vec![(0, 1)], vec![(0, 1)], vec![(0, 1), (1, 2)], vec![]];
    let found = family(&[one]);
    let keys: Vec<_> = found.iter().map(|r| (r.a, r.b, r.at)).collect();
    assert_eq!(
        keys,
        [(0, 1, Some(0)), (0, 1, Some(1)), (0, 1, Some(2)), (0, 1, None), (1, 2, Some(2))]
    );
}

fn briefs() -> impl Strategy<Value = Vec<Sheet>> {
    let value = prop_oneof![8 => 1e-3f64..1e9, 1 => Just(0.0), 1 => Just(100.0)];
    let repeats = prop::collection::vec(value, 0..7);
    let point = move |subjects: usize| prop::collection::vec(repeats.clone(), subjects);
    let step = (1usize..5).prop_flat_map(move |n| prop::collection::vec(point(n), 1..6));
    prop::collection::vec(step, 0..4).prop_map(|steps| steps.iter().map(|s| sheet(s)).collect())
}

proptest! {
    #[test]
    fn whatever_is_missing_no_interval_is_nan_or_leaves_its_ratio_out(brief in briefs()) {
        for r in family(&brief) {
            // A pair that shares no block has none unless a subject was measured before and after.
            let Some((low, high)) = r.interval else { continue };
            prop_assert!(low <= r.ratio && r.ratio <= high && low > 0.0, "{:?}", r);
            prop_assert!(r.degrees >= 1.0 && r.repeats >= 3, "{:?}", r);
        }
    }

    #[test]
    fn scale_does_not_matter(factor in 1e-6f64..1e6) {
        let scaled = |f: f64, own: [f64; 3]| own.map(|v| v * f).to_vec();
        let first = |f| vec![scaled(f, [10.0, 10.2, 9.9]), scaled(f, [10.5, 10.4, 10.1])];
        let second = |f| vec![scaled(f, [5.0, 5.1, 5.0]), scaled(f, [5.2, 5.0, 5.1])];
        let of = |f: f64| family(&[sheet(&[first(f), second(f)])]);
        for (x, y) in of(1.0).iter().zip(of(factor)) {
            let alike = |x: f64, y: f64| (x / y - 1.0).abs() < 1e-6;
            let (x, y) = (x.interval.expect("in turns"), y.interval.expect("in turns"));
            prop_assert!(alike(x.0, y.0) && alike(x.1, y.1));
        }
    }
}

#[test]
fn a_point_with_a_zero_among_its_repeats_has_no_ratio_and_the_others_keep_theirs() {
    let whole = vec![vec![100.0, 101.0, 99.0], vec![50.0, 50.6, 49.7]];
    let still = vec![vec![100.0, 101.0, 99.0], vec![50.0, 0.0, 49.7]];
    let found = family(&[sheet(&[whole, still])]);
    assert_eq!(found.iter().map(|ratio| ratio.at).collect::<Vec<_>>(), [Some(0)]);
}
