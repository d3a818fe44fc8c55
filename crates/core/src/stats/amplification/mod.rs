//! Write amplification from counters: the ratio of the growth of two counters, with the uncertainty
//! that their resolution causes, or the reason if it is not measured.

/// Value of a counter in bytes and its time in seconds, as (seconds, bytes), ordered by time.
pub type CounterReading = (f64, f64);

/// Minimum bytes written, as a multiple of the capacity, for a write amplification: until a drive
/// has been overwritten once, it also collects garbage of earlier loads.
pub const LEAST_FILLS: f64 = 1.0;

/// Maximum half-width of an interval, relative to the value, for which the value is printed.
pub const COARSEST: f64 = 0.1;

/// Reason why a value is not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotMeasured {
    /// The counter has no reading before or after the load.
    NotRead,
    /// No log of a drive counts bytes written to its media.
    NoMediaCount,
    /// Only some drives of the subject count both.
    NotOnEveryDrive,
    /// The counter decreased: it was reset or restarted.
    Fell,
    /// The counter did not change although the other one did.
    StoodStill,
    /// The load wrote this multiple of the capacity, which is less than `LEAST_FILLS`.
    TooLittle(f64),
    /// The capacity is unknown.
    NoCapacity,
    /// The units, update intervals and readings of the counters leave an uncertainty above
    /// `COARSEST`. The value is half of the interval as a share.
    TooCoarse(f64),
}

/// Bytes written according to a counter, with bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Bytes.
    pub bytes: f64,
    /// Maximum error of `bytes` in either direction.
    pub resolution: f64,
    /// Time of the load that the bytes cover, seconds.
    pub seconds: f64,
}

/// Ratio of two growths with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amplification {
    /// The ratio.
    pub value: f64,
    /// Lower bound from the counters' resolution.
    pub low: f64,
    /// Upper bound from the counters' resolution.
    pub high: f64,
}

/// Times of a load and its window, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadSpan {
    /// Start of the load. Counters do not change before it.
    pub on_s: f64,
    /// Start of the window.
    pub from_s: f64,
    /// End of the load.
    pub off_s: f64,
    /// Earliest time of the counters' last reading: the end of the load, or of its cool-down.
    pub until_s: f64,
}

impl LoadSpan {
    /// Seconds of the load between two times.
    fn of_load(&self, from_s: f64, until_s: f64) -> f64 {
        (until_s.min(self.off_s) - from_s.max(self.on_s)).max(0.0)
    }
}

/// A counter of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Counter<'a> {
    /// Readings in order of time.
    pub readings: &'a [CounterReading],
    /// Bytes per count.
    pub unit_bytes: f64,
    /// Whether a reading may be older than its time: a drive updates the counters of its logs at
    /// times of its own choice. Other instruments report current values.
    pub of_a_log: bool,
}

/// The growth of a counter over a span that starts and ends with the load, in seconds: from the
/// last reading before the start (or the nearest one) to the first reading after the end. Its error
/// is one unit, or for a counter that is updated rarely, its largest update.
pub fn growth(
    readings: &[CounterReading],
    span: &LoadSpan,
    unit_bytes: f64,
) -> Result<Growth, NotMeasured> {
    let finite = finite(readings);
    let before = last_until(&finite, span.from_s);
    let first = before.or(finite.iter().position(|r| r.0 - span.from_s <= REACH_S));
    let last = first_from(&finite, span.until_s);
    let last = last.or(finite.iter().rposition(|r| span.until_s - r.0 <= REACH_S));
    let (first, last) = first.zip(last).filter(|(a, b)| a < b).ok_or(NotMeasured::NotRead)?;
    let own = &finite[first..=last];
    rising(own)?;
    let (first, last) = (own[0], own[own.len() - 1]);
    Ok(Growth {
        bytes: last.1 - first.1,
        resolution: unit_bytes.max(largest_update(own, span, None)),
        seconds: span.of_load(first.0, last.0),
    })
}

/// The growth of host bytes and of media bytes over the same interval: from a reading of the less
/// frequently read counter near the start of the window to one near its end. The other counter is
/// interpolated at these times, with an uncertainty of half of its change between the two adjacent
/// readings. `moving` is another counter of host bytes. It distinguishes a counter that is not
/// updated from a load that writes nothing.
pub fn of_both(
    host: Counter<'_>,
    media: Counter<'_>,
    span: &LoadSpan,
    moving: Option<&[CounterReading]>,
) -> Result<(Growth, Growth), NotMeasured> {
    let (of_host, of_media) = (finite(host.readings), finite(media.readings));
    let inside = |all: &[CounterReading]| {
        all.iter().filter(|r| (span.on_s..=span.off_s).contains(&r.0)).count()
    };
    let by_host = inside(&of_host) < inside(&of_media);
    let (seldom, often) = if by_host { (&of_host, &of_media) } else { (&of_media, &of_host) };
    let (from_s, until_s) = interval(seldom, often, span).ok_or(NotMeasured::NotRead)?;
    let seconds = span.of_load(from_s, until_s);
    let moving = moving.map(finite);
    let of = |counter: Counter<'_>, all: &[CounterReading]| {
        let at = |t| value_at(all, t, span).ok_or(NotMeasured::NotRead);
        let (first, last) = (at(from_s)?, at(until_s)?);
        let near = |r: &&CounterReading| {
            (from_s.min(span.from_s) - REACH_S..=until_s.max(span.off_s) + REACH_S).contains(&r.0)
        };
        let own: Vec<CounterReading> = all.iter().filter(near).copied().collect();
        rising(&own)?;
        let bytes = last.0 - first.0;
        let mut update = largest_update(&own, span, moving.as_deref());
        if counter.of_a_log && update <= counter.unit_bytes {
            update = update.max(hidden_update(&own, span).unwrap_or(bytes));
        }
        let resolution = counter.unit_bytes.max(update) + first.1 + last.1;
        Ok(Growth { bytes, resolution, seconds })
    };
    Ok((of(host, &of_host)?, of(media, &of_media)?))
}

fn finite(readings: &[CounterReading]) -> Vec<CounterReading> {
    readings.iter().copied().filter(|r| r.1.is_finite()).collect()
}

/// Index of the last reading up to a time. A log of hours is searched once for each reading of
/// another one, so the search must not be linear.
fn last_until(readings: &[CounterReading], t: f64) -> Option<usize> {
    readings.partition_point(|r| r.0 <= t).checked_sub(1)
}

/// Index of the first reading from a time on.
fn first_from(readings: &[CounterReading], t: f64) -> Option<usize> {
    Some(readings.partition_point(|r| r.0 < t)).filter(|at| *at < readings.len())
}

fn rising(own: &[CounterReading]) -> Result<(), NotMeasured> {
    match own.windows(2).any(|pair| pair[1].1 < pair[0].1) {
        true => Err(NotMeasured::Fell),
        false => Ok(()),
    }
}

/// Maximum distance of readings from the window's edges, seconds: a mark triggers a reading at
/// once, and reading a log takes a command of at most a second.
const REACH_S: f64 = 2.0;

/// Maximum distance from the window's edges of the readings of a rarely read counter, as a share of
/// the load. It is possible because both counters are compared over the same interval.
const REACH: f64 = 1.0 / 3.0;

/// The readings of the less frequently read counter that limit the interval of the comparison.
fn interval(
    seldom: &[CounterReading],
    often: &[CounterReading],
    span: &LoadSpan,
) -> Option<(f64, f64)> {
    let reach_s = REACH_S.max((span.off_s - span.from_s) * REACH);
    let times = || seldom.iter().map(|r| r.0).filter(|t| value_at(often, *t, span).is_some());
    let next = |t: f64| first_from(often, t).map(|at| often[at].0);
    let previous = |t: f64| last_until(often, t).map(|at| often[at].0);
    let nearest = |to: f64| {
        let all = times().filter(|t| (t - to).abs() <= reach_s);
        all.min_by(|a, b| (a - to).abs().total_cmp(&(b - to).abs()))
    };
    // While nothing is written, neither counter changes, so neither has to be interpolated.
    let standing_before = || times().rfind(|t| next(*t).is_some_and(|next| next <= span.from_s));
    let is_warm = span.on_s < span.from_s;
    let from_s =
        (if is_warm { None } else { standing_before() }).or_else(|| nearest(span.from_s))?;
    let is_after = |t: &f64| *t >= span.off_s && previous(*t).is_some_and(|t| t >= span.off_s);
    let is_cooled = span.until_s > span.off_s;
    let after = if is_cooled { times().rfind(is_after) } else { times().find(is_after) };
    let until_s = after.or_else(|| nearest(span.off_s))?;
    (from_s < until_s).then_some((from_s, until_s))
}

/// The value of a counter at a time, and its maximum error: half of the change between the adjacent
/// readings.
fn value_at(readings: &[CounterReading], t: f64, span: &LoadSpan) -> Option<(f64, f64)> {
    let (before, after) = (last_until(readings, t), first_from(readings, t));
    let stands = |a: &CounterReading| {
        let earlier = before.and_then(|i| readings.get(i.checked_sub(1)?));
        earlier.is_some_and(|earlier| earlier.0 >= span.off_s && earlier.1 == a.1)
    };
    match (before.map(|i| readings[i]), after.map(|i| readings[i])) {
        (Some(a), Some(b)) if b.0 > a.0 => {
            let share = (t - a.0) / (b.0 - a.0);
            Some((a.1 + (b.1 - a.1) * share, (b.1 - a.1) / 2.0))
        }
        (Some(a), Some(_)) => Some((a.1, 0.0)),
        // After the load the counter does not change, as far as its last readings show.
        (Some(a), None) if stands(&a) => Some((a.1, 0.0)),
        _ => None,
    }
}

/// The largest change that followed readings without a change during the load; 0 if every reading
/// shows a change. Three corrections apply. If a change followed a longer gap between readings than
/// the time without a change, only that time's share of it counts: a busy host reads late, which is
/// no sign of a rarely updated counter. If it followed a shorter gap, a rarely updated counter
/// shows all bytes of the time without a change at once, several times the mean rate multiplied by
/// the gap; a change of at most 1.5 times that is the first one after a stall of the load. If the
/// counter does not change at the end, the bytes that the mean rate writes in that time are still
/// to be shown.
fn largest_update(
    own: &[CounterReading],
    span: &LoadSpan,
    moving: Option<&[CounterReading]>,
) -> f64 {
    let Some((all_s, all)) = in_load(own, span) else { return 0.0 };
    let rate = all / all_s;
    let moved = |from: f64, until: f64| moving.is_none_or(|other| moves(other, from, until, span));
    let (mut largest, mut still_s) = (0f64, 0f64);
    for pair in own.windows(2) {
        let (from_s, until_s) = (pair[0].0.max(span.on_s), pair[1].0.min(span.off_s));
        let gap_s = until_s - from_s;
        if gap_s <= 0.0 {
            continue;
        }
        let change = pair[1].1 - pair[0].1;
        if change == 0.0 {
            still_s += if moved(from_s, until_s) { gap_s } else { 0.0 };
            continue;
        }
        if gap_s > still_s {
            largest = largest.max(change * still_s / gap_s);
        } else if change > 1.5 * gap_s * rate {
            largest = largest.max(change);
        }
        still_s = 0.0;
    }
    largest.max(still_s * rate)
}

/// Seconds and change of a counter during the load.
fn in_load(own: &[CounterReading], span: &LoadSpan) -> Option<(f64, f64)> {
    let (first, last) = (own.first()?, own.last()?);
    let seconds = span.of_load(first.0, last.0);
    (seconds > 0.0).then_some((seconds, last.1 - first.1))
}

/// Whether another counter grew between two times by at least a quarter of its mean growth.
fn moves(other: &[CounterReading], from_s: f64, until_s: f64, span: &LoadSpan) -> bool {
    let at = |t| value_at(other, t, span).map(|own| own.0);
    let mean = in_load(other, span).map(|(seconds, bytes)| bytes / seconds);
    match (at(from_s), at(until_s), mean) {
        (Some(from), Some(until), Some(mean)) => until - from > 0.25 * mean * (until_s - from_s),
        _ => true,
    }
}

/// Upper bound of an update that is hidden because readings are far apart: n gaps between readings,
/// each with a change, contain at least n updates, so n - 1 of them were at most the change over
/// all n. The smallest such change; None if no two adjacent gaps each show a change.
fn hidden_update(own: &[CounterReading], span: &LoadSpan) -> Option<f64> {
    let on = |r: &&CounterReading| (span.on_s..=span.off_s).contains(&r.0);
    let own: Vec<CounterReading> = own.iter().filter(on).copied().collect();
    let mut least: Option<f64> = None;
    for first in 0..own.len() {
        let rises = own[first..].windows(2).take_while(|pair| pair[1].1 > pair[0].1).count();
        for gaps in 2..=rises.min(MOST_GAPS) {
            let one = (own[first + gaps].1 - own[first].1) / (gaps - 1) as f64;
            least = Some(least.map_or(one, |least| least.min(one)));
        }
    }
    least
}

/// Maximum number of adjacent gaps examined: more of them narrow the bound only slightly.
const MOST_GAPS: usize = 20;

/// Sum of the growths of several drives.
pub fn together(
    all: impl IntoIterator<Item = Result<Growth, NotMeasured>>,
) -> Result<Growth, NotMeasured> {
    let mut sum = Growth { bytes: 0.0, resolution: 0.0, seconds: 0.0 };
    let mut any = false;
    for growth in all {
        let growth = growth?;
        any = true;
        sum.bytes += growth.bytes;
        sum.resolution += growth.resolution;
        sum.seconds = sum.seconds.max(growth.seconds);
    }
    if any { Ok(sum) } else { Err(NotMeasured::NotRead) }
}

/// Media bytes per host byte. `load_bytes` is the total that the load wrote, including its warm-up.
pub fn of_drive(
    (host, media): (Growth, Growth),
    load_bytes: f64,
    capacity_bytes: Option<f64>,
) -> Result<Amplification, NotMeasured> {
    if host.bytes <= host.resolution && media.bytes <= media.resolution {
        let fills = load_bytes / capacity_bytes.unwrap_or(f64::INFINITY);
        return Err(match fills >= LEAST_FILLS && host.bytes > 0.0 {
            true => NotMeasured::TooCoarse(host.resolution / host.bytes),
            false => NotMeasured::TooLittle(fills),
        });
    }
    let stands =
        |own: Growth, other: Growth| own.bytes == 0.0 && other.bytes > 2.0 * own.resolution;
    if stands(host, media) || stands(media, host) {
        return Err(NotMeasured::StoodStill);
    }
    let fills = load_bytes / capacity_bytes.ok_or(NotMeasured::NoCapacity)?;
    // One request more or less does not matter.
    if fills < LEAST_FILLS * 0.999 {
        return Err(NotMeasured::TooLittle(fills));
    }
    ratio(media, host)
}

/// One growth per byte of another; an error if their units leave too large an uncertainty.
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

/// Write amplification over time: the middle of each interval in seconds, and its ratio. Intervals
/// are as long as needed for an uncertainty of at most `COARSEST`, and at least `least_s`.
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
        let grown = |bytes, resolution| Growth { bytes, resolution, seconds: 0.0 };
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
