//! The meter readings of a point, and of the idle host before the first.

use std::collections::BTreeMap;

use crate::base::error::Result;
use crate::base::secret;
use crate::meter::watch::{MeterReading, MeterWatch};
use crate::plan::Plan;
use crate::record::gauge::WATTS;
use crate::record::live::Phase;
use crate::record::{Fact, IdlePower, Observed, Sample, Sink};
use crate::run::display::progress::Progress;
use crate::run::display::time::RunClock;

/// Readings retained before and after the load: a meter's delay of up to 2.5 s is determined from
/// the end of the load, and even then one second of it is visible.
const MARGIN_NS: u64 = 3_500_000_000;

/// The start of a point's load, its window, and the meters' mark at its end.
#[derive(Clone, Copy)]
pub struct Around {
    pub start_ns: u64,
    pub from_ns: u64,
    pub end_ns: u64,
    pub mark: u64,
}

/// Passes the readings around a point to the sink; errors of meters are returned as the point's
/// facts.
pub fn keep(
    watch: &MeterWatch,
    subject: &str,
    around: Around,
    time: RunClock<'_>,
    sink: &mut dyn Sink,
) -> Result<Vec<Fact>> {
    watch.await_mark(around.mark, time.clock);
    if watch.measures_power() {
        time.wait_until(around.end_ns + MARGIN_NS);
    }
    let from_ns = around.start_ns as i64 - MARGIN_NS as i64;
    let (seen, troubles) = watch.collect(subject, from_ns);
    // A cool-down may end later.
    let until_ns = (around.end_ns + MARGIN_NS).max(time.now_ns()) as i64;
    for MeterReading { meter, reading, .. } in
        seen.into_iter().filter(|s| s.reading.at_ns <= until_ns)
    {
        let at_ns = reading.at_ns - around.from_ns as i64;
        sink.sample(&Sample { at_ns, meter, name: reading.name, value: reading.value })?;
    }
    let since_ns = |at_ns: u64| (at_ns as f64 - around.from_ns as f64) / 1e9;
    let fact = |t: crate::meter::watch::MeterTrouble| {
        let what = format!("gap at {:.1} s: {}", since_ns(t.at_ns), secret::hide(&t.what));
        Fact::new("Meters", t.meter, what)
    };
    Ok(troubles.into_iter().map(fact).collect())
}

/// Observes the idle host, if the plan has meters: the mean of every power reading.
pub fn at_rest(
    watch: &MeterWatch,
    plan: &Plan,
    time: RunClock<'_>,
    progress: &Progress,
) -> Vec<Observed> {
    if !watch.measures_power() || plan.idle_ns == 0 {
        return Vec::new();
    }
    progress.doing(Phase::Idle, "reading idle power");
    let from_ns = time.now_ns();
    while time.now_ns() < from_ns + plan.idle_ns && !time.stopped() {
        progress.goes_on();
        time.wait_towards(from_ns + plan.idle_ns);
    }
    let mut observed = Vec::new();
    for subject in &plan.subjects {
        let mut means: BTreeMap<(String, String), (f64, u32)> = BTreeMap::new();
        for seen in watch.collect(&subject.name, from_ns as i64).0 {
            if seen.reading.name.ends_with(WATTS) && seen.reading.value.is_finite() {
                let mean = means.entry((seen.meter, seen.reading.name)).or_default();
                *mean = (mean.0 + seen.reading.value, mean.1 + 1);
            }
        }
        for ((meter, name), (sum, readings)) in means {
            let (subject, watts) = (subject.name.clone(), sum / f64::from(readings));
            observed.push(IdlePower { subject, meter, name, watts, readings }.into());
        }
    }
    observed
}
