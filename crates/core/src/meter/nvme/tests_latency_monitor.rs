//! Logs in the specification's layout, and the counts derived from two consecutive logs.

use super::*;

/// A log with thresholds of 5, 10, 95 and 400 ms, the first ones as set by factories.
fn raw(timer: u16, active: Buckets, fixed: Buckets) -> Vec<u8> {
    let mut log = vec![0u8; LOG_BYTES];
    log[0] = 1;
    log[2..4].copy_from_slice(&timer.to_le_bytes());
    log[6..10].copy_from_slice(&[0x00, 0x01, 0x12, 0x4F]);
    for (from, buckets) in [(0x20, active), (0xF0, fixed)] {
        for (bucket, [reads, writes]) in buckets.into_iter().enumerate() {
            let at = from + 16 * bucket;
            log[at + 4..at + 8].copy_from_slice(&77u32.to_le_bytes());
            log[at + 8..at + 12].copy_from_slice(&writes.to_le_bytes());
            log[at + 12..at + 16].copy_from_slice(&reads.to_le_bytes());
        }
    }
    log[0x1F0..].copy_from_slice(&GUID);
    log
}

fn log(timer: u16, active: Buckets, fixed: Buckets) -> LatencyMonitorLog {
    LatencyMonitorLog::parse(&raw(timer, active, fixed)).expect("a log")
}

#[test]
fn the_log_is_read_by_the_specifications_offsets() {
    let raw = raw(3, [[14, 2], [3, 0], [1, 0], [0, 9]], [[5, 6], [0, 0], [0, 0], [0, 0]]);
    // Reads of the first bucket: bytes 47:44 (LMDATA-12); writes of the last: 91:88 (LMDATA-15);
    // reads of the first static bucket: 255:252 (LMDATA-20).
    assert_eq!((raw[44], raw[88], raw[252]), (14, 9, 5));
    let log = LatencyMonitorLog::parse(&raw).expect("a log");
    assert_eq!(log.from_ms, [5, 10, 95, 400]);
    assert_eq!((log.timer, log.active[0], log.active[3]), (3, [14, 2], [0, 9]));
    assert_eq!(log.fixed[0], [5, 6]);
    let changed = |at: usize, value: u8| {
        let mut other = raw.clone();
        other[at] = value;
        other
    };
    for (what, other) in [
        ("a drive whose monitor is off", changed(0, 0)),
        ("another vendor's log C3h", changed(0x1F0, 0)),
        ("half a log", raw[..256].to_vec()),
        ("nothing", Vec::new()),
    ] {
        assert_eq!(LatencyMonitorLog::parse(&other), None, "{what}");
    }
}

#[test]
fn counts_are_followed_over_the_timers_end_and_are_unknown_after_a_reset_or_at_saturation() {
    const NONE: Buckets = [[0; 2]; BUCKETS];
    let of = |reads: u32, writes: u32| [[reads, writes], [0, 0], [0, 0], [1, 0]];
    let first = log(4, of(100, 50), NONE);
    let lost = [[u32::MAX, 0], [0, 0], [0, 0], [1, 0]];
    let sum = |of: [[u64; 2]; BUCKETS]| (of[0], of[3]);
    for (what, next, expected) in [
        ("nothing happened", first, Some(([0, 0], [0, 0]))),
        ("counted on", log(4, of(114, 52), NONE), Some(([14, 2], [0, 0]))),
        ("the timer ended, fewer", log(0, NONE, of(110, 50)), Some(([10, 0], [0, 0]))),
        ("the timer ended, and more came", log(0, of(3, 1), of(110, 50)), Some(([13, 1], [1, 0]))),
        (
            "the timer ended, and more came than before",
            log(0, of(200, 60), of(100, 50)),
            Some(([200, 60], [1, 0])),
        ),
        ("reset", log(4, of(1, 0), NONE), None),
        ("reset to zero, and the timer with it", log(0, NONE, NONE), None),
        ("saturated", log(4, lost, NONE), None),
        ("other thresholds", LatencyMonitorLog { from_ms: [10, 20, 30, 40], ..first }, None),
    ] {
        assert_eq!(next.since(&first).map(sum), expected, "{what}");
    }
}

#[test]
fn a_reading_counts_the_commands_of_its_threshold_and_above() {
    let mut count = SlowCommandCount::default();
    let value = |values: &Values, name: &str| {
        values.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    };
    const NONE: Buckets = [[0; 2]; BUCKETS];
    let first = count.add("nvme0n1", Some(log(0, [[7, 7]; BUCKETS], NONE)));
    assert_eq!(first.len(), 8);
    assert_eq!(value(&first, "nvme0n1_from_5ms_reads"), Some(0.0), "before the meter opened");
    let more = [[10, 7], [8, 7], [7, 9], [8, 7]];
    let second = count.add("nvme0n1", Some(log(0, more, NONE)));
    let of = |name: &str| value(&second, name);
    assert_eq!(of("nvme0n1_from_5ms_reads"), Some(5.0));
    assert_eq!(of("nvme0n1_from_10ms_reads"), Some(2.0));
    assert_eq!(
        (of("nvme0n1_from_400ms_reads"), of("nvme0n1_from_95ms_writes")),
        (Some(1.0), Some(2.0))
    );
    let reset = count.add("nvme0n1", Some(log(0, NONE, NONE)));
    assert!(reset.iter().all(|(_, value)| value.is_nan()), "{reset:?}");
    let after = count.add("nvme0n1", Some(log(0, [[1, 0]; BUCKETS], NONE)));
    assert_eq!(value(&after, "nvme0n1_from_5ms_reads"), Some(9.0));
    assert!(count.add("nvme0n1", None).is_empty(), "the monitor was turned off");
}
