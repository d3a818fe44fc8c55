//! Streams and datasets: workload, engine, data and workers.

use crate::plan::info::{Info, RequestFamily};
use crate::plan::model::{Arrival, Component, Dataset, Fill, Load, Stream};
use crate::plan::steps::arrival;
use crate::plan::steps::knobs::{self, WrittenComponent, check_depth, check_families};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, remedy};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};
use crate::plan::target::PlannedSlice;
use crate::plan::{Catalogue, cpus, target};

/// More workers than any machine can use: more likely a typing error than intended.
pub const MOST_THREADS: u32 = 65_536;
pub const MOST_INSTANCES: u32 = 1024;
pub const MOST_DRIVES: u32 = 1024;

/// A dataset with the plan's engine settings, from which streams inherit knobs.
pub struct DatasetSpec<'n> {
    pub dataset: Dataset,
    pub engine: &'static Info,
    /// Its name in the plan.
    pub at: SourceSpan,
    given: Vec<&'n NodeEntry>,
}

/// A stream with the data for later checks.
pub struct StreamSpec {
    pub stream: Stream,
    pub engine: &'static Info,
    pub workload: &'static Info,
    pub at: SourceSpan,
    /// Its workload's position.
    pub workload_at: SourceSpan,
}

/// A stream's name: its own, or its workload's.
pub fn stream_name(node: &Node) -> Option<&str> {
    node.get("name").and_then(Node::as_text).or_else(|| node.get("workload")?.part_name())
}

pub fn dataset<'n>(
    entry: &'n NodeEntry,
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> Option<DatasetSpec<'n>> {
    let mut table = Fields::of(&entry.node, "a dataset", log)?;
    fields::name(&Node::text(entry.key_at, entry.key.clone()), log);
    let fill = table.get("fill");
    let restore_node = table.get("restore");
    let engine = table.need("engine", "\"rocksdb\"", log);
    let engine =
        engine.and_then(|node| knobs::part(node, "engine", &catalogue.engines, &[], log))?;
    let mut given = engine.given;
    given.extend(table.all_of(engine.info.knobs.iter().map(|k| k.name)));
    table.finish(log);
    let part = knobs::resolve(engine.info, &given, entry.key_at, log);
    let fill = match fill {
        Some(node) => Some(self::fill(node, engine.info, catalogue, log)?),
        None => None,
    };
    let restore = restore_node.and_then(|node| fields::flag(node, log)).unwrap_or(false);
    if let (true, Some(node)) = (restore, restore_node) {
        check_restore(node, &part, fill.is_some(), log);
    }
    let dataset = Dataset { name: entry.key.clone(), engine: part, fill, restore };
    Some(DatasetSpec { dataset, engine: engine.info, at: entry.key_at, given })
}

/// Only datasets filled by Dyno, in its own files, can be restored.
fn check_restore(node: &Node, engine: &Component, filled: bool, log: &mut Mistakes) {
    if !filled {
        let help = "give it a fill, or leave restore out";
        log.note(node.at, "a dataset without a fill cannot be restored", "nothing was kept", help);
    }
    if engine.knobs.text("server").is_ok_and(|server| server == "existing") {
        let help = "leave restore out, or let Dyno start the server: server = \"own\"";
        log.note(
            node.at,
            "the files of an existing server cannot be restored",
            "not Dyno's files",
            help,
        );
    }
}

fn fill(node: &Node, engine: &Info, catalogue: &Catalogue, log: &mut Mistakes) -> Option<Fill> {
    let workload = knobs::part(node, "workload", &catalogue.workloads, &["threads", "depth"], log)?;
    check_families(engine, workload.info, workload.at, log);
    if !workload.info.writes.ever() {
        let message =
            format!("the workload '{}' never writes, so it fills nothing", workload.info.name);
        log.note(
            workload.at,
            message,
            "does not write",
            "fill with a writing workload such as fillseq or sequential",
        );
    }
    let threads = node.get("threads").map_or(Some(1), |n| fields::count(n, MOST_THREADS, log));
    let depth = node.get("depth").map_or(Some(1), |n| depth(n, engine, log));
    let part = knobs::resolve(workload.info, &workload.given, workload.at, log);
    Some(Fill { workload: part, threads: threads.unwrap_or(1), depth: depth.unwrap_or(1) })
}

fn depth(node: &Node, engine: &Info, log: &mut Mistakes) -> Option<u32> {
    let depth = fields::count(node, u32::MAX, log)?;
    check_depth(engine, f64::from(depth), node.at, log);
    Some(depth)
}

fn drives_per_worker(node: &Node, engine: &Info, log: &mut Mistakes) -> Option<u32> {
    let drives = fields::count(node, MOST_DRIVES, log)?;
    if drives > 1 && engine.max_depth == 1 {
        let message = format!("a worker of '{}' waits for each op", engine.name);
        let help = "use uring or libaio, or leave drives_per_worker out";
        log.note(node.at, message, "one drive for each worker", help);
    }
    Some(drives)
}

/// Reads a stream's own keys. The caller finishes the table, because a conditioning load also has a
/// duration.
pub fn stream(
    table: &mut Fields<'_>,
    datasets: &[DatasetSpec<'_>],
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> Option<StreamSpec> {
    let name = table.get("name").map(|n| fields::name(n, log));
    let engine = table.need("engine", "\"uring\"", log);
    let engine = engine.and_then(|n| knobs::part(n, "engine", &catalogue.engines, &[], log));
    let workload = table.need("workload", "\"random\"", log);
    let workload =
        workload.and_then(|n| knobs::part(n, "workload", &catalogue.workloads, &[], log));
    let dataset = table.get("dataset");
    let threads = table.get("threads").map_or(Some(1), |n| fields::count(n, MOST_THREADS, log));
    let depth_node = table.get("depth");
    let load =
        table.get("rate").map_or(Some(Load::Closed), |n| fields::rate(n, log).map(Load::Rate));
    let arrival = table.get("arrival").map_or(Some(Arrival::Fixed), |n| arrival::arrival(n, log));
    let instances =
        table.get("instances").map_or(Some(1), |n| fields::count(n, MOST_INSTANCES, log));
    let headline = table.get("headline").map_or(Some(true), |n| fields::flag(n, log));
    let cpus = table.get("cpus").and_then(|n| cpus::cpus(n, log));
    let drives_node = table.get("drives_per_worker");
    let target_node = table.get("target");
    let target = target_node.map_or(Some(PlannedSlice::default()), |n| target::target(n, log));

    let (engine, workload) = (engine?, workload?);
    check_families(engine.info, workload.info, workload.at, log);
    let not_confined = match workload.info.family {
        RequestFamily::KeyValue => Some("keys are not confined to a part of a drive"),
        RequestFamily::Vector => Some("vectors are not confined to a part of a drive"),
        _ => None,
    };
    if let (Some(node), Some(message)) = (target_node, not_confined) {
        let help = "give each neighbour its own dataset, or omit target";
        log.note(node.at, message, "only for block workloads", help);
    }
    let depth = depth_node.map_or(Some(1), |n| depth(n, engine.info, log));
    let drives = drives_node.map_or(Some(1), |n| drives_per_worker(n, engine.info, log));
    let dataset = self::dataset_of(dataset, &engine, datasets, log);
    let part = engine_part(&engine, dataset, log);
    let stream = Stream {
        name: name.unwrap_or_else(|| Some(workload.info.name.to_string()))?,
        engine: part,
        workload: knobs::resolve(workload.info, &workload.given, workload.at, log),
        dataset: dataset.map(|d| d.dataset.name.clone()).unwrap_or_default(),
        threads: threads?,
        depth: depth?,
        load: load?,
        arrival: arrival?,
        instances: instances?,
        headline: headline?,
        target: target?,
        cpus,
        drives_per_worker: drives?,
    };
    let workload_at = workload.at;
    let (engine, workload) = (engine.info, workload.info);
    Some(StreamSpec { stream, engine, workload, at: table.at(), workload_at })
}

/// The dataset's knobs that the stream's engine also has, then the stream's own.
fn engine_part(
    engine: &WrittenComponent<'_>,
    dataset: Option<&DatasetSpec<'_>>,
    log: &mut Mistakes,
) -> crate::plan::model::Component {
    let shared = dataset.iter().flat_map(|d| &d.given);
    let mut given: Vec<&NodeEntry> =
        shared.copied().filter(|e| engine.info.knobs.iter().any(|k| k.name == e.key)).collect();
    given.extend(&engine.given);
    let same = dataset.filter(|d| d.engine.name == engine.info.name);
    knobs::resolve(engine.info, &given, same.map_or(engine.at, |d| d.at), log)
}

/// The named dataset, or the only suitable one. Engines without data need none.
fn dataset_of<'d, 'n>(
    node: Option<&Node>,
    engine: &WrittenComponent<'_>,
    datasets: &'d [DatasetSpec<'n>],
    log: &mut Mistakes,
) -> Option<&'d DatasetSpec<'n>> {
    let names = || datasets.iter().map(|d| d.dataset.name.as_str());
    let family = engine.info.family;
    let Some(node) = node else {
        if family == RequestFamily::Any {
            return None;
        }
        let suiting: Vec<_> = datasets.iter().filter(|d| d.engine.family.suits(family)).collect();
        if let [only] = suiting[..] {
            return Some(only);
        }
        let (message, help) = match suiting.len() {
            0 => (
                "there is no dataset that suits the stream's engine",
                "add a table [dataset.NAME] with its engine",
            ),
            _ => ("several datasets suit the stream's engine", "say which with dataset = \"NAME\""),
        };
        log.note(engine.at, message, "needs a dataset name", help);
        return None;
    };
    let name = match &node.value {
        NodeValue::Text(name) if name.is_empty() && family == RequestFamily::Any => return None,
        _ => fields::text(node, log)?,
    };
    let Some(found) = datasets.iter().find(|d| d.dataset.name == name) else {
        let help = remedy(&name, "datasets", names());
        log.note(node.at, format!("there is no dataset '{name}'"), "unknown", help);
        return None;
    };
    if !found.engine.family.suits(family) {
        let message = format!(
            "the dataset '{name}' is laid out for {} engines, and '{}' is a {family} one",
            found.engine.family, engine.info.name
        );
        log.note(
            node.at,
            message,
            "of another family",
            "use a dataset whose engine is of the same family",
        );
    }
    Some(found)
}
