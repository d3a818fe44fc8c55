//! Resources of the host that a load needs besides its drives: tasks, file descriptors and memory
//! of its workers. A plan that would exceed a limit is refused before anything is prepared, and a
//! point before it begins, because other programs use the same limits meanwhile.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::base::error::{Context, Result, failed};
use crate::base::units;
use crate::engine;
use crate::lab::machine::host;
use crate::lab::machine::task_limit::TaskLimit;
use crate::plan::{Dataset, Plan, RequestFamily, Stream, Subject, steps_at};
use crate::run::datasets::dataset::stream_of;
use crate::run::datasets::target_key;

/// Threads of Dyno in addition to its workers: meters, the witness, probes of a few processors.
const OWN_TASKS: u64 = 8;
/// Background threads of an embedded database.
const ENGINE_TASKS: u64 = 16;
/// Threads or processes of a server in addition to those of its connections.
const SERVER_TASKS: u64 = 64;
/// File descriptors of the bundle, the meters and the datasets.
const OWN_DESCRIPTORS: u64 = 64;
/// File descriptors of a worker: its ring or connection, the kernel's accounting of it, an event.
const WORKER_DESCRIPTORS: u64 = 3;
/// Minimum size of an embedded database's files, bytes.
const TABLE_BYTES: u64 = 32 << 20;

/// The requirements of a point's load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LoadNeeds {
    workers: u64,
    tasks: u64,
    descriptors: u64,
    buffer_bytes: u64,
}

impl LoadNeeds {
    fn of(subject: &Subject, streams: &[Stream]) -> LoadNeeds {
        let mut all = LoadNeeds::default();
        for stream in streams {
            let places = target_key::places(subject, stream).len() as u64;
            let shared = places.div_ceil(u64::from(stream.drives_per_worker.max(1)));
            let workers = u64::from(stream.threads) * shared;
            let family = engine::find(&stream.engine.name).map(|engine| engine.info().family);
            let knobs = &stream.engine.knobs;
            all.workers += workers;
            all.tasks += workers;
            all.descriptors += workers * WORKER_DESCRIPTORS + places;
            if knobs.text("server").is_ok_and(|server| server != "existing") {
                // Each connection has a thread or a process in its server.
                all.tasks += workers + SERVER_TASKS * places;
            } else if family == Some(RequestFamily::KeyValue) {
                let int = |name: &str| knobs.int(name).unwrap_or(0);
                let bytes = int("keys").saturating_mul(int("key_size") + int("value_size"));
                all.tasks += ENGINE_TASKS;
                all.descriptors += bytes / TABLE_BYTES * places;
            } else if family == Some(RequestFamily::Block) {
                let sizes = stream.workload.knobs.sizes("block").unwrap_or_default();
                let largest = sizes.iter().map(|size| size.0).max().unwrap_or(0);
                let slots = u64::from(stream.threads) * places * u64::from(stream.depth);
                all.buffer_bytes = all.buffer_bytes.saturating_add(slots.saturating_mul(largest));
            }
        }
        all.tasks += OWN_TASKS;
        all.descriptors += OWN_DESCRIPTORS;
        all
    }

    /// The maximum of each.
    fn or(self, other: LoadNeeds) -> LoadNeeds {
        let most = if other.tasks > self.tasks { other } else { self };
        LoadNeeds {
            descriptors: self.descriptors.max(other.descriptors),
            buffer_bytes: self.buffer_bytes.max(other.buffer_bytes),
            ..most
        }
    }

    fn check(self) -> Result<()> {
        if let Some(limit) = TaskLimit::tightest() {
            limit.check(self.workers, self.tasks)?;
        }
        descriptors(self.descriptors)?;
        memory(self.buffer_bytes)
    }
}

/// Refuses a plan if a fill, a conditioning load or a point of it exceeds a limit.
pub fn check(plan: &Plan) -> Result<()> {
    let protocol = &plan.protocol;
    for subject in &plan.subjects {
        let one = |stream: &Stream| LoadNeeds::of(subject, std::slice::from_ref(stream));
        let fill = |of: &Dataset| of.fill.as_ref().map(|fill| one(&stream_of(of, fill)));
        let fills = protocol.datasets.iter().filter_map(fill);
        let conditioning = protocol.prepare.iter().map(|load| one(&load.stream));
        let steady = protocol.preparation.steady.iter().map(|steady| one(&steady.stream));
        let prepared = fills.chain(conditioning).chain(steady).reduce(LoadNeeds::or);
        prepared
            .map_or(Ok(()), LoadNeeds::check)
            .with_context(|| format!("{}, preparation", subject.name))?;
        for step in &protocol.steps {
            let points = steps_at(step, subject).map(|at| LoadNeeds::of(subject, &at.streams));
            points
                .reduce(LoadNeeds::or)
                .map_or(Ok(()), LoadNeeds::check)
                .with_context(|| format!("{}, step {}", subject.name, step.name))?;
        }
    }
    Ok(())
}

/// The same for a point that is about to begin.
pub fn check_point(subject: &Subject, streams: &[Stream]) -> Result<()> {
    LoadNeeds::of(subject, streams).check()
}

/// The memory of a load's buffers.
pub fn buffer_bytes(subject: &Subject, streams: &[Stream]) -> u64 {
    LoadNeeds::of(subject, streams).buffer_bytes
}

/// Raises the soft limit as far as needed; the hard limit cannot be raised.
fn descriptors(needed: u64) -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let open = std::fs::read_dir("/proc/self/fd").map_or(0, |all| all.count() as u64);
    let needed = needed.saturating_add(open);
    if limit.current.is_none_or(|soft| needed <= soft) {
        return Ok(());
    }
    if let Some(hard) = limit.maximum.filter(|hard| needed > *hard) {
        return Err(failed(
            format!(
                "the load needs about {needed} file descriptors, and this process may have {hard}"
            ),
            "raise the limit (`ulimit -Hn`; LimitNOFILE of systemd, `docker run --ulimit nofile`), \
             or use fewer threads",
        ));
    }
    let raised = Rlimit { current: Some(needed), ..limit };
    setrlimit(Resource::Nofile, raised).map_err(|cause| {
        failed(
            format!("the limit of file descriptors can't be raised to {needed}: {cause}"),
            "raise it before dyno starts: `ulimit -n`",
        )
    })
}

/// If the buffers do not fit, the kernel would kill Dyno at the start of the load.
fn memory(needed: u64) -> Result<()> {
    match host::least_memory().filter(|(_, there)| needed > *there) {
        None => Ok(()),
        Some((of, there)) => Err(failed(
            format!(
                "the workers need {} for their buffers, and {of} has {}",
                units::bytes(needed),
                units::bytes(there)
            ),
            "use fewer threads, a lower depth or smaller blocks, or raise the limit",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_of_two_loads_decides_each_limit() {
        let (many, large) = (
            LoadNeeds { workers: 64, tasks: 72, descriptors: 300, buffer_bytes: 1 },
            LoadNeeds { workers: 2, tasks: 10, descriptors: 400, buffer_bytes: 1 << 30 },
        );
        let both = LoadNeeds { descriptors: 400, buffer_bytes: 1 << 30, ..many };
        assert_eq!([many.or(large), large.or(many)], [both; 2]);
    }

    #[test]
    fn what_this_host_cannot_give_is_refused_with_the_limit() {
        let said = |result: Result<()>| format!("{:#}", result.expect_err("refused"));
        assert!(said(memory(u64::MAX)).contains("for their buffers, and"));
        if getrlimit(Resource::Nofile).maximum.is_some() {
            assert!(said(descriptors(u64::MAX / 2)).contains("file descriptors"));
        }
        LoadNeeds { workers: 1, tasks: 2, descriptors: 1, buffer_bytes: 4096 }
            .check()
            .expect("a worker fits");
    }
}
