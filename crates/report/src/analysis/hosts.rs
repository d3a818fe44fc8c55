//! Combines load from several hosts: bundles whose points started at the same absolute time. Ops
//! and bytes are added and histograms merged if the windows overlap according to clocks that were
//! checked; otherwise the sum is refused, with the reason.

use std::collections::BTreeMap;

use crate::analysis::points::point_numbers::Times;
use dyno_core::base::histogram::Histogram;
use dyno_core::record::{
    Censored, Class, CommonStart, Outcome, Point, RunContents, Tally, observed,
};

/// Minimum common share of the longest window: the error is then at most a hundredth of the sum.
const COMMON: f64 = 0.99;

/// One of the hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct JointHost {
    /// The bundle's file name.
    pub file: String,
    /// Start times of its points, and the offset of its clock from the common reference.
    pub start: CommonStart,
}

/// One point over all hosts.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name of the step.
    pub step: String,
    /// The axis value as a number; None without a sweep.
    pub value: Option<f64>,
    /// Index of the subject in each plan, from 0.
    pub subject: usize,
    /// The repeat, from 1.
    pub repeat: u32,
    /// ops/s of each host that measured it, in the order of the bundles.
    pub by_host: Vec<Option<f64>>,
    /// The common share of the longest window, minus the uncertainty of the clocks.
    pub common: f64,
    /// The sum over all hosts, or why there is none.
    pub sum: Result<Sum, SumRefusal>,
}

/// The sum over all hosts.
#[derive(Clone, Debug)]
pub struct Sum {
    /// Ops per second.
    pub ops_per_s: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Ops of all windows.
    pub ops: u64,
    /// Response times by class of op; service times in closed loop.
    pub classes: Vec<ClassOfJoint>,
}

/// The latencies of a class of op.
#[derive(Clone, Debug)]
pub struct ClassOfJoint {
    /// The class.
    pub class: Class,
    /// Its response times.
    pub times: Histogram,
    /// The ops among them that were never submitted.
    pub censored: Option<Censored>,
}

impl ClassOfJoint {
    /// The latencies as numbers.
    pub fn numbers(&self) -> Times {
        Times::of(&self.times, self.censored)
    }
}

/// Why there is no sum.
#[derive(Clone, Debug, PartialEq)]
pub enum SumRefusal {
    /// A host's clock was not compared before and after the run.
    Unchecked(usize),
    /// A host's clock may have differed from the reference by more than its limit.
    Clock(usize),
    /// A host did not measure the point completely.
    Missing(usize),
    /// The windows overlap too little.
    Apart,
}

/// One host's result at a point.
struct HostPart {
    from_unix_ns: u64,
    window_ns: u64,
    ops: u64,
    bytes: u64,
    classes: Vec<ClassOfJoint>,
}

/// Step, bits of the axis value, subject and repeat.
type PointAndRepeat = (String, Option<u64>, usize, u32);

/// Gathers hosts point by point.
#[derive(Default)]
pub struct Gathered {
    hosts: Vec<JointHost>,
    /// The result of each host.
    parts: BTreeMap<PointAndRepeat, Vec<Option<HostPart>>>,
}

impl Gathered {
    /// Nothing is gathered for runs without a common start.
    pub fn new(runs: &[RunContents]) -> Gathered {
        let host = |run: &RunContents| {
            Some(JointHost {
                file: run.file.clone(),
                // That of the run's end has both offsets.
                start: observed::all::<CommonStart>(&run.setup.observed).last()?.clone(),
            })
        };
        let hosts: Option<Vec<JointHost>> = runs.iter().map(host).collect();
        let together = |hosts: &Vec<JointHost>| {
            let first = &hosts[0].start;
            let alike = |host: &JointHost| {
                host.start.first_unix_ns == first.first_unix_ns
                    && host.start.reference == first.reference
            };
            hosts.len() > 1 && hosts.iter().all(alike)
        };
        Gathered { hosts: hosts.filter(together).unwrap_or_default(), ..Gathered::default() }
    }

    /// Adds a point of the run with that index.
    pub fn point(&mut self, run: usize, subject: usize, point: &Point) {
        if self.hosts.is_empty() {
            return;
        }
        let value = point.key.axis.as_ref().map(|axis| axis.value.as_f64().to_bits());
        let key = (point.key.step.clone(), value, subject, point.key.repeat);
        let of_hosts = self.parts.entry(key).or_default();
        of_hosts.resize_with(self.hosts.len(), || None);
        of_hosts[run] = (point.outcome == Outcome::Measured).then(|| part(point));
    }

    /// The hosts, and every point that any of them started.
    pub fn finish(self) -> (Vec<JointHost>, Vec<Joint>) {
        let Gathered { hosts, parts } = self;
        let joint =
            |((step, value, subject, repeat), parts): (PointAndRepeat, Vec<Option<HostPart>>)| {
                Joint {
                    step,
                    value: value.map(f64::from_bits),
                    subject,
                    repeat,
                    by_host: parts
                        .iter()
                        .map(|p| p.as_ref().map(|p| rate(p.ops, p.window_ns)))
                        .collect(),
                    common: common(&hosts, &parts),
                    sum: sum(&hosts, &parts),
                }
            };
        let joints = parts.into_iter().map(joint).collect();
        (hosts, joints)
    }
}

fn rate(n: u64, window_ns: u64) -> f64 {
    n as f64 * 1e9 / window_ns.max(1) as f64
}

/// The headline streams of a point.
fn part(point: &Point) -> HostPart {
    let mut part = HostPart {
        from_unix_ns: point.started_unix_ns,
        window_ns: point.window_ns.unwrap_or(0),
        ops: 0,
        bytes: 0,
        classes: Vec::new(),
    };
    for tally in point.cells.iter().filter(|cell| cell.headline).flat_map(|cell| &cell.tallies) {
        part.bytes += tally.bytes;
        if tally.class.counts_as_op() {
            part.ops += tally.ops;
        }
        let Tally { class, censored, .. } = *tally;
        merge(&mut part.classes, class, tally.response(), censored);
    }
    part
}

fn merge(
    into: &mut Vec<ClassOfJoint>,
    class: Class,
    times: &Histogram,
    censored: Option<Censored>,
) {
    match into.iter_mut().find(|own| own.class == class) {
        Some(own) => {
            own.times.merge(times);
            own.censored = Censored::merged(own.censored, censored);
        }
        None => into.push(ClassOfJoint { class, times: times.clone(), censored }),
    }
}

/// Start of a window on the reference clock, and its uncertainty: between the two comparisons the
/// clock may have drifted either way.
fn begun(host: &JointHost, part: &HostPart) -> Option<(f64, f64)> {
    let (before, after) = (host.start.before?, host.start.after?);
    let middle = (before.offset_ns + after.offset_ns) as f64 / 2.0;
    let moved = before.offset_ns.abs_diff(after.offset_ns) as f64 / 2.0;
    let bound = before.bound_ns.max(after.bound_ns) as f64 + moved;
    // Relative to the common start: nanoseconds since 1970 exceed a float's digits.
    let own = part.from_unix_ns as i128 - i128::from(host.start.first_unix_ns);
    Some((own as f64 + middle, bound))
}

/// The common share of the longest window; 0 if a part or a clock is unknown.
fn common(hosts: &[JointHost], parts: &[Option<HostPart>]) -> f64 {
    let (mut from, mut until, mut longest, mut open) = (f64::MIN, f64::MAX, 0.0f64, 0.0f64);
    for (host, part) in hosts.iter().zip(parts) {
        let Some(part) = part else { return 0.0 };
        let Some((begun, bound)) = begun(host, part) else { return 0.0 };
        (from, until) = (from.max(begun), until.min(begun + part.window_ns as f64));
        (longest, open) = (longest.max(part.window_ns as f64), open.max(bound));
    }
    // Two clocks may be wrong in opposite directions.
    ((until - from - 2.0 * open) / longest.max(1.0)).clamp(0.0, 1.0)
}

fn sum(hosts: &[JointHost], parts: &[Option<HostPart>]) -> Result<Sum, SumRefusal> {
    for (i, host) in hosts.iter().enumerate() {
        let (Some(before), Some(after)) = (host.start.before, host.start.after) else {
            return Err(SumRefusal::Unchecked(i));
        };
        if before.most_ns().max(after.most_ns()) > host.start.limit_ns {
            return Err(SumRefusal::Clock(i));
        }
    }
    if let Some(missing) = parts.iter().position(Option::is_none) {
        return Err(SumRefusal::Missing(missing));
    }
    if common(hosts, parts) < COMMON {
        return Err(SumRefusal::Apart);
    }
    let mut sum = Sum { ops_per_s: 0.0, bytes_per_s: 0.0, ops: 0, classes: Vec::new() };
    for part in parts.iter().flatten() {
        sum.ops_per_s += rate(part.ops, part.window_ns);
        sum.bytes_per_s += rate(part.bytes, part.window_ns);
        sum.ops += part.ops;
        for own in &part.classes {
            merge(&mut sum.classes, own.class, &own.times, own.censored);
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::record::ClockOffset;

    const START: u64 = 1_763_868_000_000_000_000;
    const WINDOW: u64 = 10_000_000_000;

    fn host(offset_ns: i64, limit_ns: u64) -> JointHost {
        let offset = Some(ClockOffset { offset_ns, bound_ns: 20_000 });
        let start = CommonStart {
            first_unix_ns: START,
            every_ns: 20_000_000_000,
            reference: "lab1".into(),
            limit_ns,
            before: offset,
            after: offset,
        };
        JointHost { file: format!("{offset_ns}.dyno"), start }
    }

    /// Reads of this many nanoseconds each, in a window that started this late.
    fn reads(late_ns: u64, times: &[u64]) -> Option<HostPart> {
        let mut histogram = Histogram::new();
        times.iter().for_each(|ns| histogram.add(*ns));
        Some(HostPart {
            from_unix_ns: START + late_ns,
            window_ns: WINDOW,
            ops: times.len() as u64,
            bytes: 4096 * times.len() as u64,
            classes: vec![ClassOfJoint { class: Class::READ, times: histogram, censored: None }],
        })
    }

    #[test]
    fn rates_add_up_and_histograms_are_those_of_all_ops() {
        let (a, b) = ([100_000; 600], [900_000; 400]);
        let hosts = [host(0, 10_000_000), host(-2_000_000, 10_000_000)];
        // The second host's clock is ahead, so it started early by its offset although its
        // timestamp is late.
        let parts = [reads(0, &a), reads(2_000_000, &b)];
        assert!((common(&hosts, &parts) - 0.999_996).abs() < 1e-7, "{}", common(&hosts, &parts));
        let sum = sum(&hosts, &parts).unwrap();
        assert_eq!((sum.ops, sum.ops_per_s, sum.bytes_per_s), (1000, 100.0, 409_600.0));
        let mut all = Histogram::new();
        a.iter().chain(&b).for_each(|ns| all.add(*ns));
        assert_eq!(sum.classes[0].times, all);
    }

    #[test]
    fn there_is_no_sum_of_windows_apart_and_of_clocks_that_nobody_vouches_for() {
        let ok = host(1_000, 10_000_000);
        let both = |second: &JointHost, parts: [Option<HostPart>; 2]| {
            sum(&[ok.clone(), second.clone()], &parts).err()
        };
        let same = || [reads(0, &[1]), reads(0, &[1])];
        assert_eq!(both(&ok, same()), None);
        let wrong = host(50_000_000, 10_000_000);
        assert_eq!(both(&wrong, same()), Some(SumRefusal::Clock(1)));
        let mut unended = ok.clone();
        unended.start.after = None;
        assert_eq!(both(&unended, same()), Some(SumRefusal::Unchecked(1)));
        assert_eq!(both(&ok, [reads(0, &[1]), None]), Some(SumRefusal::Missing(1)));
        // 50 ms of 10 s are within a hundredth, 150 ms are not.
        assert_eq!(both(&ok, [reads(0, &[1]), reads(50_000_000, &[1])]), None);
        assert_eq!(both(&ok, [reads(0, &[1]), reads(150_000_000, &[1])]), Some(SumRefusal::Apart));
        // A clock that drifted by 150 ms between the comparisons has that uncertainty.
        let mut went = host(0, 1_000_000_000);
        went.start.after = Some(ClockOffset { offset_ns: 150_000_000, bound_ns: 20_000 });
        assert_eq!(both(&went, same()), Some(SumRefusal::Apart));
    }
}
