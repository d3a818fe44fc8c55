//! The processor time, reads and writes of Dyno and every process that it started, such as database
//! servers, from the kernel's counters per process. They separate the load from its neighbours.

use std::collections::BTreeMap;

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result};
use crate::plan::Info;
use crate::record::gauge::processes as names;

/// The meter `processes`.
pub struct Processes;

static INFO: Info = info(
    "processes",
    "processor time, bytes read and bytes written of Dyno and of all that it started",
    &[],
    "Linux, proc(5), /proc/PID/stat and /proc/PID/io",
);

impl Meter for Processes {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// All processes of the host are examined, so readings are rare; the start and end of a window
    /// are always read.
    fn every_ns(&self) -> u64 {
        10_000_000_000
    }

    fn open(&self, _: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        Ok(Box::new(Tree { tick_ns: 1e9 / rustix::param::clock_ticks_per_second().max(1) as f64 }))
    }
}

struct Tree {
    tick_ns: f64,
}

/// One process, from its line in /proc/PID/stat.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ProcessStat {
    parent: u32,
    /// Its own processor time, and that of its ended children.
    ticks: f64,
    children_ticks: f64,
}

/// From /proc/PID/io.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Io {
    read_bytes: f64,
    written_bytes: f64,
    write_calls: f64,
}

impl Probe for Tree {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let own = std::process::id();
        let all = all()?;
        let ours = family(own, &all);
        let ticks = |pid: &u32| all.get(pid).map_or(0.0, |p| p.ticks + p.children_ticks);
        let total: f64 = ours.iter().map(ticks).sum();
        let dyno = all.get(&own).map_or(0.0, |p| p.ticks);
        out.push(now.reading(names::LOAD_CPU_NS, total * self.tick_ns));
        out.push(now.reading(names::SERVERS_CPU_NS, (total - dyno) * self.tick_ns));
        // If one of them cannot be read, the sum would be too small, and the remainder would be
        // attributed to a neighbour.
        if let Some(io) = ours.iter().map(|pid| io_of(*pid)).collect::<Option<Vec<Io>>>() {
            let sum = |of: fn(&Io) -> f64| io.iter().map(of).sum();
            out.push(now.reading(names::LOAD_READ_BYTES, sum(|io| io.read_bytes)));
            out.push(now.reading(names::LOAD_WRITTEN_BYTES, sum(|io| io.written_bytes)));
            out.push(now.reading(names::LOAD_WRITE_CALLS, sum(|io| io.write_calls)));
        }
        Ok(())
    }
}

/// Every visible process of the host.
fn all() -> Result<BTreeMap<u32, ProcessStat>> {
    let entries = std::fs::read_dir("/proc").context("reading /proc")?.flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // A process that has ended meanwhile is included in its parent.
    let process =
        |pid: u32| Some((pid, stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?));
    Ok(pids.filter_map(process).collect())
}

fn stat(line: &str) -> Option<ProcessStat> {
    // The name in brackets may contain spaces and brackets; the state after it is field 3.
    let fields: Vec<&str> = line.rsplit(')').next()?.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
    Some(ProcessStat {
        parent: fields.get(1)?.parse().ok()?,
        ticks: number(14)? + number(15)?,
        children_ticks: number(16)? + number(17)?,
    })
}

/// A process and all its descendants.
fn family(root: u32, all: &BTreeMap<u32, ProcessStat>) -> Vec<u32> {
    let mut found = vec![root];
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        let children = all.iter().filter(|(pid, p)| p.parent == parent && !found.contains(pid));
        let children: Vec<u32> = children.map(|(pid, _)| *pid).collect();
        found.extend(children);
        at += 1;
    }
    found
}

/// None if the kernel does not count or show it.
fn io_of(pid: u32) -> Option<Io> {
    match std::fs::read_to_string(format!("/proc/{pid}/io")) {
        Ok(text) => io(&text),
        // It has ended since it was listed: its parent's counters include it.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && pid != std::process::id() => {
            Some(Io::default())
        }
        Err(_) => None,
    }
}

fn io(text: &str) -> Option<Io> {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        line.trim().parse::<f64>().ok()
    };
    Some(Io {
        read_bytes: value("read_bytes")?,
        // Data written to a file that was deleted before write-back never reach the device.
        written_bytes: (value("write_bytes")? - value("cancelled_write_bytes")?).max(0.0),
        write_calls: value("syscw")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_read_whatever_a_process_calls_itself() {
        let line = "42 (a) b (c) S 7 42 42 0 -1 0 0 0 0 0 150 50 30 20 20 0 1 0 100 0 0";
        assert_eq!(stat(line), Some(ProcessStat { parent: 7, ticks: 200.0, children_ticks: 50.0 }));
        assert_eq!(stat("42 (short) S 7"), None);
        let text = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\n\
                    cancelled_write_bytes: 512\n";
        assert_eq!(
            io(text),
            Some(Io { read_bytes: 4096.0, written_bytes: 7680.0, write_calls: 4.0 })
        );
        assert_eq!(io("rchar: 1\n"), None);
    }

    #[test]
    fn children_of_children_are_the_loads_and_nobody_elses() {
        let of = |parent| ProcessStat { parent, ticks: 1.0, children_ticks: 0.0 };
        let all =
            [(1, of(0)), (10, of(1)), (11, of(10)), (12, of(11)), (20, of(1)), (21, of(20))].into();
        assert_eq!(family(10, &all), [10, 11, 12]);
    }

    #[test]
    fn the_processor_time_and_writes_of_a_child_are_counted_while_it_lives_and_after() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let file = folder.path().join("written");
        let counted = || {
            let mut out = Vec::new();
            Processes
                .open(&MeterTarget { knobs: &Default::default(), places: &[], divided: false })
                .unwrap()
                .read(ReadingTime { ns: 0, unix_ns: 0 }, &mut out)
                .unwrap();
            let value = |name: &str| out.iter().find(|r| r.name == name).map(|r| r.value);
            (value(names::LOAD_CPU_NS).unwrap(), value(names::LOAD_WRITTEN_BYTES))
        };
        let before = counted();
        let script = format!(
            "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; head -c 1000000 /dev/zero > {}; \
             read x",
            file.display()
        );
        let mut child = std::process::Command::new("sh");
        let mut child =
            child.args(["-c", &script]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        while std::fs::metadata(&file).map_or(0, |m| m.len()) < 1_000_000 {
            std::thread::yield_now();
        }
        let alive = counted();
        drop(child.stdin.take());
        child.wait().unwrap();
        let ended = counted();
        assert!(before.0 < alive.0 && alive.0 <= ended.0, "{before:?} {alive:?} {ended:?}");
        // If the kernel counts them; a memory filesystem writes nothing.
        if let (Some(before), Some(alive), Some(ended)) = (before.1, alive.1, ended.1) {
            assert!(alive >= before && ended >= alive, "{before} {alive} {ended}");
        }
    }
}
