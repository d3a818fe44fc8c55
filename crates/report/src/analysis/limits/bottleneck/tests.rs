//! Each verdict with its required evidence and its remedy.

mod inputs;

use self::inputs::{beside, device, flushed, point};
use super::rules::allowed;
use super::*;
use crate::brief::text::bottleneck_text;
use crate::language::Language;
use dyno_core::record::IoLimitKind;

#[track_caller]
fn each(table: &[(BottleneckInputs, Bottleneck, &str, &str)]) {
    for (inputs, limit, evidence, remedy) in table {
        let found = verdict(inputs);
        assert_eq!(found.limit, *limit, "{found:?}");
        let evidence_said = bottleneck_text::evidence(Language::ENGLISH, &found);
        assert!(evidence_said.contains(evidence), "{found:?}");
        let printed = bottleneck_text::because(Language::ENGLISH, &found);
        assert_eq!(
            found.remedy.is_some(),
            limit.bars_ranking(),
            "whatever bars a ranking has a remedy: {found:?}"
        );
        assert!(printed.contains(remedy), "{found:?}");
        let shares = evidence_said
            .split(" %")
            .filter_map(|part| part.rsplit(' ').next()?.parse::<f64>().ok());
        shares.for_each(|share| assert!(share <= 100.0, "{found:?}"));
    }
}

#[test]
fn the_drive_is_named_where_the_loads_own_requests_were_there() {
    let ahead = DeviceLoad {
        reads_per_s: 3_125.0,
        queue: 28.0,
        busy: 1.0,
        read_bytes_per_s: 409.6e6,
        ..DeviceLoad::default()
    };
    each(&[
        (
            point(),
            Bottleneck::Drive,
            "at the device for 100 % of the window, 94 % of its permitted",
            "",
        ),
        // The whole load waits at the device, so others may use the processors.
        (
            BottleneckInputs { host_busy: Some(1.0), own_busy: Some(0.2), ..point() },
            Bottleneck::Drive,
            "processors 100 % busy",
            "",
        ),
        // Read-ahead in blocks of 128 KiB: a thirtieth of the requests, and all of the bytes.
        (
            BottleneckInputs { read_bytes_per_s: 409.6e6, device: Some(ahead), ..point() },
            Bottleneck::Drive,
            "88 % of its permitted",
            "",
        ),
        // A request in several parts: more of them than ops in flight.
        (
            BottleneckInputs { device: device(400_000.0, 120.0, 1.0), ..point() },
            Bottleneck::Drive,
            "100 % of its permitted",
            "",
        ),
        // Sequentially, with some computation in between.
        (
            BottleneckInputs {
                outstanding: 1.0,
                workers: 1.0,
                in_flight: Some(1.0),
                device: device(1e5, 0.7, 0.8),
                ..point()
            },
            Bottleneck::Drive,
            "for 70 % of the window",
            "",
        ),
        // One of them flushes for all.
        (
            flushed(0.9),
            Bottleneck::Drive,
            "for 90 % of the window, in flushes for 45 % of it, 3 % of its permitted",
            "",
        ),
        (BottleneckInputs { throttled: Some(0.2), ..point() }, Bottleneck::Thermal, "20 %", ""),
    ]);
}

#[test]
fn the_processors_are_named_with_whoever_has_them() {
    let shared = BottleneckInputs {
        host_busy: Some(1.0),
        own_busy: Some(0.2),
        device: device(1e5, 20.0, 1.0),
        ..point()
    };
    let own = BottleneckInputs { own_busy: Some(0.97), ..shared.clone() };
    each(&[
        (
            shared.clone(),
            Bottleneck::Cpu,
            "80 % with other processes",
            "stop the other programs on this host",
        ),
        (
            BottleneckInputs { stolen: Some(0.7), ..shared.clone() },
            Bottleneck::Cpu,
            "the hypervisor gave 70 %",
            "a dedicated machine",
        ),
        (own.clone(), Bottleneck::Cpu, "97 % with the load itself", "more or faster processors"),
        (
            BottleneckInputs { servers_busy: Some(0.6), ..own },
            Bottleneck::Cpu,
            "60 % with its database servers",
            "for the server",
        ),
        (
            BottleneckInputs {
                workers: 4.0,
                outstanding: 4.0,
                in_flight: None,
                device: device(1e5, 0.2, 0.2),
                ..point()
            },
            Bottleneck::Cpu,
            "workers computed for 70 % of the time",
            "more or faster processors",
        ),
        // Met or not: latency spent waiting for a processor is not the drive's.
        (
            BottleneckInputs { achieved: Some(1.0), ..shared },
            Bottleneck::Cpu,
            "with other processes",
            "stop the other programs on this host",
        ),
    ]);
}

#[test]
fn memory_is_named_with_what_brings_the_load_past_it() {
    let gib = (1u64 << 30) as f64;
    let cached = BottleneckInputs { device: device(9_000.0, 1.0, 0.5), ..point() };
    let with = |direct, bytes| BottleneckInputs {
        dataset: DatasetCaching {
            bytes,
            memory_bytes: Some(24.0 * gib),
            direct,
            ..DatasetCaching::default()
        },
        ..cached.clone()
    };
    // A neighbour's reads are not the load's.
    let busy = BottleneckInputs {
        own: Some(DynoIo { read_bytes_per_s: 4096.0, ..DynoIo::default() }),
        ..point()
    };
    each(&[
        (cached.clone(), Bottleneck::Memory, "at least 91.0 %", "larger than memory"),
        (
            with(Some(false), Some(210e6)),
            Bottleneck::Memory,
            "91.0 %",
            "the dataset, 210 MB, fits into 24 GiB of memory: `direct = true`, or a dataset of 48 \
             GiB",
        ),
        (with(None, Some(210e6)), Bottleneck::Memory, "91.0 %", "memory: a dataset of 48 GiB"),
        (
            with(Some(true), Some(210e6)),
            Bottleneck::Memory,
            "91.0 %",
            "a smaller cache in the engine",
        ),
        (
            with(Some(false), Some(100.0 * gib)),
            Bottleneck::Memory,
            "91.0 %",
            "`direct = true`, or a dataset of 48 GiB",
        ),
        (BottleneckInputs { achieved: Some(1.0), ..cached }, Bottleneck::Memory, "91.0 %", ""),
        (busy, Bottleneck::Memory, "at least 99.9 %", ""),
    ]);
}

#[test]
fn memory_is_named_for_what_was_written_to_it_and_not_to_the_device() {
    let written = BottleneckInputs {
        reads_per_s: 0.0,
        writes_per_s: 250_000.0,
        written_bytes_per_s: 1.024e9,
        ..point()
    };
    let values = BottleneckInputs { written_bytes_per_s: 420.0 * 250_000.0, ..written.clone() };
    each(&[
        (
            written,
            Bottleneck::Memory,
            "100.0 % of the bytes written",
            "memory is full before the window begins",
        ),
        (values, Bottleneck::Drive, "at the device", ""),
    ]);
}

#[test]
fn no_drive_is_named_where_none_lies_under_the_data() {
    each(&[
        (
            BottleneckInputs { on_tmpfs: true, device: None, ..point() },
            Bottleneck::NoDrive,
            "not on a drive",
            "a directory on the drive's filesystem",
        ),
        (
            BottleneckInputs {
                dataset: DatasetCaching { missing: true, ..DatasetCaching::default() },
                device: device(9_000.0, 1.0, 0.5),
                ..point()
            },
            Bottleneck::NoDrive,
            "the engine stores no data",
            "an engine that stores data",
        ),
    ]);
}

#[test]
fn a_neighbour_is_named_by_what_the_load_did_not_write_and_never_for_what_it_left_to_be_written() {
    let drained = BottleneckInputs { drained_bytes_per_s: 200e6, ..beside(200e6, 20.0) };
    let unknown = BottleneckInputs { own: None, ..beside(200e6, 20.0) };
    each(&[
        (
            beside(200e6, 20.0),
            Bottleneck::Neighbour,
            "40 % of the device's time was spent on requests of others",
            "iotop",
        ),
        (
            beside(200e6, 20.0),
            Bottleneck::Neighbour,
            "read 0.0 MB/s and wrote 200.0 MB/s",
            "a drive that nothing else uses",
        ),
        // Occasional writes to a log file.
        (beside(1e5, 0.1), Bottleneck::Drive, "94 % of its permitted", ""),
        (drained, Bottleneck::Drive, "at the device", ""),
        // A filesystem's journal moves more than was written to it.
        (flushed(0.9), Bottleneck::Drive, "at the device", ""),
        (unknown, Bottleneck::Drive, "at the device", ""),
    ]);
}

#[test]
fn what_the_load_had_in_flight_as_the_window_began_is_no_neighbours() {
    const MIB: f64 = 1_048_576.0;
    // 256 writes of 1 MiB may have been in flight: 25.6 MiB per second of the window.
    let with = |written_bytes_per_s: f64| {
        let mut p = beside(written_bytes_per_s, 20.0);
        p.own.as_mut().unwrap().written_bytes_per_s = 10.0 * MIB;
        let (writes_per_s, written_bytes_per_s) = (10.0, 10.0 * MIB);
        let outstanding = 256.0;
        BottleneckInputs { outstanding, in_flight: None, writes_per_s, written_bytes_per_s, ..p }
    };
    let written = |p: &BottleneckInputs| evidence::foreign(p).unwrap().written_bytes_per_s;
    assert_eq!(written(&with(35.0 * MIB)), 0.0);
    assert!((written(&with(60.0 * MIB)) / MIB - 24.4).abs() < 0.1);
}

/// The device spends its time on trims, beside the filesystem's own small writes.
#[test]
fn a_load_of_trims_has_no_neighbour_in_the_writes_that_it_causes() {
    let trims = |written_bytes_per_s: f64, write_queue: f64| {
        let mut p = beside(written_bytes_per_s, write_queue);
        p.own.as_mut().unwrap().written_bytes_per_s = 0.0;
        let device = p.device.as_mut().unwrap();
        (device.read_queue, device.read_bytes_per_s, device.reads_per_s) = (0.0, 0.0, 0.0);
        device.queue = 30.0 + write_queue;
        let (reads_per_s, read_bytes_per_s, trims_per_s) = (0.0, 0.0, 2_000.0);
        BottleneckInputs { reads_per_s, read_bytes_per_s, trims_per_s, ..p }
    };
    let share = |p: &BottleneckInputs| evidence::foreign(p).unwrap().share;
    assert_eq!(share(&trims(40e6, 5.0)), 0.0, "their journal");
    let rest = share(&trims(131.072e6, 2.0));
    assert!((rest - 1.0 / 32.0).abs() < 0.001, "of all requests, half of the writes: {rest}");
    assert!(share(&trims(400e6, 30.0)) > 0.2, "a neighbour is still one");
}

#[test]
fn a_neighbours_requests_are_not_taken_for_the_loads_own() {
    let mut p = beside(200e6, 6.0);
    p.device.as_mut().unwrap().read_queue = 30.0;
    p.device.as_mut().unwrap().queue = 36.0;
    let own = evidence::at_device(&p).unwrap();
    assert!((own.requests - 30.0 / 32.0).abs() < 0.01, "{own:?}");
}

#[test]
fn a_generator_that_is_late_or_slow_is_not_the_rate_asked_for() {
    let late = |share, mean_ratio, p99_ratio| BottleneckInputs {
        achieved: Some(0.999),
        late: Some(Late { share, mean_ratio, p99_ratio }),
        ..point()
    };
    let asked = |share, p99_ratio| late(share, None, p99_ratio);
    // 200 requests per second on an idle host.
    let seldom = |mean_ratio| BottleneckInputs {
        host_busy: Some(0.03),
        own_busy: Some(0.01),
        ..late(0.03, Some(mean_ratio), None)
    };
    each(&[
        (asked(0.0, Some(1.0)), Bottleneck::Rate, "100 % of the target rate", ""),
        (asked(0.005, Some(3.0)), Bottleneck::Rate, "100 % of the target rate", ""),
        // Late by less than the threshold.
        (asked(0.03, Some(1.02)), Bottleneck::Rate, "100 % of the target rate", ""),
        (
            asked(0.03, Some(4.0)),
            Bottleneck::Generator,
            "at least 3.0 % of the ops were submitted late",
            "more workers",
        ),
        (asked(0.03, None), Bottleneck::Generator, "submitted late by Dyno itself", "a lower rate"),
        // Too few ops for p99: a few late ones do not move the mean.
        (seldom(1.02), Bottleneck::Rate, "100 % of the target rate", ""),
        (seldom(1.5), Bottleneck::Generator, "submitted late", "from deep sleep"),
        (
            BottleneckInputs { achieved: Some(0.7), ..point() },
            Bottleneck::Drive,
            "at the device",
            "",
        ),
        (
            BottleneckInputs { in_flight: Some(8.0), ..point() },
            Bottleneck::Generator,
            "only 25 %",
            "more threads",
        ),
        (
            BottleneckInputs { in_flight: Some(8.0), thinks: true, ..point() },
            Bottleneck::Rate,
            "keying and think times",
            "",
        ),
    ]);
}

#[test]
fn a_window_in_which_dyno_stood_still_is_marked_with_its_length() {
    let still = |s| BottleneckInputs { stood_still_s: Some(s), ..point() };
    each(&[
        (still(2.0), Bottleneck::Standstill, "stood still for 2.00 s of 10.0 s", "measure again"),
        (still(0.02), Bottleneck::Drive, "at the device", ""),
        // If starved of processors, it is also late.
        (
            BottleneckInputs {
                host_busy: Some(1.0),
                own_busy: Some(0.2),
                device: device(1e5, 20.0, 1.0),
                ..still(0.5)
            },
            Bottleneck::Cpu,
            "other processes",
            "stop the other programs on this host",
        ),
    ]);
}

/// Its own processor time is low, and so is the host's: without the limit it would seem to wait for
/// locks, or for a generator that is late.
#[test]
fn a_load_whose_control_group_is_out_of_processor_time_is_throttled_and_not_late() {
    let limited = |share| BottleneckInputs {
        cpu_limit: Some((0.5, share)),
        late: Some(Late { share: 0.3, ..Late::default() }),
        stood_still_s: Some(5.0),
        host_busy: Some(0.1),
        reads_per_s: 2_000.0,
        read_bytes_per_s: 4096.0 * 2_000.0,
        device: device(2_000.0, 0.1, 0.1),
        ..point()
    };
    let outside = "start Dyno outside of that control group";
    each(&[
        (
            limited(0.41),
            Bottleneck::ControlGroup,
            "throttled by the control group at 0.50 processors, in 41 % of its periods",
            outside,
        ),
        (limited(0.01), Bottleneck::Standstill, "stood still", "without interruptions"),
        // The drive is what the load waits for, whenever it may run.
        (
            BottleneckInputs { cpu_limit: Some((0.5, 0.2)), ..point() },
            Bottleneck::Drive,
            "at the device",
            "",
        ),
    ]);
}

#[test]
fn a_load_at_a_limit_of_its_control_group_is_throttled_and_waits_for_no_lock() {
    let limit = |kind, per_s, share| {
        let limit = IoLimit { kind, per_s, group: "/sys/fs/cgroup/job".into() };
        // Four workers whose requests wait before the device, on a busy host.
        BottleneckInputs {
            outstanding: 4.0,
            workers: 4.0,
            in_flight: Some(4.0),
            reads_per_s: 2_000.0,
            read_bytes_per_s: 4096.0 * 2_000.0,
            device: device(2_000.0, 0.1, 0.1),
            host_busy: Some(0.97),
            own_busy: Some(0.03),
            io_limit: Some((limit, share)),
            ..point()
        }
    };
    let outside = "start Dyno outside of that control group";
    each(&[
        (
            limit(IoLimitKind::Reads, 2_000, 1.002),
            Bottleneck::ControlGroup,
            "at 2,000 read IOPS (/sys/fs/cgroup/job), of which 100 %",
            outside,
        ),
        (
            limit(IoLimitKind::WrittenBytes, 10_000_000, 0.97),
            Bottleneck::ControlGroup,
            "at 10.0 MB/s of writes",
            outside,
        ),
        // Far below a limit, or where it does not apply, it limits nothing.
        (
            limit(IoLimitKind::Reads, 20_000, 0.1),
            Bottleneck::Cpu,
            "other processes",
            "stop the other",
        ),
        (
            limit(IoLimitKind::Reads, 200, 10.0),
            Bottleneck::Cpu,
            "other processes",
            "stop the other",
        ),
    ]);
}

#[test]
fn workers_that_wait_for_one_another_wait_for_locks_unless_one_of_them_is_at_the_device() {
    let waiting = |queue, busy| BottleneckInputs {
        device: device(100_000.0, queue, busy),
        own_busy: Some(0.1),
        host_busy: Some(0.1),
        ..point()
    };
    each(&[
        (
            waiting(0.1, 0.1),
            Bottleneck::Locks,
            "off the processor 98 % of the time",
            "fewer threads",
        ),
        (waiting(0.4, 0.4), Bottleneck::Undecided, "for 40 % of the window", ""),
        (waiting(1.0, 0.9), Bottleneck::Drive, "its other workers waited for these", ""),
        (
            BottleneckInputs { device: None, host_busy: None, ..point() },
            Bottleneck::Undecided,
            "no device seen",
            "",
        ),
    ]);
}

#[test]
fn a_limit_is_the_drives_or_the_hosts_or_neither_and_memory_lifts_a_number_above_both() {
    use Bottleneck::*;
    for (limit, is_drive, is_host, bars_ranking) in [
        (Drive, true, false, false),
        (Thermal, true, false, false),
        (Cpu, false, true, true),
        (ControlGroup, false, true, true),
        (Neighbour, false, true, true),
        (Generator, false, true, true),
        (Standstill, false, true, true),
        (Locks, false, true, true),
        (Memory, false, false, true),
        (NoDrive, false, true, true),
        (Rate, false, false, false),
        (Undecided, false, false, false),
    ] {
        assert_eq!(
            (limit.is_drive(), limit.is_host(), limit.bars_ranking()),
            (is_drive, is_host, bars_ranking),
            "{limit:?}"
        );
    }
}

#[test]
fn a_points_verdict_is_that_of_most_of_its_repeats_with_the_others_named() {
    let of = |limit, evidence| allowed(limit, evidence);
    let (drive, late) =
        (of(Bottleneck::Drive, Indication::NoDevice), of(Bottleneck::Generator, Indication::Tmpfs));
    let (neighbour, again) = (
        of(Bottleneck::Neighbour, Indication::OthersWaited),
        of(Bottleneck::Drive, Indication::ProcessorsUnknown),
    );
    let said = |repeats: &[&BottleneckVerdict]| {
        of_most(repeats).map(|v| (v.limit, bottleneck_text::evidence(Language::ENGLISH, &v)))
    };
    assert_eq!(said(&[]), None);
    assert_eq!(said(&[&drive, &again]), Some((Bottleneck::Drive, "no device seen".into())));
    let most = "no device seen (in 3 of 5 repeats; neighbour in 1, generator in 1)";
    assert_eq!(
        said(&[&neighbour, &drive, &late, &again, &again]),
        Some((Bottleneck::Drive, most.into()))
    );
    // A tie: no ranking.
    let half = "its other workers waited for these (in 1 of 2 repeats; drive in 1)";
    assert_eq!(said(&[&drive, &neighbour]), Some((Bottleneck::Neighbour, half.into())));
}

#[test]
fn processors_of_the_loads_own_or_of_the_servers_can_be_full_while_others_idle() {
    // Of eight processors, the load has two and the servers four.
    let waiting = BottleneckInputs { device: device(100_000.0, 2.0, 0.5), ..point() };
    let with = |own_busy: f64, servers_busy: f64| BottleneckInputs {
        own_busy: Some(own_busy),
        servers_busy: Some(servers_busy),
        host_busy: Some(own_busy),
        apart: Some(SeparateProcessors { load: 2.0, servers: 4.0 }),
        ..waiting.clone()
    };
    let (load, servers) = (with(0.35, 0.1), with(0.58, 0.48));
    each(&[
        (
            load,
            Bottleneck::Cpu,
            "the load workers' own 2 processors",
            "more processors for the load",
        ),
        (
            servers.clone(),
            Bottleneck::Cpu,
            "the database servers' own 4 processors",
            "more processors",
        ),
        // If everything waits at the drive, it does not matter.
        (
            BottleneckInputs { device: device(100_000.0, 31.0, 1.0), ..servers },
            Bottleneck::Drive,
            "100 %",
            "",
        ),
    ]);
}
