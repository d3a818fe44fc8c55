//! The requests of a fitted protocol's streams as a trace: generated with the same generators and
//! schedules as in a measurement, without a drive. Its profile is compared with the profile of the
//! original trace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use rustix::fs::{MemfdFlags, memfd_create};

use crate::base::error::{Context, Error, Result};
use crate::base::file::folder_of;
use crate::base::rng::Seed;
use crate::base::units::{duration, significant};
use crate::measure::pacer::{ArrivalSeeds, Schedule, WorkerShare};
use crate::measure::{AddressSpace, OpGenerator, OpKind};
use crate::plan::{self, Load, Plan, Stream};
use crate::trace::{Reader, Request, RequestKind, TraceProfile, Writer};
use crate::workload::{self, GeneratorInputs};

/// Maximum number of requests of the model: enough for the indices of dispersion, in a few seconds.
const MOST_REQUESTS: u64 = 4_000_000;
const MIB: f64 = 1_048_576.0;

/// The profiles of a trace and of the protocol `fitted` to it, over the same time.
pub fn profiles(trace: &mut Reader, fitted: &Path) -> Result<(TraceProfile, TraceProfile)> {
    let of_trace = TraceProfile::of(trace, None)?;
    let mut made = requests(fitted, trace.summary().span_ns)?;
    Ok((of_trace, TraceProfile::of(&mut made, None)?))
}

/// Bounds within which a model keeps a property of its trace: shares in percentage points, and
/// others as a ratio.
mod bound {
    pub const READS: f64 = 2.0;
    pub const SEQUENTIAL: f64 = 5.0;
    pub const SIZES: f64 = 5.0;
    pub const TOP: f64 = 10.0;
    pub const RATE: f64 = 1.05;
    pub const FOOTPRINT: f64 = 1.25;
    pub const DISPERSION: f64 = 2.0;
}

/// The properties that the model does not keep within their bounds, each with both values.
pub fn lost(trace: &TraceProfile, model: &TraceProfile) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let percent = |share: f64| format!("{} %", significant(share * 100.0, 3));
    let mut share = |name: &str, of: fn(&TraceProfile) -> Option<f64>, points: f64| {
        let both = of(trace).zip(of(model));
        if let Some((own, made)) = both.filter(|(a, b)| (a - b).abs() * 100.0 > points) {
            let how = format!("{} in the trace, {} in the model", percent(own), percent(made));
            all.push((name.to_string(), how));
        }
    };
    share("the share of reads", TraceProfile::read_share, bound::READS);
    share("sequential requests", TraceProfile::sequential_share, bound::SEQUENTIAL);
    let top = |of: &TraceProfile| Some(of.extents.first()?.top[1]);
    share("the accesses to the top 10 % of 4 KiB extents", top, bound::TOP);
    // Half the sum of the differences: the share of requests with another size.
    let sizes = other_sizes(trace, model) * 100.0;
    if sizes > bound::SIZES {
        let how = format!("{} % of the requests have another one", significant(sizes, 2));
        all.push(("the mix of sizes".to_string(), how));
    }
    let mut ratio = |name: String, both: Option<(f64, f64)>, most: f64, unit: &str| {
        let is_off = |(own, made): &(f64, f64)| (own / made).max(made / own) > most;
        if let Some((own, made)) = both.filter(is_off) {
            let [own, made] = [own, made].map(|value| significant(value, 3));
            let how = format!("{own}{unit} in the trace, {made}{unit} in the model");
            all.push((name, how));
        }
    };
    ratio("the arrivals".to_string(), trace.rate().zip(model.rate()), bound::RATE, "/s");
    let mib = |of: &TraceProfile| Some(of.extents.first()?.footprint_bytes as f64 / MIB);
    let footprint = mib(trace).zip(mib(model)).filter(|(own, _)| *own > 0.0);
    ratio("the footprint".to_string(), footprint, bound::FOOTPRINT, " MiB");
    for (own, made) in trace.dispersion.iter().zip(&model.dispersion) {
        // Below this, arrivals are like those of Poisson or spaced more evenly.
        let both = own.index.zip(made.index).map(|(own, made)| (own.max(1.0), made.max(1.0)));
        let name = format!("the index of dispersion at {}", duration(own.window_ns));
        ratio(name, both, bound::DISPERSION, "");
    }
    all
}

/// The share of requests that would need another size for both to have the same mix.
fn other_sizes(trace: &TraceProfile, model: &TraceProfile) -> f64 {
    let mix = |of: &TraceProfile| -> BTreeMap<u32, f64> {
        let count = |kinds: &[u64; 4]| kinds.iter().sum::<u64>() as f64;
        let all: f64 = of.lengths.iter().map(|length| count(&length.kinds)).sum();
        of.lengths.iter().map(|length| (length.length, count(&length.kinds) / all)).collect()
    };
    let (own, made) = (mix(trace), mix(model));
    let lengths: BTreeSet<&u32> = own.keys().chain(made.keys()).collect();
    let share = |of: &BTreeMap<u32, f64>, length| of.get(length).copied().unwrap_or(0.0);
    lengths.iter().map(|length| (share(&own, length) - share(&made, length)).abs()).sum::<f64>()
        / 2.0
}

/// One stream and its next request.
struct ModelStream {
    schedule: Schedule,
    source: Box<dyn OpGenerator>,
    device: u16,
    made: u64,
}

/// Generates the requests of a protocol's first step over this time.
fn requests(protocol: &Path, span_ns: u64) -> Result<Reader> {
    let plan = resolved(protocol)?;
    let memory = memfd_create("model", MemfdFlags::CLOEXEC);
    let file = File::from(memory.context("making room for the requests of the model")?);
    let mut writer = Writer::new(BufWriter::new(file))?;
    let streams = plan.protocol.steps.first().map(|step| &step.streams[..]).unwrap_or_default();
    let mut all = Vec::new();
    for stream in streams {
        let device = writer.device(&stream.name)?;
        all.push(ModelStream::new(&plan, stream, device)?);
    }
    for _ in 0..MOST_REQUESTS {
        let next = all.iter_mut().min_by_key(|stream| stream.schedule.due_ns());
        let Some(next) = next.filter(|stream| stream.schedule.due_ns() < span_ns) else { break };
        writer.push(&next.request())?;
    }
    let (buffered, _) = writer.finish()?;
    let file: File = buffered.into_inner().map_err(|error| Error::from(error.into_error()))?;
    Reader::over(file, Path::new("the requests of the model"))
}

fn resolved(protocol: &Path) -> Result<Plan> {
    // A plan needs a subject; nothing of it is used.
    let subject = [("A".to_string(), folder_of(protocol).to_path_buf())];
    let shown = std::path::absolute(protocol)?.to_string_lossy().into_owned();
    let catalogue = crate::plan_catalogue();
    let plan = plan::from_command_line(&shown, &subject, &[], Some(1), &catalogue);
    plan.map_err(|mistakes| Error::msg(mistakes.to_string())).context("reading the fitted protocol")
}

impl ModelStream {
    fn new(plan: &Plan, stream: &Stream, device: u16) -> Result<ModelStream> {
        let Load::Rate(rate) = stream.load else {
            return Err(Error::msg(format!("the stream {} has no rate", stream.name)));
        };
        let dataset = plan.protocol.datasets.iter().find(|own| own.name == stream.dataset);
        let bytes = dataset.map_or(Ok(0), |own| own.engine.knobs.int("size"))?;
        let space = AddressSpace { bytes, align_bytes: 512, ..AddressSpace::default() };
        let of = |thread: u64| Seed::new(plan.seed, u64::from(device), thread);
        let seeds = ArrivalSeeds { own: of(1), of_stream: of(2) };
        let share = WorkerShare { thread: 0, threads: 1, extra_bytes: 0, mean_op_bytes: 0.0 };
        let workload = workload::find(&stream.workload.name);
        let source =
            workload.context("finding the workload of the model")?.source(&GeneratorInputs {
                knobs: &stream.workload.knobs,
                space,
                thread: 0,
                threads: 1,
                seed: of(3),
                stream_seed: of(4),
            })?;
        let schedule = Schedule::new(rate, stream.arrival, share, 0, seeds);
        Ok(ModelStream { schedule, source, device, made: 0 })
    }

    /// Returns the next request and generates the one after it.
    fn request(&mut self) -> Request {
        let op = self.source.op(self.made);
        let kind = match op.kind {
            OpKind::Read => RequestKind::Read,
            OpKind::Trim => RequestKind::Discard,
            OpKind::Flush => RequestKind::Flush,
            _ => RequestKind::Write,
        };
        let (offset, length) = if kind == RequestKind::Flush { (0, 0) } else { (op.at, op.len) };
        let at_ns = self.schedule.due_ns();
        self.schedule.advance(self.made, op.len);
        self.made += 1;
        Request { at_ns, device: self.device, kind, offset, length }
    }
}
