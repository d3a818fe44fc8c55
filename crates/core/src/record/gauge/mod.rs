//! The readings whose names are known to both a meter and a reader of bundles. Readings that are
//! only listed in tables are named in their meter.

pub mod errors;
pub mod slow_commands;
pub mod written;

/// Suffix of power readings.
pub const WATTS: &str = "_watts";
/// Meters that determine the class of their power themselves; for others the plan states it.
pub mod power {
    /// Power of one drive only, in watts, mean over the reading.
    pub const DRIVE_WATTS: &str = "drive_watts";
    /// Power delivered by a slot to its drive, in watts.
    pub const SLOT_WATTS: &str = "slot_watts";
    /// Power of the whole server, in watts, as measured by its management controller or a plug.
    pub const SYSTEM_WATTS: &str = "system_watts";
    /// Power of the processor packages, in watts (RAPL `package`).
    pub const CPU_WATTS: &str = "cpu_watts";
    /// Power of the memory modules, in watts (RAPL `dram`).
    pub const DRAM_WATTS: &str = "dram_watts";
}

/// Suffix of temperature readings.
pub const CELSIUS: &str = "celsius";

/// Readings of the meter `cpu`. Counters are for all processors together.
pub mod cpu {
    /// Busy processor time, nanoseconds since boot (all of /proc/stat except idle and iowait).
    pub const HOST_BUSY_NS: &str = "host_busy_ns";
    /// Busy and idle.
    pub const HOST_ALL_NS: &str = "host_all_ns";
    /// Time that a hypervisor gave to others; part of busy time.
    pub const HOST_STEAL_NS: &str = "host_steal_ns";
    /// Processors that are online.
    pub const HOST_CORES: &str = "host_cores";
    /// The processors that Dyno's control group may use, if it has a limit.
    pub const GROUP_LIMIT_CORES: &str = "group_limit_cores";
    /// The periods in which that limit was enforced, since the group was made.
    pub const GROUP_PERIODS_COUNT: &str = "group_periods_count";
    /// Those of them in which the group's threads were stopped.
    pub const GROUP_THROTTLED_COUNT: &str = "group_throttled_count";
    /// Utilisation of the busiest processor since the last reading, 0 to 100.
    pub const BUSIEST_CORE_PERCENT: &str = "busiest_core_percent";
    /// Processor time of Dyno's own threads in user mode, nanoseconds since its start.
    pub const PROCESS_USER_NS: &str = "process_user_ns";
    /// Processor time of Dyno's own threads in the kernel, nanoseconds since its start.
    pub const PROCESS_SYSTEM_NS: &str = "process_system_ns";
}

/// Readings of the meter `processes`: Dyno and all its descendants, together.
pub mod processes {
    /// Processor time of Dyno and its descendants, nanoseconds, cumulative.
    pub const LOAD_CPU_NS: &str = "load_cpu_ns";
    /// The part that is not Dyno's own: database servers.
    pub const SERVERS_CPU_NS: &str = "servers_cpu_ns";
    /// Bytes that they read from devices, not from memory.
    pub const LOAD_READ_BYTES: &str = "load_read_bytes";
    /// Bytes that they wrote to devices, or to the page cache.
    pub const LOAD_WRITTEN_BYTES: &str = "load_written_bytes";
    /// Calls of write(2) and related system calls (`syscw` of /proc/PID/io).
    pub const LOAD_WRITE_CALLS: &str = "load_write_calls";
}

/// Readings of the meter `memory`.
pub mod memory {
    /// Memory of the host, bytes (`MemTotal`).
    pub const TOTAL_BYTES: &str = "total_bytes";
    /// Pages waiting to be written back, bytes (`Dirty`).
    pub const DIRTY_BYTES: &str = "dirty_bytes";
    /// Pages being written back, bytes (`Writeback`).
    pub const WRITEBACK_BYTES: &str = "writeback_bytes";
}

/// Readings of the meter `nvme`, after the device's name: seconds of thermal throttling.
pub mod nvme {
    /// Below thermal management temperature 2 (SMART log, "Total Time For Thermal Management
    /// Temperature 1").
    pub const THROTTLE_LIGHT_S: &str = "throttle_light_s";
    /// Above it, where throttling is heavier (SMART log, "Total Time For Thermal Management
    /// Temperature 2").
    pub const THROTTLE_HEAVY_S: &str = "throttle_heavy_s";
}

/// Readings of the meter `diskstats`.
pub mod diskstats {
    /// The meter's name in samples.
    pub const METER: &str = "diskstats";
    /// The number of the subject's paths in memory (tmpfs), without a device.
    pub const PLACES_IN_MEMORY: &str = "places_in_memory";
    /// After a disk's name: 1 if the kernel sends flushes and FUA to it (`queue/write_cache` is
    /// "write back"), 0 if it considers completed writes durable ("write through").
    pub const WRITE_BACK: &str = "_write_back";
    /// After a disk's name: 1 if the kernel passes FUA on to it (`queue/fua`), 0 if a flush follows
    /// such a write.
    pub const FUA: &str = "_fua";
    /// Separates a disk's name from the counter's if the subject has only a partition of it.
    const WHOLE: &str = "_whole";

    /// The kernel's counters for each device.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum KernelCounter {
        /// Reads completed.
        Reads,
        /// Bytes read: sectors of 512 bytes, converted.
        ReadBytes,
        /// Total time of all reads, nanoseconds.
        ReadTime,
        /// Writes completed.
        Writes,
        /// Bytes written: sectors of 512 bytes, converted.
        WrittenBytes,
        /// Total time of all writes, nanoseconds.
        WriteTime,
        /// Time with at least one request in flight, nanoseconds (`io_ticks`).
        Busy,
        /// Total time of all requests; divided by the window, the mean queue.
        Queue,
        /// Flush requests completed.
        Flushes,
        /// Also included in the queue, and in the time of the writes that requested them.
        FlushTime,
    }

    impl KernelCounter {
        /// All of them, in the order of the kernel's file (Documentation/admin-guide/iostats.rst).
        pub const ALL: [KernelCounter; 10] = [
            KernelCounter::Reads,
            KernelCounter::ReadBytes,
            KernelCounter::ReadTime,
            KernelCounter::Writes,
            KernelCounter::WrittenBytes,
            KernelCounter::WriteTime,
            KernelCounter::Busy,
            KernelCounter::Queue,
            KernelCounter::Flushes,
            KernelCounter::FlushTime,
        ];

        const fn name(self) -> &'static str {
            match self {
                KernelCounter::Reads => "reads",
                KernelCounter::ReadBytes => "read_bytes",
                KernelCounter::ReadTime => "read_ns",
                KernelCounter::Writes => "writes",
                KernelCounter::WrittenBytes => "written_bytes",
                KernelCounter::WriteTime => "write_ns",
                KernelCounter::Busy => "busy_ns",
                KernelCounter::Queue => "queue_ns",
                KernelCounter::Flushes => "flushes",
                KernelCounter::FlushTime => "flush_ns",
            }
        }

        /// The reading's name for a device.
        pub fn of_device(self, device: &str) -> String {
            format!("{device}_{}", self.name())
        }

        /// The reading's name for the whole disk that a partition is on.
        pub fn of_whole(self, disk: &str) -> String {
            self.of_device(&format!("{disk}{WHOLE}"))
        }

        /// The device of a reading's name.
        pub fn device_of(name: &str) -> Option<String> {
            let own = |counter: KernelCounter| name.strip_suffix(counter.name());
            let device = KernelCounter::ALL.into_iter().find_map(own)?.strip_suffix('_')?;
            Some(device.strip_suffix(WHOLE).unwrap_or(device).to_string())
        }

        /// The meaning of a reading's name: the counter, and whether it is for the whole disk of a
        /// partition.
        pub fn of_name(name: &str) -> Option<(KernelCounter, bool)> {
            KernelCounter::ALL.into_iter().find_map(|counter| {
                let device = name.strip_suffix(counter.name())?.strip_suffix('_')?;
                Some((counter, device.ends_with(WHOLE)))
            })
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn each_counter_is_known_again_by_its_name_on_a_partition_and_on_the_disk_around_it() {
            for counter in KernelCounter::ALL {
                assert_eq!(
                    KernelCounter::of_name(&counter.of_device("nvme0n1p2")),
                    Some((counter, false))
                );
                assert_eq!(
                    KernelCounter::of_name(&counter.of_whole("nvme0n1")),
                    Some((counter, true))
                );
            }
            assert_eq!(KernelCounter::of_name(PLACES_IN_MEMORY), None);
        }
    }
}
