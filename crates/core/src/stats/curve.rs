//! A latency–load curve: its knee, the load at a latency and the latency at a load.

/// One point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadAndLatency {
    /// The load, in the unit of the step's axis.
    pub load: f64,
    /// The latency, nanoseconds.
    pub latency: f64,
}

/// The points by ascending load, without those with more offered but less achieved load (the curve
/// bends back).
pub fn rising(points: &[LoadAndLatency]) -> Vec<LoadAndLatency> {
    let mut sorted: Vec<LoadAndLatency> = points
        .iter()
        .copied()
        .filter(|p| p.load.is_finite() && p.latency.is_finite() && p.latency > 0.0)
        .collect();
    sorted.sort_by(|a, b| a.load.total_cmp(&b.load));
    sorted.dedup_by(|a, b| a.load == b.load);
    sorted
}

/// The knee: with both axes scaled to 0 … 1, the point farthest below the straight line from the
/// first point to the last (Satopää et al., "Finding a Kneedle in a Haystack", 2011, for a convex
/// curve). None for fewer than three points, or if the curve nowhere sags by a tenth: a straight
/// line has no knee.
pub fn knee(points: &[LoadAndLatency]) -> Option<LoadAndLatency> {
    const LEAST_SAG: f64 = 0.1;
    let points = rising(points);
    let (first, last) = (points.first()?, points.last()?);
    let (wide, high) = (last.load - first.load, last.latency - first.latency);
    if points.len() < 3 || wide <= 0.0 || high <= 0.0 {
        return None;
    }
    let sag =
        |p: &LoadAndLatency| (p.load - first.load) / wide - (p.latency - first.latency) / high;
    let best = points.iter().max_by(|a, b| sag(a).total_cmp(&sag(b)))?;
    (sag(best) >= LEAST_SAG).then_some(*best)
}

/// The load at which the curve first reaches a latency, by linear interpolation between two points.
/// None if the whole curve is above or below it: no extrapolation.
pub fn load_at(points: &[LoadAndLatency], latency: f64) -> Option<f64> {
    let points = rising(points);
    points.windows(2).find(|w| w[0].latency <= latency && w[1].latency > latency).map(|w| {
        let share = (latency - w[0].latency) / (w[1].latency - w[0].latency);
        w[0].load + share * (w[1].load - w[0].load)
    })
}

/// The latency at a load, by linear interpolation between the two adjacent points. `points` are in
/// ascending order.
pub fn latency_at(points: &[LoadAndLatency], load: f64) -> Option<f64> {
    let w = points.windows(2).find(|w| w[0].load <= load && load <= w[1].load)?;
    Some(
        w[0].latency + (w[1].latency - w[0].latency) * (load - w[0].load) / (w[1].load - w[0].load),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The response time of a queue with one server (M/M/1): service time ÷ (1 − utilisation).
    fn queue(capacity: f64, service: f64) -> Vec<LoadAndLatency> {
        let share = |i: i32| f64::from(i) / 100.0;
        (10..=95)
            .step_by(5)
            .map(|i| LoadAndLatency {
                load: share(i) * capacity,
                latency: service / (1.0 - share(i)),
            })
            .collect()
    }

    #[test]
    fn the_knee_of_a_queue_is_where_its_slope_is_the_chords() {
        // In scaled axes the chord has slope 1; 1 ÷ (1 − u) from 0.1 to 0.95 has the chord's slope
        // at 1 − u = √(0.9 × 0.05).
        let truth = 1.0 - (0.9f64 * 0.05).sqrt();
        let knee = knee(&queue(100_000.0, 80.0)).expect("a knee");
        assert!(
            (knee.load / 100_000.0 - truth).abs() <= 0.025 + 1e-9,
            "{} is not {truth}",
            knee.load
        );
    }

    #[test]
    fn a_straight_line_has_no_knee() {
        let line: Vec<LoadAndLatency> = (1..10)
            .map(|i| LoadAndLatency { load: f64::from(i), latency: 5.0 * f64::from(i) })
            .collect();
        assert_eq!(knee(&line), None);
        assert_eq!(knee(&line[..2]), None);
    }

    #[test]
    fn the_load_at_a_latency_is_found_between_points_and_never_beyond_them() {
        let points = [(10.0, 100.0), (20.0, 200.0), (30.0, 900.0)]
            .map(|(load, latency)| LoadAndLatency { load, latency });
        assert_eq!(load_at(&points, 150.0), Some(15.0));
        assert_eq!(load_at(&points, 200.0), Some(20.0));
        assert_eq!((load_at(&points, 99.0), load_at(&points, 901.0)), (None, None));
    }
}
