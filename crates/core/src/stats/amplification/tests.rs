//! Counters as drives have them: exact, in data units, reset, not changing, rarely updated.

use super::*;

const GB: f64 = 1e9;

/// The growth between two times, the second of which is the end of the load.
fn growth(
    readings: &[CounterReading],
    (from_s, until_s): (f64, f64),
    unit: f64,
) -> Result<Growth, NotMeasured> {
    let span = LoadSpan { on_s: from_s, from_s, off_s: until_s, until_s };
    super::growth(readings, &span, unit)
}

fn exact(bytes: f64) -> Growth {
    Growth { bytes, resolution: 1.0, seconds: 1.0 }
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
    // Updated every 4 s.
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
    // 10 bytes per second, but nothing for 0.1 s, followed by 2 s without a reading.
    let times = [-1.0, 1.0, 2.0, 2.1, 4.1, 5.0, 6.0];
    let still = |t: f64| if t > 2.0 { t - 0.1 } else { t };
    let readings: Vec<CounterReading> = times.map(|t| (t, still(t) * 10.0)).to_vec();
    let found = growth(&readings, (0.0, 5.5), 0.1).unwrap();
    assert!((found.resolution - 1.0).abs() < 1e-9, "a tenth of a second's: {found:?}");
}

#[test]
fn a_stalled_load_is_no_sign_of_a_counter_that_is_updated_seldom() {
    // 10 bytes per second, but nothing for 3 s, starting at a reading or between two.
    for stalled_s in [3.0, 3.5] {
        let written = |t: f64| t - (t - stalled_s).clamp(0.0, 3.0);
        let readings: Vec<CounterReading> =
            (-1..=12).map(f64::from).map(|t| (t, written(t) * 10.0)).collect();
        let found = growth(&readings, (0.0, 11.5), 0.1).unwrap();
        assert_eq!(found.resolution, 0.1, "stalled at {stalled_s} s");
    }
}

/// Growth of the host's and the media's counters, their units, the capacity, and the expected
/// result.
#[test]
fn a_ratio_is_right_or_is_not_measured() {
    type Case = (f64, f64, f64, f64, f64, Result<f64, NotMeasured>);
    let cases: [Case; 8] = [
        (4.0 * GB, 1.0, 10.4 * GB, 1.0, GB, Ok(2.6)),
        (GB, 512_000.0, 1.425 * GB, 1.0, GB, Ok(1.425)),
        // A tenth of the capacity is written.
        (0.1 * GB, 1.0, 0.1 * GB, 1.0, GB, Err(NotMeasured::TooLittle(0.1))),
        // The endurance group's units of 1 GB: 3 ± 1 for 2 ± 1.
        (2.0 * GB, GB, 3.0 * GB, GB, GB, Err(NotMeasured::TooCoarse(5.0 / 4.5))),
        (100.0 * GB, GB, 150.0 * GB, GB, GB, Ok(1.5)),
        // The media's counter does not change, or the host's.
        (8.0 * GB, 512_000.0, 0.0, GB, GB, Err(NotMeasured::StoodStill)),
        (0.0, 512_000.0, GB, 1.0, GB, Err(NotMeasured::StoodStill)),
        (0.0, 512_000.0, 0.0, 1.0, GB, Err(NotMeasured::TooLittle(0.0))),
    ];
    for (host, host_unit, media, media_unit, capacity, expected) in cases {
        let host = Growth { resolution: host_unit, ..exact(host) };
        let media = Growth { resolution: media_unit, ..exact(media) };
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
    let host = Growth { resolution: 512_000.0, ..exact(100.0 * 512_000.0) };
    let media = Growth { resolution: 512_000.0, ..exact(130.0 * 512_000.0) };
    let found = ratio(media, host).unwrap();
    assert!((found.low - 129.0 / 101.0).abs() < 1e-12, "{found:?}");
    assert!((found.high - 131.0 / 99.0).abs() < 1e-12, "{found:?}");
}

/// A drive whose counters grow at these rates, in bytes per second, and are updated at these
/// intervals.
#[derive(Clone, Copy, Debug)]
struct Known {
    host: f64,
    media: f64,
    host_every_s: f64,
    media_every_s: f64,
    phase_s: f64,
}

impl Known {
    /// Reading of a counter at a time.
    fn shown(&self, rate: f64, every_s: f64, t: f64) -> CounterReading {
        let since = t + 1_000.0 + self.phase_s;
        let at = if every_s > 0.0 { (since / every_s).floor() * every_s } else { since };
        (t, at * rate)
    }

    /// The amplification as measured from readings at these times.
    fn measured(
        &self,
        host_times: &[f64],
        media_times: &[f64],
        (span, of_a_log): (LoadSpan, bool),
    ) -> Result<Amplification, NotMeasured> {
        let read = |rate, every_s, times: &[f64]| -> Vec<CounterReading> {
            times.iter().map(|t| self.shown(rate, every_s, *t)).collect()
        };
        let host = read(self.host, self.host_every_s, host_times);
        let media = read(self.media, self.media_every_s, media_times);
        let counter = |readings| Counter { readings, unit_bytes: 1.0, of_a_log };
        let kernel: Vec<CounterReading> =
            (-60..90).map(f64::from).map(|t| self.shown(self.host, 0.0, t)).collect();
        let both = of_both(counter(&host), counter(&media), &span, Some(&kernel))?;
        of_drive(both, f64::MAX, Some(1.0))
    }
}

fn warm(window_s: f64) -> LoadSpan {
    LoadSpan { on_s: -4.0, from_s: 0.0, off_s: window_s, until_s: window_s }
}

/// Times at which the meter `nvme` reads: three times at once at each mark, then every 0.5 s and
/// every second until it has seen two changes, and every ten seconds otherwise.
fn nvme_times(known: &Known, window_s: f64) -> Vec<f64> {
    let mut times = Vec::new();
    for (mark, until) in [(-5.0, 0.0), (0.0, window_s), (window_s, window_s + 3.5)] {
        let (mut t, mut changes, mut last) = (mark, 0, f64::NAN);
        while t < until {
            times.push(t);
            let shown = known.shown(known.media, known.media_every_s, t).1;
            changes += u32::from(shown > last);
            last = shown;
            let since = t - mark;
            t += match (since, changes) {
                (..0.15, _) => 0.06,
                (_, 2..) => 10.0,
                (..5.0, _) => 0.5,
                (..60.0, _) => 1.0,
                _ => 10.0,
            };
        }
    }
    times
}

#[test]
fn amplification_is_within_its_interval_or_not_measured_whatever_the_counters_do() {
    let mut measured = 0;
    for every in [0.0, 1.0, 5.0, 10.0, 15.0, 60.0] {
        for window_s in [10.0, 20.0, 60.0] {
            for phase in 0..20 {
                let known = Known {
                    host: 500e6,
                    media: 1000e6,
                    host_every_s: if phase % 2 == 0 { 0.0 } else { every },
                    media_every_s: every,
                    phase_s: f64::from(phase) * every.max(1.0) / 20.0,
                };
                let times = nvme_times(&known, window_s);
                let found = known.measured(&times, &times, (warm(window_s), true));
                if let Ok(found) = found {
                    measured += 1;
                    let holds = found.low <= 2.0 && 2.0 <= found.high;
                    assert!(holds, "{known:?}, {window_s} s: {found:?}");
                } else {
                    assert!(every > 0.5, "{known:?}, {window_s} s: {found:?}");
                }
            }
        }
    }
    // Every window with counters that show each write, and one minute of those that are updated
    // every second.
    assert!(measured >= 80, "{measured}");
}

#[test]
fn counters_that_are_printed_at_two_rates_are_compared_over_the_same_interval() {
    // 100 MB/s to the host interface, 250 MB/s to the media, read by two commands.
    let known =
        Known { host: 1e8, media: 2.5e8, host_every_s: 0.0, media_every_s: 0.0, phase_s: 0.0 };
    let times = |every: f64, first: f64, until: f64| -> Vec<f64> {
        (0..).map(|i| first + every * f64::from(i)).take_while(|t| *t < until).collect()
    };
    for (host_every, media_every, window_s, most) in [
        (0.5, 5.0, 22.0, Some(0.06)),
        (5.0, 0.5, 22.0, Some(0.06)),
        (0.5, 0.5, 20.0, Some(0.06)),
        (5.0, 5.0, 20.0, None),
        (5.0, 5.0, 60.0, Some(0.12)),
        (2.0, 3.0, 60.0, Some(0.12)),
    ] {
        for phase in 0..10 {
            let phase = f64::from(phase) / 10.0;
            let host = times(host_every, -6.0 + phase * host_every, window_s + 3.5);
            let media = times(media_every, -6.0 + (1.0 - phase) * media_every, window_s + 3.5);
            match (known.measured(&host, &media, (warm(window_s), false)), most) {
                (Ok(found), Some(most)) => {
                    assert!((found.value - 2.5).abs() < 1e-6, "{host_every} {media_every}");
                    assert!(found.low <= 2.5 && 2.5 <= found.high, "{found:?}");
                    assert!(found.high / found.low - 1.0 < 2.0 * most, "{found:?}");
                }
                (Ok(found), None) => assert!((found.value - 2.5).abs() < 1e-6, "{found:?}"),
                (Err(NotMeasured::TooCoarse(_)), _) => {}
                (Err(why), _) => panic!("{host_every} and {media_every} s: {why:?}"),
            }
        }
    }
}

#[test]
fn an_update_at_the_end_of_a_window_does_not_count_for_it() {
    // Updated once per minute, and just before the end of 20 s.
    for at in [0.07, 5.0, 19.9] {
        let known = Known {
            host: 500e6,
            media: 1000e6,
            host_every_s: 0.0,
            media_every_s: 60.0,
            phase_s: 20.0 - at,
        };
        let times = nvme_times(&known, 20.0);
        let found = known.measured(&times, &times, (warm(20.0), true));
        assert!(found.is_err(), "at {at} s: {found:?}");
    }
}

#[test]
fn a_load_that_stalls_does_not_make_its_counters_seldom_updated() {
    // Nothing is written in the last 4 s of 20 s.
    let written = |t: f64| t.clamp(-4.0, 16.0) + 4.0;
    let times: Vec<f64> = (-10..=48).map(|i| f64::from(i) / 2.0).collect();
    let of = |rate: f64| -> Vec<CounterReading> {
        times.iter().map(|t| (*t, written(*t) * rate)).collect()
    };
    let (host, media) = (of(100.0), of(250.0));
    let counter = |readings| Counter { readings, unit_bytes: 1.0, of_a_log: true };
    let of = |moving| of_both(counter(&host), counter(&media), &warm(20.0), moving).unwrap().1;
    assert_eq!(of(None).bytes, 4_000.0);
    assert!(of(None).resolution > 500.0, "nothing shows that the load stalled");
    assert!(of(Some(&host)).resolution <= 250.0, "{:?}", of(Some(&host)));
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
    // Amplification 1 for five seconds, then 3.
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
