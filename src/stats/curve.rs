//! A curve of latency against load: its knee, the load that it carries at a latency, and the search for that load.

/// One point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At {
    pub load: f64,
    pub latency: f64,
}

/// The points by rising load, without those at which more load was asked for and less came (the curve bends back).
pub fn rising(points: &[At]) -> Vec<At> {
    let mut sorted: Vec<At> =
        points.iter().copied().filter(|p| p.load.is_finite() && p.latency.is_finite() && p.latency > 0.0).collect();
    sorted.sort_by(|a, b| a.load.total_cmp(&b.load));
    sorted.dedup_by(|a, b| a.load == b.load);
    sorted
}

/// The knee: with both axes scaled to 0 … 1, the point that lies farthest below the straight line from the first point to
/// the last (Satopää et al., "Finding a Kneedle in a Haystack", 2011, for a convex curve). Nothing for fewer than three
/// points, or where the curve nowhere sags by a tenth: a straight line has no knee.
pub fn knee(points: &[At]) -> Option<At> {
    const LEAST_SAG: f64 = 0.1;
    let points = rising(points);
    let (first, last) = (points.first()?, points.last()?);
    let (wide, high) = (last.load - first.load, last.latency - first.latency);
    if points.len() < 3 || wide <= 0.0 || high <= 0.0 {
        return None;
    }
    let sag = |p: &At| (p.load - first.load) / wide - (p.latency - first.latency) / high;
    let best = points.iter().max_by(|a, b| sag(a).total_cmp(&sag(b)))?;
    (sag(best) >= LEAST_SAG).then_some(*best)
}

/// The load at which the curve first reaches a latency, between two points on the straight line through them. Nothing where
/// the whole curve lies above it, or below it: what was not measured is not guessed.
pub fn load_at(points: &[At], latency: f64) -> Option<f64> {
    let points = rising(points);
    points.windows(2).find(|w| w[0].latency <= latency && w[1].latency > latency).map(|w| {
        let share = (latency - w[0].latency) / (w[1].latency - w[0].latency);
        w[0].load + share * (w[1].load - w[0].load)
    })
}

/// The latency at which two curves are held against each other: the highest that both reach, and their loads there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equal {
    pub latency: f64,
    pub load: f64,
    pub other_load: f64,
}

/// Both at the latency of `a`'s knee if both carry a load there, or else halfway up the part that both have.
pub fn at_equal_latency(a: &[At], b: &[At]) -> Option<Equal> {
    let both = |latency: f64| Some(Equal { latency, load: load_at(a, latency)?, other_load: load_at(b, latency)? });
    let span = |points: &[At]| {
        let latencies = points.iter().map(|p| p.latency).filter(|l| l.is_finite());
        latencies.fold((f64::MAX, 0.0f64), |(low, high), l| (low.min(l), high.max(l)))
    };
    let (a_span, b_span) = (span(a), span(b));
    let halfway = (a_span.0.max(b_span.0) + a_span.1.min(b_span.1)) / 2.0;
    knee(a).and_then(|k| both(k.latency)).or_else(|| both(halfway))
}

/// How many times `b`'s latency is that of `a`, over the loads that both curves carry: the area between the curves of the
/// latencies' logarithms, over the width of those loads, taken back from the logarithm. So it is a geometric mean over
/// load, the inverse if the two change places, and not ruled by the steep end. Nothing where fewer than a tenth of the
/// loads are shared.
pub fn latency_ratio(a: &[At], b: &[At]) -> Option<f64> {
    const STEPS: u32 = 1_000;
    const LEAST_SHARED: f64 = 0.1;
    let (a, b) = (rising(a), rising(b));
    let (low, high) = (a.first()?.load.max(b.first()?.load), a.last()?.load.min(b.last()?.load));
    let whole = a.last()?.load.max(b.last()?.load) - a.first()?.load.min(b.first()?.load);
    if high - low <= 0.0 || high - low < LEAST_SHARED * whole {
        return None;
    }
    // Midpoints: a curve of straight pieces is summed to far better than its points were measured.
    let at = |i: u32| low + (high - low) * (f64::from(i) + 0.5) / f64::from(STEPS);
    let sum: Option<f64> = (0..STEPS).map(|i| Some((latency_at(&b, at(i))? / latency_at(&a, at(i))?).ln())).sum();
    Some((sum? / f64::from(STEPS)).exp())
}

/// The latency at a load, on the straight line between the two points around it. `points` rise in load.
pub fn latency_at(points: &[At], load: f64) -> Option<f64> {
    let w = points.windows(2).find(|w| w[0].load <= load && load <= w[1].load)?;
    Some(w[0].latency + (w[1].latency - w[0].latency) * (load - w[0].load) / (w[1].load - w[0].load))
}

/// The next rate to try in the search for the highest load whose latency stays within a limit: the middle of what is known
/// to hold and what is known not to, until they lie `tolerance` (a share of `maximum`) apart. `tried`: rate, and whether it
/// held.
pub fn next_rate(maximum: f64, tried: &[(f64, bool)], tolerance: f64) -> Option<f64> {
    let broken = tried.iter().filter(|t| !t.1).map(|t| t.0).fold(maximum, f64::min);
    // A drive may hold at a load above one at which it once did not; the doubtful range is looked at no more.
    let held = tried.iter().filter(|t| t.1 && t.0 < broken).map(|t| t.0).fold(0.0, f64::max);
    (maximum > 0.0 && broken - held > tolerance * maximum).then_some((held + broken) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The response time of a queue with one server (M/M/1): service time ÷ (1 − utilisation).
    fn queue(capacity: f64, service: f64) -> Vec<At> {
        let share = |i: i32| f64::from(i) / 100.0;
        (10..=95).step_by(5).map(|i| At { load: share(i) * capacity, latency: service / (1.0 - share(i)) }).collect()
    }

    #[test]
    fn the_knee_of_a_queue_is_where_its_slope_is_the_chords() {
        // In scaled axes the chord has slope 1; 1 ÷ (1 − u) from 0.1 to 0.95 has the chord's slope at 1 − u = √(0.9 × 0.05).
        let truth = 1.0 - (0.9f64 * 0.05).sqrt();
        let knee = knee(&queue(100_000.0, 80.0)).expect("a knee");
        assert!((knee.load / 100_000.0 - truth).abs() <= 0.025 + 1e-9, "{} is not {truth}", knee.load);
    }

    #[test]
    fn a_straight_line_has_no_knee() {
        let line: Vec<At> = (1..10).map(|i| At { load: f64::from(i), latency: 5.0 * f64::from(i) }).collect();
        assert_eq!(knee(&line), None);
        assert_eq!(knee(&line[..2]), None);
    }

    #[test]
    fn the_load_at_a_latency_is_found_between_points_and_never_beyond_them() {
        let points = [(10.0, 100.0), (20.0, 200.0), (30.0, 900.0)].map(|(load, latency)| At { load, latency });
        assert_eq!(load_at(&points, 150.0), Some(15.0));
        assert_eq!(load_at(&points, 200.0), Some(20.0));
        assert_eq!((load_at(&points, 99.0), load_at(&points, 901.0)), (None, None));
    }

    #[test]
    fn a_drive_of_one_and_a_half_times_the_capacity_carries_that_much_more_at_equal_latency() {
        let equal = at_equal_latency(&queue(150_000.0, 80.0), &queue(100_000.0, 80.0)).expect("comparable");
        assert!((equal.load / equal.other_load - 1.5).abs() < 0.01, "{equal:?}");
    }

    #[test]
    fn the_area_between_two_queues_is_the_ratio_of_their_service_times() {
        let (a, b) = (queue(100_000.0, 80.0), queue(100_000.0, 120.0));
        let ratio = latency_ratio(&a, &b).expect("the same loads");
        assert!((ratio - 1.5).abs() < 1e-9, "{ratio}");
        let (there, back) = (latency_ratio(&a, &queue(70_000.0, 90.0)), latency_ratio(&queue(70_000.0, 90.0), &a));
        assert!((there.expect("shared") * back.expect("shared") - 1.0).abs() < 1e-9);
        assert_eq!(latency_ratio(&a, &queue(9_000.0, 80.0)), None, "no load is shared");
    }

    #[test]
    fn the_search_ends_within_its_tolerance_of_the_truth() {
        for truth in [1.0, 333.0, 640.0, 999.0] {
            let mut tried = Vec::new();
            while let Some(rate) = next_rate(1000.0, &tried, 0.01) {
                tried.push((rate, rate <= truth));
                assert!(tried.len() <= 7, "{tried:?}");
            }
            let held = tried.iter().filter(|t| t.1).map(|t| t.0).fold(0.0, f64::max);
            assert!(held <= truth && truth - held <= 10.0, "{held} for {truth}");
        }
    }
}
