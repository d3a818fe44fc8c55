//! The requests of a fitted protocol's streams as a trace: generated with the same generators and
//! schedules as in a measurement, without a drive. Its profile is compared with the profile of the
//! original trace.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use rustix::fs::{MemfdFlags, memfd_create};

use crate::base::error::{Context, Error, Result};
use crate::base::file::folder_of;
use crate::base::rng::Seed;
use crate::measure::pacer::{ArrivalSeeds, Schedule, WorkerShare};
use crate::measure::{AddressSpace, OpGenerator, OpKind};
use crate::plan::{self, Load, Plan, Stream};
use crate::trace::{Reader, Request, RequestKind, TraceProfile, Writer};
use crate::workload::{self, GeneratorInputs};

/// Maximum number of requests of the model: enough for the indices of dispersion, in a few seconds.
const MOST_REQUESTS: u64 = 4_000_000;

/// The profiles of a trace and of the protocol `fitted` to it, over the same time.
pub fn profiles(trace: &mut Reader, fitted: &Path) -> Result<(TraceProfile, TraceProfile)> {
    let of_trace = TraceProfile::of(trace, None)?;
    let mut made = requests(fitted, trace.summary().span_ns)?;
    Ok((of_trace, TraceProfile::of(&mut made, None)?))
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
