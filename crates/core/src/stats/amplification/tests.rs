//! Counters as drives have them: exact, in data units, reset, standing still, seldom updated.

use super::*;

const GB: f64 = 1e9;

fn exact(bytes: f64) -> Growth {
    Growth { bytes, resolution: 1.0 }
}

#[test]
fn a_counter_grows_from_before_the_load_to_after_it() {
    let readings = [(-1.0, 10.0), (0.1, 12.0), (5.0, 60.0), (10.2, 110.0), (14.0, 111.0)];
    let of = |span| growth(&readings, span, 1.0).map(|g| g.bytes);
    assert_eq!(of((0.0, 13.9)), Ok(101.0), "what settled after the window is in it");
    assert_eq!(of((0.0, 10.0)), Ok(100.0));
    assert_eq!(of((0.0, 30.0)), Err(NotMeasured::NotRead), "the meter died");
    assert_eq!(growth(&readings[2..], (0.0, 10.0), 1.0), Err(NotMeasured::NotRead));
    assert_eq!(growth(&[], (0.0, 10.0), 1.0), Err(NotMeasured::NotRead));
    let gap = [(-1.0, 10.0), (5.0, f64::NAN), (11.0, 30.0)];
    assert_eq!(growth(&gap, (0.0, 10.0), 1.0).map(|g| g.bytes), Ok(20.0));
}

#[test]
fn a_counter_that_fell_says_nothing_although_it_grew_from_end_to_end() {
    let wrapped = 4_294_967_296.0 * 512.0;
    for (what, at_first, inside, at_last) in [
        ("reset by a format", 100.0, 0.0, 500.0),
        ("back to what was last stored, after a loss of power", 100.0, 90.0, 500.0),
        ("of 32 bits, as only an instrument's can be", wrapped - 512.0, 512.0, wrapped),
    ] {
        let fell = [(-1.0, at_first), (5.0, inside), (11.0, at_last)];
        assert_eq!(growth(&fell, (0.0, 10.0), 1.0), Err(NotMeasured::Fell), "{what}");
    }
}

#[test]
fn a_counter_that_is_updated_seldom_is_known_to_its_largest_update() {
    // Every 4 s.
    let steps: Vec<CounterReading> =
        (-1..=21).map(|t| (f64::from(t), (f64::from(t) / 4.0).floor() * 40.0)).collect();
    let seldom = growth(&steps, (0.0, 20.0), 1.0).unwrap();
    assert_eq!((seldom.bytes, seldom.resolution), (200.0, 40.0));
    let steady: Vec<CounterReading> =
        (-1..=21).map(|t| (f64::from(t), f64::from(t) * 10.0)).collect();
    assert_eq!(growth(&steady, (0.0, 20.0), 1.0).unwrap().resolution, 1.0);
}

#[test]
fn a_reading_that_came_late_is_no_sign_of_a_counter_that_is_updated_seldom() {
    // 10 bytes a second, but nothing for a tenth of one, and then no reading for two.
    let times = [-1.0, 1.0, 2.0, 2.1, 4.1, 5.0, 6.0];
    let still = |t: f64| if t > 2.0 { t - 0.1 } else { t };
    let readings: Vec<CounterReading> = times.map(|t| (t, still(t) * 10.0)).to_vec();
    let found = growth(&readings, (0.0, 5.5), 0.1).unwrap();
    assert!((found.resolution - 1.0).abs() < 1e-9, "a tenth of a second's: {found:?}");
}

#[test]
fn a_stalled_load_is_no_sign_of_a_counter_that_is_updated_seldom() {
    // 10 bytes per second, but nothing for 3 s, which begin at a reading or between two.
    for stalled_s in [3.0, 3.5] {
        let written = |t: f64| t - (t - stalled_s).clamp(0.0, 3.0);
        let readings: Vec<CounterReading> =
            (-1..=12).map(f64::from).map(|t| (t, written(t) * 10.0)).collect();
        let found = growth(&readings, (0.0, 11.5), 0.1).unwrap();
        assert_eq!(found.resolution, 0.1, "stalled at {stalled_s} s");
    }
}

/// What the host's and the media's counters grew by, their units, the capacity, and what follows.
#[test]
fn a_ratio_is_right_or_is_not_measured() {
    type Case = (f64, f64, f64, f64, f64, Result<f64, NotMeasured>);
    let cases: [Case; 8] = [
        (4.0 * GB, 1.0, 10.4 * GB, 1.0, GB, Ok(2.6)),
        (GB, 512_000.0, 1.425 * GB, 1.0, GB, Ok(1.425)),
        // Written by a tenth of the capacity.
        (0.1 * GB, 1.0, 0.1 * GB, 1.0, GB, Err(NotMeasured::TooLittle(0.1))),
        // The endurance group's units of 1 GB: 3 ± 1 for 2 ± 1.
        (2.0 * GB, GB, 3.0 * GB, GB, GB, Err(NotMeasured::TooCoarse(5.0 / 4.5))),
        (100.0 * GB, GB, 150.0 * GB, GB, GB, Ok(1.5)),
        // The media's counter stands still, or the host's.
        (8.0 * GB, 512_000.0, 0.0, GB, GB, Err(NotMeasured::StoodStill)),
        (0.0, 512_000.0, GB, 1.0, GB, Err(NotMeasured::StoodStill)),
        (0.0, 512_000.0, 0.0, 1.0, GB, Err(NotMeasured::TooLittle(0.0))),
    ];
    for (host, host_unit, media, media_unit, capacity, expected) in cases {
        let host = Growth { bytes: host, resolution: host_unit };
        let media = Growth { bytes: media, resolution: media_unit };
        let got = of_drive((host, media), host.bytes, Some(capacity)).map(|a| a.value);
        match (got, expected) {
            (Ok(a), Ok(b)) => assert!((a - b).abs() < 1e-9, "{a} for {b}"),
            (Err(NotMeasured::TooCoarse(a)), Err(NotMeasured::TooCoarse(b))) => {
                assert!((a - b).abs() < 1e-9, "{a} for {b}");
            }
            (got, expected) => assert_eq!(got, expected),
        }
    }
    let load = (exact(GB), exact(GB));
    assert_eq!(of_drive(load, GB, None).map(|a| a.value), Err(NotMeasured::NoCapacity));
}

#[test]
fn the_interval_holds_what_the_units_leave_open() {
    // 10 data units are between 9 and 11 of them.
    let host = Growth { bytes: 100.0 * 512_000.0, resolution: 512_000.0 };
    let media = Growth { bytes: 130.0 * 512_000.0, resolution: 512_000.0 };
    let found = ratio(media, host).unwrap();
    assert!((found.low - 129.0 / 101.0).abs() < 1e-12, "{found:?}");
    assert!((found.high - 131.0 / 99.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn several_drives_add_up_and_one_that_is_not_measured_leaves_all_out() {
    let sum = together([Ok(exact(2.0)), Ok(exact(3.0))]).unwrap();
    assert_eq!((sum.bytes, sum.resolution), (5.0, 2.0));
    assert_eq!(together([Ok(exact(2.0)), Err(NotMeasured::Fell)]), Err(NotMeasured::Fell));
    assert_eq!(together([]), Err(NotMeasured::NotRead));
}

#[test]
fn amplification_over_time_is_that_of_each_stretch() {
    let host: Vec<CounterReading> = (0..=10).map(|t| (f64::from(t), f64::from(t) * GB)).collect();
    // 1 for five seconds, then 3.
    let media: Vec<CounterReading> = (0..=10)
        .map(|t| (f64::from(t), GB * f64::from(t) + 2.0 * GB * f64::from((t - 5).max(0))))
        .collect();
    let found = over_time((&host, 1.0), (&media, 1.0), 1.0);
    let values: Vec<f64> = found.iter().map(|r| (r.1 * 1e6).round() / 1e6).collect();
    assert_eq!(values, [1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
    assert_eq!(found[0].0, 0.5);
    // Units of 2 GB are too coarse for a second, and for ten.
    assert!(over_time((&host, 2.0 * GB), (&media, 2.0 * GB), 1.0).len() < 3);
}
