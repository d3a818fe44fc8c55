//! Attributes an outlier to the drive, the host, or neither. docs/outliers.md has the rule.

use dyno_core::record::SlowOp;

/// An op is attributed to the host if at least one part in this many of its response time was
/// caused by the host.
const HOST_PART: u64 = 2;

/// An op is attributed to the drive only if at most one part in this many can have been caused by
/// the host.
const DRIVE_PART: u64 = 5;

/// The cause of an outlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The request was with the kernel, and the worker waited for nothing else.
    Drive,
    /// The worker was runnable but not running, or Dyno as a whole did not run.
    Host,
    /// Neither is shown.
    Unknown,
}

impl Cause {
    /// All causes, in display order.
    pub const ALL: [Cause; 3] = [Cause::Drive, Cause::Host, Cause::Unknown];

    /// Its name in exports.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::Drive => "drive",
            Cause::Host => "host",
            Cause::Unknown => "unknown",
        }
    }
}

/// The deciding reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// No contribution from the host.
    AtDrive,
    /// The worker waited for a processor.
    Waited,
    /// Dyno as a whole did not run.
    Stopped,
    /// It was due while an earlier op was in flight, whose cause it shares.
    Behind,
    /// The device had no request: the delay was above the device.
    NotAtDevice,
    /// Ops on other drives of the subject were slow at the same time.
    OtherDrives,
    /// The engine or the page cache is between the op and the drive.
    NotDirect,
    /// Host and drive both contributed, or may have.
    Both,
    /// It was not observed completely.
    NotWatched,
}

impl Reason {
    /// Its name in exports.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::AtDrive => "at-drive",
            Reason::Waited => "waited-for-processor",
            Reason::Stopped => "stopped",
            Reason::Behind => "behind-another",
            Reason::NotAtDevice => "not-at-device",
            Reason::OtherDrives => "other-drives",
            Reason::NotDirect => "not-direct",
            Reason::Both => "both",
            Reason::NotWatched => "not-watched",
        }
    }
}

/// The cause of each of a point's slowest ops, in order.
pub fn judge(ops: &[SlowOp]) -> Vec<(Cause, Reason)> {
    let alone: Vec<_> = ops.iter().map(of_itself).collect();
    let whole = |(i, op): (usize, &SlowOp)| match alone[i] {
        (Cause::Host, _) => alone[i],
        _ if 2 * op.late_ns > op.response_ns => behind(op, ops, &alone),
        (Cause::Drive, _) if elsewhere(op, ops, &alone) => (Cause::Unknown, Reason::OtherDrives),
        own => own,
    };
    ops.iter().enumerate().map(whole).collect()
}

/// The cause by an op's own evidence.
fn of_itself(op: &SlowOp) -> (Cause, Reason) {
    let Some(e) = op.evidence else { return (Cause::Unknown, Reason::NotWatched) };
    let least = e.waited_least_ns.saturating_add(e.stopped_least_ns);
    let most = [e.waited_most_ns, e.stopped_most_ns, e.steal_most_ns]
        .into_iter()
        .fold(0, u64::saturating_add);
    if least.saturating_mul(HOST_PART) >= op.response_ns {
        let stopped = e.stopped_least_ns >= e.waited_least_ns;
        return (Cause::Host, if stopped { Reason::Stopped } else { Reason::Waited });
    }
    let reason = if most.saturating_mul(DRIVE_PART) > op.response_ns {
        Reason::Both
    } else if !op.direct {
        Reason::NotDirect
    // Without a known device, nothing shows that it had the request.
    } else if e.device_idle_ns.is_none_or(|ns| ns.saturating_mul(2) >= op.response_ns) {
        Reason::NotAtDevice
    } else {
        return (Cause::Drive, Reason::AtDrive);
    };
    (Cause::Unknown, reason)
}

/// An op that was due while its worker was busy with others has the cause of the one for which it
/// waited longest, if that was most of its wait.
fn behind(op: &SlowOp, ops: &[SlowOp], alone: &[(Cause, Reason)]) -> (Cause, Reason) {
    let waited = (op.at_ns, op.at_ns.saturating_add(op.late_ns));
    let before = ops
        .iter()
        .zip(alone)
        .filter(|(other, _)| 2 * other.late_ns <= other.response_ns && worker(other) == worker(op));
    let longest = before
        .map(|(other, cause)| (common(waited, at_engine(other)), cause.0))
        .max_by_key(|(ns, _)| *ns);
    match longest {
        Some((ns, cause)) if 2 * ns >= op.late_ns => (cause, Reason::Behind),
        _ => (Cause::Unknown, Reason::Behind),
    }
}

/// Whether an op on another drive of the subject waited through half of the same time, also without
/// a contribution from the host: a shared resource is then as likely as the drive.
fn elsewhere(op: &SlowOp, ops: &[SlowOp], alone: &[(Cause, Reason)]) -> bool {
    let span = at_engine(op);
    let also = |(other, cause): (&SlowOp, &(Cause, Reason))| {
        other.drive != op.drive
            && cause.0 == Cause::Drive
            && 2 * common(span, at_engine(other)) >= span.1.saturating_sub(span.0)
    };
    ops.iter().zip(alone).any(also)
}

fn worker(op: &SlowOp) -> (&str, u32, u32, u32) {
    (&op.stream, op.drive, op.instance, op.worker)
}

/// The time span from an op's submission to its completion.
fn at_engine(op: &SlowOp) -> (u64, u64) {
    (op.at_ns.saturating_add(op.late_ns), op.at_ns.saturating_add(op.response_ns))
}

/// The overlap of two time spans.
fn common(a: (u64, u64), b: (u64, u64)) -> u64 {
    a.1.min(b.1).saturating_sub(a.0.max(b.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::record::{Class, Evidence};

    const MS: u64 = 1_000_000;

    /// A direct read of 100 ms that started with the window.
    fn op(evidence: Evidence) -> SlowOp {
        SlowOp {
            stream: "io".into(),
            drive: 0,
            instance: 0,
            worker: 0,
            class: Class::READ,
            at_ns: 0,
            late_ns: 0,
            response_ns: 100 * MS,
            address: 4096,
            size: 4096,
            in_flight: 1,
            direct: true,
            evidence: Some(evidence),
        }
    }

    /// The device had requests all the time.
    fn at_device() -> Evidence {
        Evidence { device_idle_ns: Some(0), ..Evidence::default() }
    }

    fn of_one(op: SlowOp) -> (Cause, Reason) {
        judge(&[op])[0]
    }

    #[test]
    fn a_worker_that_waited_for_nothing_else_speaks_for_the_drive() {
        let quiet = Evidence { waited_most_ns: 2 * MS, ..at_device() };
        assert_eq!(of_one(op(quiet)), (Cause::Drive, Reason::AtDrive));
        let in_memory = Evidence { device_idle_ns: None, ..quiet };
        assert_eq!(of_one(op(in_memory)), (Cause::Unknown, Reason::NotAtDevice));
        let buffered = SlowOp { direct: false, ..op(quiet) };
        assert_eq!(of_one(buffered), (Cause::Unknown, Reason::NotDirect));
        let unseen = SlowOp { evidence: None, ..op(quiet) };
        assert_eq!(of_one(unseen), (Cause::Unknown, Reason::NotWatched));
        let held = Evidence { device_idle_ns: Some(60 * MS), ..quiet };
        assert_eq!(of_one(op(held)), (Cause::Unknown, Reason::NotAtDevice));
    }

    #[test]
    fn a_worker_that_was_not_run_speaks_for_the_host_and_half_of_that_for_nobody() {
        let waited = |least: u64, most: u64| Evidence {
            waited_least_ns: least * MS,
            waited_most_ns: most * MS,
            ..Evidence::default()
        };
        assert_eq!(of_one(op(waited(80, 95))), (Cause::Host, Reason::Waited));
        assert_eq!(of_one(op(waited(30, 40))), (Cause::Unknown, Reason::Both));
        let stopped = Evidence {
            stopped_least_ns: 90 * MS,
            stopped_most_ns: 100 * MS,
            ..Evidence::default()
        };
        assert_eq!(of_one(op(stopped)), (Cause::Host, Reason::Stopped));
        let stolen = Evidence { steal_most_ns: 90 * MS, ..Evidence::default() };
        assert_eq!(of_one(op(stolen)), (Cause::Unknown, Reason::Both), "from any processor");
    }

    #[test]
    fn an_op_that_was_due_behind_a_slow_one_shares_its_cause() {
        let slow = op(at_device());
        let queued =
            SlowOp { at_ns: 20 * MS, late_ns: 80 * MS, response_ns: 81 * MS, ..op(at_device()) };
        let of_other_worker = SlowOp { worker: 1, ..queued.clone() };
        assert_eq!(
            judge(&[slow, queued, of_other_worker]),
            [
                (Cause::Drive, Reason::AtDrive),
                (Cause::Drive, Reason::Behind),
                (Cause::Unknown, Reason::Behind)
            ]
        );
    }

    #[test]
    fn drives_that_stall_together_are_not_blamed() {
        let one = op(at_device());
        let other = SlowOp { drive: 1, at_ns: 10 * MS, ..one.clone() };
        let later = SlowOp { drive: 1, at_ns: 900 * MS, ..one.clone() };
        let judged = judge(&[one, other, later]);
        assert_eq!(judged[0], (Cause::Unknown, Reason::OtherDrives));
        assert_eq!(judged[1], (Cause::Unknown, Reason::OtherDrives));
        assert_eq!(judged[2], (Cause::Drive, Reason::AtDrive));
    }
}
