//! Processor time: of the host, of the busiest core, of this process, and time that tasks spent
//! waiting.

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result};
use crate::lab::machine::cpu_limit::CpuLimit;
use crate::plan::Info;
use crate::record::gauge::cpu as names;

/// The meter `cpu`.
pub struct Cpu;

static INFO: Info = info(
    "cpu",
    "processor time of the host, of the busiest core and of Dyno, its control group's limit, \
     frequency, and pressure (PSI)",
    &[],
    "Linux, proc(5); Documentation/accounting/psi.rst",
);

impl Meter for Cpu {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, _: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let ticks_per_s = rustix::param::clock_ticks_per_second().max(1) as f64;
        Ok(Box::new(CpuTimes {
            tick_ns: 1e9 / ticks_per_s,
            cores: Vec::new(),
            limit: CpuLimit::of_this_process(),
        }))
    }
}

struct CpuTimes {
    tick_ns: f64,
    /// Busy and all ticks of each core at the last reading.
    cores: Vec<(f64, f64)>,
    /// The limit of its control group.
    limit: Option<CpuLimit>,
}

impl Probe for CpuTimes {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let stat = std::fs::read_to_string("/proc/stat").context("reading /proc/stat")?;
        self.host(&stat, now, out);
        if let Some(limit) = &self.limit {
            out.push(now.reading(names::GROUP_LIMIT_CORES, limit.cores));
            let counts = limit.counts();
            out.extend(counts.map(|(all, _)| now.reading(names::GROUP_PERIODS_COUNT, all)));
            out.extend(counts.map(|(_, own)| now.reading(names::GROUP_THROTTLED_COUNT, own)));
        }
        let own = std::fs::read_to_string("/proc/self/stat").context("reading /proc/self/stat")?;
        // The name in brackets may contain spaces; user and system time are fields 14 and 15 of the
        // whole line.
        let fields: Vec<f64> =
            own.rsplit(')').next().unwrap_or("").split_whitespace().map(number).collect();
        for (name, index) in [(names::PROCESS_USER_NS, 11), (names::PROCESS_SYSTEM_NS, 12)] {
            out.extend(fields.get(index).map(|ticks| now.reading(name, ticks * self.tick_ns)));
        }
        for what in ["cpu", "io", "memory"] {
            // Kernels without PSI have no such file.
            let text =
                std::fs::read_to_string(format!("/proc/pressure/{what}")).unwrap_or_default();
            let some =
                text.lines().find(|l| l.starts_with("some")).and_then(|l| l.split("total=").nth(1));
            out.extend(some.map(|us| now.reading(format!("{what}_waited_ns"), number(us) * 1e3)));
        }
        let khz =
            std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq").ok();
        out.extend(khz.map(|khz| now.reading("cpu0_hz", number(khz.trim()) * 1e3)));
        Ok(())
    }
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

impl CpuTimes {
    fn host(&mut self, stat: &str, now: ReadingTime, out: &mut Vec<Reading>) {
        let mut cores = Vec::new();
        for line in stat.lines().filter(|l| l.starts_with("cpu")) {
            let mut words = line.split_ascii_whitespace();
            let whole = words.next() == Some("cpu");
            let ticks: Vec<f64> = words.map(number).collect();
            let at = |i: usize| ticks.get(i).copied().unwrap_or(0.0);
            // user, nice, system, idle, iowait, irq, softirq, steal; guests are included in user.
            let idle = at(3) + at(4);
            let all: f64 = ticks.iter().take(8).sum();
            if !whole {
                cores.push((all - idle, all));
                continue;
            }
            let named = [
                ("host_user_ns", at(0) + at(1)),
                ("host_system_ns", at(2)),
                ("host_iowait_ns", at(4)),
                ("host_softirq_ns", at(5) + at(6)),
                (names::HOST_STEAL_NS, at(7)),
                (names::HOST_BUSY_NS, all - idle),
                (names::HOST_ALL_NS, all),
            ];
            out.extend(named.map(|(name, ticks)| now.reading(name, ticks * self.tick_ns)));
        }
        let share = |(now, old): (&(f64, f64), &(f64, f64))| {
            (now.1 > old.1).then(|| (now.0 - old.0) / (now.1 - old.1))
        };
        let busiest = cores.iter().zip(&self.cores).filter_map(share).max_by(f64::total_cmp);
        out.extend(busiest.map(|share| now.reading(names::BUSIEST_CORE_PERCENT, share * 100.0)));
        out.push(now.reading(names::HOST_CORES, cores.len() as f64));
        self.cores = cores;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_time_leaves_out_idle_and_iowait_and_the_busiest_core_is_named() {
        let mut host = CpuTimes { tick_ns: 1e7, cores: Vec::new(), limit: None };
        let mut out = Vec::new();
        let now = ReadingTime { ns: 0, unix_ns: 0 };
        host.host(
            "cpu 10 0 10 60 20 0 0 0\ncpu0 5 0 5 30 10 0 0 0\ncpu1 5 0 5 30 10 0 0 0\n",
            now,
            &mut out,
        );
        out.clear();
        host.host(
            "cpu 100 0 20 70 20 0 0 0\ncpu0 94 0 6 30 10 0 0 0\ncpu1 6 0 14 40 10 0 0 0\n",
            now,
            &mut out,
        );
        let value = |name: &str| out.iter().find(|r| r.name == name).map(|r| r.value);
        assert_eq!(value(names::HOST_BUSY_NS), Some(120.0 * 1e7));
        assert_eq!(value("host_iowait_ns"), Some(20.0 * 1e7));
        assert_eq!(value(names::BUSIEST_CORE_PERCENT), Some(100.0));
        assert_eq!(value(names::HOST_CORES), Some(2.0));
    }
}
