//! Write amplification from counters: how much one grew while another did, with what their
//! resolution leaves open, or why that is not measured.

/// (seconds, bytes) of a counter, in the order of time.
pub type CounterReading = (f64, f64);

/// Writes of less than this share of the capacity do not show a load's write amplification: until
/// a drive has been written once, it cleans what earlier loads left.
pub const LEAST_FILLS: f64 = 1.0;

/// An interval whose half is wider than this share of the value is not printed.
pub const COARSEST: f64 = 0.1;

/// Why something is not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotMeasured {
    /// The counter was not read before the load and after it.
    NotRead,
    /// It fell: it was reset, or it began again.
    Fell,
    /// It did not move while the other one did.
    StoodStill,
    /// The load wrote this many times the capacity, fewer than `LEAST_FILLS`.
    TooLittle(f64),
    /// The capacity is not known.
    NoCapacity,
    /// The counter's unit leaves more open than `COARSEST`; half of the interval as a share.
    TooCoarse(f64),
}

/// How much was written: what the counter says, and its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Bytes.
    pub bytes: f64,
    /// By how many bytes the true value may lie above or below.
    pub resolution: f64,
}

/// A ratio of two growths with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amplification {
    /// The ratio.
    pub value: f64,
    /// The least that the counters' resolution leaves open.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// The growth of a counter over a span that begins and ends with the load, in seconds: from the
/// last reading before its beginning (or the nearest to it) to the first after its end. A change is
/// known to one unit; a counter that is updated seldom, to its largest update.
pub fn growth(
    readings: &[CounterReading],
    (from_s, until_s): (f64, f64),
    unit_bytes: f64,
) -> Result<Growth, NotMeasured> {
    let finite: Vec<&CounterReading> = readings.iter().filter(|r| r.1.is_finite()).collect();
    let before = finite.iter().rposition(|r| r.0 <= from_s);
    let first = before.or(finite.iter().position(|r| r.0 - from_s <= REACH_S));
    let last = finite.iter().position(|r| r.0 >= until_s);
    let last = last.or(finite.iter().rposition(|r| until_s - r.0 <= REACH_S));
    let (first, last) = first.zip(last).filter(|(a, b)| a < b).ok_or(NotMeasured::NotRead)?;
    let span = &finite[first..=last];
    if span.windows(2).any(|pair| pair[1].1 < pair[0].1) {
        return Err(NotMeasured::Fell);
    }
    let bytes = span[span.len() - 1].1 - span[0].1;
    Ok(Growth { bytes, resolution: unit_bytes.max(largest_update(span)) })
}

/// Edges may be missed by so many seconds: a mark wakes the meters at once, and a log takes a
/// command of a second at most.
const REACH_S: f64 = 2.0;

/// The largest change that followed readings without one; 0 where each reading shows a change. Of a
/// change that came after a longer gap between readings than the counter had stood still, only the
/// share of that time: a busy machine reads late, which is no sign of a counter updated seldom.
/// After a shorter gap, a counter that is updated seldom shows at once what was written meanwhile:
/// several times what the mean rate writes in the gap. A change that does not exceed that by half
/// is the first one after a stall of the load.
fn largest_update(span: &[&CounterReading]) -> f64 {
    // The first and the last reading lie outside the load, where nothing is to change.
    let inside = span.get(1..span.len() - 1).unwrap_or_default();
    let grown = |from: &CounterReading, to: &CounterReading| (to.0 - from.0, to.1 - from.1);
    let Some((all_s, all)) = inside.first().zip(inside.last()).map(|(a, b)| grown(a, b)) else {
        return 0.0;
    };
    let (mut largest, mut still_s) = (0f64, 0f64);
    for pair in inside.windows(2) {
        let (gap_s, change) = grown(pair[0], pair[1]);
        if change == 0.0 {
            still_s += gap_s;
            continue;
        }
        if gap_s > still_s {
            largest = largest.max(change * still_s / gap_s);
        } else if change > 1.5 * gap_s * all / all_s {
            largest = largest.max(change);
        }
        still_s = 0.0;
    }
    largest
}

/// Counts of several drives together.
pub fn together(
    all: impl IntoIterator<Item = Result<Growth, NotMeasured>>,
) -> Result<Growth, NotMeasured> {
    let mut sum = Growth { bytes: 0.0, resolution: 0.0 };
    let mut any = false;
    for growth in all {
        let growth = growth?;
        any = true;
        sum.bytes += growth.bytes;
        sum.resolution += growth.resolution;
    }
    if any { Ok(sum) } else { Err(NotMeasured::NotRead) }
}

/// Media bytes for each byte of the host. `load_bytes` is what the load wrote in all, its warm-up
/// included.
pub fn of_drive(
    (host, media): (Growth, Growth),
    load_bytes: f64,
    capacity_bytes: Option<f64>,
) -> Result<Amplification, NotMeasured> {
    if host.bytes <= host.resolution && media.bytes <= media.resolution {
        return Err(NotMeasured::TooLittle(load_bytes / capacity_bytes.unwrap_or(f64::INFINITY)));
    }
    let stands =
        |own: Growth, other: Growth| own.bytes == 0.0 && other.bytes > 2.0 * own.resolution;
    if stands(host, media) || stands(media, host) {
        return Err(NotMeasured::StoodStill);
    }
    let fills = load_bytes / capacity_bytes.ok_or(NotMeasured::NoCapacity)?;
    // A last request more or less does not matter.
    if fills < LEAST_FILLS * 0.999 {
        return Err(NotMeasured::TooLittle(fills));
    }
    ratio(media, host)
}

/// One growth for each byte of another; not measured where their units leave too much open.
pub fn ratio(of: Growth, per: Growth) -> Result<Amplification, NotMeasured> {
    let value = of.bytes / per.bytes;
    let low = (of.bytes - of.resolution).max(0.0) / (per.bytes + per.resolution);
    let high = match per.bytes > per.resolution {
        true => (of.bytes + of.resolution) / (per.bytes - per.resolution),
        false => f64::INFINITY,
    };
    let open = (high - low) / 2.0 / value;
    match open <= COARSEST {
        true => Ok(Amplification { value, low, high }),
        false => Err(NotMeasured::TooCoarse(open)),
    }
}

/// Write amplification over time: the middle of each stretch in seconds, and the ratio in it.
/// Stretches are as long as the counters need to be known to `COARSEST`, and at least `least_s`.
pub fn over_time(
    host: (&[CounterReading], f64),
    media: (&[CounterReading], f64),
    least_s: f64,
) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    let at = |readings: &[CounterReading], t: f64| {
        let after = readings.iter().position(|r| r.0 >= t)?;
        let (a, b) = (readings[after.saturating_sub(1)], readings[after]);
        let share = if b.0 > a.0 { ((t - a.0) / (b.0 - a.0)).clamp(0.0, 1.0) } else { 1.0 };
        Some(a.1 + (b.1 - a.1) * share)
    };
    let Some(first) = media.0.first() else { return out };
    let mut from = (first.0, at(host.0, first.0).unwrap_or(f64::NAN), first.1);
    for (t, counted) in &media.0[1..] {
        let Some(received) = at(host.0, *t) else { continue };
        if received < from.1 || *counted < from.2 {
            from = (*t, received, *counted);
            continue;
        }
        let grown = |bytes, resolution| Growth { bytes, resolution };
        let found = ratio(grown(counted - from.2, media.1), grown(received - from.1, host.1));
        if let (true, Ok(found)) = (t - from.0 >= least_s, found) {
            out.push(((from.0 + t) / 2.0, found.value));
            from = (*t, received, *counted);
        }
    }
    out
}

#[cfg(test)]
mod tests;
