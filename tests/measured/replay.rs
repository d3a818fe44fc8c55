//! A round trip: Dyno's own load recorded where it reaches the engine, replayed from the recording,
//! and recorded again. The requests are the same in the same order, at the same times as far as
//! Dyno keeps any schedule, and none is lost.
//!
//! The recorder is an engine of this test, which notes each request as it is started;
//! `traced` has the same with the kernel's block tracer.

use std::path::Path;
use std::sync::Mutex;

use dyno::base::clock::Clock;
use dyno::base::error::Result;
use dyno::engine::{self, DatasetAccess, Engine, Target};
use dyno::measure::{AddressSpace, AnyIoContext, Completion, IoContext, Op, OpKind, Wait};
use dyno::plan::{Info, RequestFamily, Stream, Writes};
use dyno::record::Class;
use dyno::trace::{Request, RequestKind, Synthetic, Writer};

use crate::support::quiet::on_a_quiet_machine;
use crate::support::size;
use crate::truth::run_protocol;

/// The engine.
struct Recording;

static INFO: Info = Info {
    name: "recording",
    summary: "completes at once and notes each request",
    family: RequestFamily::Any,
    writes: Writes::Never,
    max_depth: 4096,
    knobs: &[],
    source: "",
};

/// What was noted: when each request was started, by the clock of the run.
static NOTED: Mutex<Vec<(u64, Op)>> = Mutex::new(Vec::new());

const MOST: usize = 1 << 20;

impl Engine for Recording {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        Ok(Box::new(Open(site.clock)))
    }
}

struct Open(Clock);

impl Target for Open {
    fn space(&self) -> AddressSpace {
        AddressSpace { bytes: 1 << 30, align_bytes: 512, ..AddressSpace::default() }
    }

    fn io_context(&self, _stream: &Stream, _thread: u32) -> Result<Box<dyn AnyIoContext>> {
        let (staged, noted) = (Vec::with_capacity(4096), Vec::with_capacity(MOST));
        Ok(Box::new(Notes { clock: self.0, staged, noted }))
    }
}

struct Notes {
    clock: Clock,
    staged: Vec<(u32, Op)>,
    noted: Vec<(u64, Op)>,
}

impl IoContext for Notes {
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.staged.push((slot, *op));
        Ok(())
    }

    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        let now_ns = self.clock.now_ns();
        for (slot, op) in self.staged.drain(..) {
            self.noted.push((now_ns, op));
            done.push(Completion { slot, bytes: op.len, hit: true, given_up: false });
        }
        Ok(())
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        NOTED.lock().unwrap().append(&mut self.noted);
    }
}

/// What a run of one stream starts, and the ops that its point counts.
fn recorded(stream: &str) -> (Vec<(u64, Op)>, u64) {
    NOTED.lock().unwrap().clear();
    let memory = run_protocol(&format!(
        "title = \"Recorded\"\nsource = \"test\"\n[[step]]\nname = \"s\"\nduration = \"3s\"\n\
         [[step.stream]]\nname = \"io\"\nengine = \"recording\"\n{stream}\n"
    ));
    let counted = memory.points[0].cells[0].tallies.iter().map(|tally| tally.ops).sum();
    (std::mem::take(&mut *NOTED.lock().unwrap()), counted)
}

/// Writes a recording down.
fn written(path: &Path, noted: &[(u64, Op)]) {
    let mut writer = Writer::new(std::fs::File::create(path).unwrap()).unwrap();
    let device = writer.device("recording").unwrap();
    for (at_ns, op) in noted {
        let kind = match op.kind {
            OpKind::Read => RequestKind::Read,
            OpKind::Write => RequestKind::Write,
            OpKind::Trim => RequestKind::Discard,
            _ => RequestKind::Flush,
        };
        let request = Request { at_ns: *at_ns, device, kind, offset: op.at, length: op.len };
        writer.push(&request).unwrap();
    }
    writer.finish().unwrap();
}

/// Each request is started at its time in the other recording, divided by the scale, as exactly as
/// Dyno keeps a schedule. What the host delayed in one of the recordings is not their pace: the
/// zero of their times is the median of all and not the first request, and a twentieth of the
/// recorded time may be disturbed.
fn at_the_same_times(recorded: &[(u64, Op)], replayed: &[(u64, Op)], scale: u64) {
    let later = |n: usize| replayed[n].0 as i64 - (recorded[n].0 / scale) as i64;
    let mut later: Vec<i64> = (0..recorded.len()).map(later).collect();
    later.sort_unstable();
    let zero = later[later.len() / 2];
    let mut off: Vec<u64> = later.into_iter().map(|later| later.abs_diff(zero)).collect();
    off.sort_unstable();
    let at = |share: f64| off[(off.len() as f64 * share) as usize];
    let most = 1.0 - 0.05 * scale as f64;
    println!("{scale} ×: off by {} ns (median), {} ns (p{:.0})", at(0.5), at(most), 100.0 * most);
    // Dyno's pacing floor is a few microseconds (docs/measuring.md): five times it, and for those
    // next to a delayed one more.
    assert!(at(0.5) < 50_000, "{} ns", at(0.5));
    assert!(at(most) < 500_000, "{} ns", at(most));
}

#[test]
fn a_load_that_is_recorded_and_replayed_is_the_same_load_at_the_same_times() {
    engine::ALL.add(&Recording);
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("own.trace");
    on_a_quiet_machine(|| {
        let (first, _) = recorded(
            "rate = \"2000/s\"\narrival = \"poisson\"\ndepth = 64\nworkload = { kind = \
             \"random\", read = 60, trim = 5, flush = 1, block = [[\"4KiB\", 3], [\"64KiB\", 1]] }",
        );
        assert!(first.len() > 5_000, "{}", first.len());
        written(&trace, &first);
        let replay = |knobs: &str| {
            recorded(&format!(
                "depth = 64\nworkload = {{ kind = \"trace\", file = \"{}\"{knobs} }}",
                trace.display()
            ))
        };
        let (again, counted) = replay("");
        let bare = |all: &[(u64, Op)]| -> Vec<(OpKind, u64, u32)> {
            all.iter().map(|(_, op)| (op.kind, op.at, op.len)).collect()
        };
        assert_eq!(bare(&again), bare(&first), "the same requests in the same order");
        assert_eq!(counted, first.len() as u64, "nothing is lost, and all is counted");
        at_the_same_times(&first, &again, 1);
        let (fast, counted) = replay(", scale = 4");
        assert_eq!((bare(&fast), counted), (bare(&first), first.len() as u64));
        at_the_same_times(&first, &fast, 4);
        let (asap, counted) = replay(", pace = \"asap\"");
        assert_eq!((bare(&asap), counted), (bare(&first), first.len() as u64));
    });
}

/// The most memory that this process has had since it was last asked to forget, bytes.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// A minute of an hour of 100 million requests every day, at eight times its pace; the hour, at
/// sixteen times, with DYNO_SOAK=1.
#[test]
fn a_long_trace_is_replayed_whole_without_drift_in_bounded_memory() {
    let (seconds, scale) = (size(60, 3600), size(8, 16));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.trace");
    let load = Synthetic { seconds, rate: 27_778.0, burst: 1.0, ..Synthetic::default() };
    let file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let (_, summary) = load.write(file).unwrap();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = peak_bytes();
    let memory = run_protocol(&format!(
        "title = \"Long\"\nsource = \"test\"\n[[step]]\nname = \"s\"\nduration = \"2h\"\n\
         [[step.stream]]\nname = \"io\"\nengine = \"null\"\ndepth = 64\n\
         workload = {{ kind = \"trace\", file = \"{}\", scale = {scale} }}\n",
        path.display()
    ));
    let cell = &memory.points[0].cells[0];
    let counted: u64 = cell.tallies.iter().map(|tally| tally.ops).sum();
    assert_eq!((counted, cell.backlog_end), (summary.requests, 0), "nothing is lost");
    // The ring and the tallies have a few MB; each interval that the test keeps has a histogram.
    let grown = peak_bytes().saturating_sub(before);
    let kept = memory.intervals.len() as u64 * (1 << 20);
    println!("{counted} requests, {} MB more", grown >> 20);
    assert!(grown < (128 << 20) + kept, "{} MB", grown >> 20);
    let reads = memory.intervals.iter().filter(|interval| interval.class == Class::READ);
    let medians: Vec<u64> =
        reads.filter_map(|own| own.response.as_ref()?.quantile_ns(0.5)).collect();
    let of = |part: &[u64]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part[part.len() / 2]
    };
    let tenth = (medians.len() / 10).max(1);
    let (first, last) = (of(&medians[..tenth]), of(&medians[medians.len() - tenth..]));
    println!("median response time {first} ns at first, {last} ns at last");
    assert!(last < 5 * first.max(10_000), "{first} ns at first, {last} ns at last");
}
