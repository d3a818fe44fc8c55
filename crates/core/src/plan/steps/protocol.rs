//! A protocol's tree resolved: datasets, conditioning, steps.

use crate::plan::Catalogue;
use crate::plan::info::RequestFamily;
use crate::plan::model::{Conditioning, Dataset, Preparation, Protocol, Step, Stream};
use crate::plan::planned::{StreamPlace, check_fill, check_stream};
use crate::plan::steps::prepare::SteadyKeys;
use crate::plan::steps::stream::{DatasetSpec, StreamSpec, stream_name};
use crate::plan::steps::{headline, prepare, stream, sweep, title};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan};
use crate::plan::syntax::node::{Node, NodeValue};

/// A protocol with the data for checking its drives.
pub struct Resolved {
    pub protocol: Protocol,
    /// The first thing that writes: a dataset's fill or a stream's workload.
    pub writer: Option<String>,
    /// The first dataset that needs a filesystem: a key-value, vector or SQL engine's.
    pub needs_folder: Option<String>,
    /// The positions of the streams of all steps.
    pub places: Vec<StreamPlace>,
}

pub fn resolve(
    tree: &Node,
    name: &str,
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> Option<Resolved> {
    let mut table = Fields::of(tree, "a protocol", log)?;
    let title = table.get("title").and_then(|n| fields::label(n, log));
    let source = table.get("source").and_then(|n| fields::text(n, log));
    let headline_node = table.get("headline");
    let dataset_node = table.get("dataset");
    let prepare_node = table.get("prepare");
    let steps_node = table.need("step", "… as a table [[step]]", log);
    table.finish(log);

    let datasets = dataset_node.map(|n| datasets(n, catalogue, log)).unwrap_or_default();
    datasets.iter().for_each(|spec| check_fill(&spec.dataset, spec.at, catalogue, log));
    let mut resolver = Resolver { datasets, catalogue, writer: None, places: Vec::new() };
    let (prepare, preparation) = prepare_node.map(|n| resolver.prepare(n, log)).unwrap_or_default();
    let steps = steps_node.map(|n| resolver.steps(n, log)).unwrap_or_default();
    let written = steps_node.map(Node::items).unwrap_or_default();
    let written: Vec<&str> =
        written.iter().filter_map(|step| step.get("name").and_then(Node::as_text)).collect();
    let headline = headline_node.and_then(|n| headline::headline(n, (&steps, &written), log));
    if let Some(node) = prepare_node {
        check_namespaces(node, preparation.namespaces, &steps, log);
    }
    let filled = resolver.datasets.iter().find(|d| d.dataset.fill.is_some());
    let filled = filled.map(|d| format!("the fill of dataset '{}'", d.dataset.name));
    let folders = [RequestFamily::KeyValue, RequestFamily::Vector, RequestFamily::Sql];
    let in_files = resolver.datasets.iter().find(|d| folders.contains(&d.engine.family));
    Some(Resolved {
        writer: preparation.erases().map(str::to_string).or(filled).or(resolver.writer),
        needs_folder: in_files
            .filter(|_| preparation.filesystem.is_none())
            .map(|d| d.dataset.name.clone()),
        places: resolver.places,
        protocol: Protocol {
            name: name.to_string(),
            title: title.unwrap_or_else(|| name.to_string()),
            source: source.unwrap_or_default(),
            headline,
            datasets: resolver.datasets.into_iter().map(|d| d.dataset).collect(),
            prepare,
            preparation,
            steps,
        },
    })
}

fn datasets<'n>(node: &'n Node, catalogue: &Catalogue, log: &mut Mistakes) -> Vec<DatasetSpec<'n>> {
    if !matches!(node.value, NodeValue::Table(_)) {
        fields::wrong(node, "a table of datasets", "write [dataset.NAME]", log);
    }
    node.entries().iter().filter_map(|entry| stream::dataset(entry, catalogue, log)).collect()
}

/// Reports every duplicate name.
pub fn check_unique(names: &[(String, SourceSpan)], what: &str, log: &mut Mistakes) {
    for (i, (name, at)) in names.iter().enumerate() {
        if names[..i].iter().any(|(earlier, _)| earlier == name) {
            let help = format!("give each {what} a unique name");
            log.note(*at, format!("there are two {what}s named '{name}'"), "again", help);
        }
    }
}

struct Resolver<'n, 'c> {
    datasets: Vec<DatasetSpec<'n>>,
    catalogue: &'c Catalogue,
    writer: Option<String>,
    places: Vec<StreamPlace>,
}

impl Resolver<'_, '_> {
    /// Sweeps do not change fields that determine whether a workload writes.
    fn writes(&mut self, spec: &StreamSpec) {
        let (workload, stream) = (&spec.stream.workload, &spec.stream.name);
        if spec.workload.writes.with(&workload.knobs) && self.writer.is_none() {
            self.writer = Some(format!("the workload '{}' of stream '{stream}'", workload.name));
        }
    }

    fn prepare(&mut self, node: &Node, log: &mut Mistakes) -> (Vec<Conditioning>, Preparation) {
        let Some(mut table) = Fields::of(node, "prepare", log) else { return Default::default() };
        let purge = table.get("purge").and_then(|n| prepare::purge(n, log));
        let write_cache = table.get("write_cache").and_then(|n| prepare::write_cache(n, log));
        let filesystem = table.get("filesystem").and_then(|n| prepare::filesystem(n, log));
        let namespaces_node = table.get("namespaces");
        let namespaces =
            namespaces_node.map_or(Some(0), |n| prepare::namespaces(n, log)).unwrap_or(0);
        if let (Some(node), Some(_)) = (namespaces_node, &filesystem) {
            let help = "leave one of them out";
            log.note(
                node.at,
                "a filesystem is made on the whole drive, not on its namespaces",
                "not both",
                help,
            );
        }
        let (condition, steady) = (table.get("condition"), table.get("steady"));
        table.finish(log);
        let items = condition.map(|n| fields::list(n, "loads", log)).unwrap_or_default();
        let conditions = items.iter().filter_map(|item| self.conditioning(item, log)).collect();
        let steady = steady.and_then(|n| {
            let mut table = Fields::of(n, "the steady state", log)?;
            let keys = SteadyKeys::read(&mut table, log);
            Some(keys?.with(self.stream_of(table, log)?))
        });
        (conditions, Preparation { purge, namespaces, write_cache, filesystem, steady })
    }

    fn conditioning(&mut self, node: &Node, log: &mut Mistakes) -> Option<Conditioning> {
        let mut table = Fields::of(node, "a conditioning load", log)?;
        let (duration, passes) = (table.get("duration"), table.get("passes"));
        let length = match (duration, passes) {
            (Some(duration), None) => fields::some_time_ns(duration, log).map(|ns| (ns, 0.0)),
            (None, Some(passes)) => {
                fields::number(passes, 0.01, 1000.0, log).map(|passes| (0, passes))
            }
            _ => {
                let help = "add duration = \"30m\", or passes = 2 to cover the whole range twice";
                log.note(
                    node.at,
                    "a conditioning load has either 'duration' or 'passes'",
                    "here",
                    help,
                );
                None
            }
        };
        let stream = self.stream_of(table, log)?;
        let (duration_ns, passes) = length?;
        Some(Conditioning { stream, duration_ns, passes })
    }

    fn steps(&mut self, node: &Node, log: &mut Mistakes) -> Vec<Step> {
        let items = fields::some_items(node, "steps", log);
        let names: Vec<_> = items
            .iter()
            .filter_map(|n| Some((n.get("name")?.as_text()?, n.get("name")?.at)))
            .collect();
        let names: Vec<_> = names.into_iter().map(|(name, at)| (name.to_string(), at)).collect();
        check_unique(&names, "step", log);
        items.iter().filter_map(|item| self.step(item, log)).collect()
    }

    fn step(&mut self, node: &Node, log: &mut Mistakes) -> Option<Step> {
        let mut table = Fields::of(node, "a step", log)?;
        let name = table.need("name", "\"readrandom\"", log).and_then(|n| fields::name(n, log));
        let title_node = table.get("title");
        let title = title_node.and_then(|n| Some((fields::label(n, log)?, n.at)));
        let warmup_ns = table.get("warmup").map_or(Some(0), |n| fields::time_ns(n, log));
        let duration_ns =
            table.need("duration", "\"20m\"", log).and_then(|n| fields::some_time_ns(n, log));
        let drop_caches = table.get("drop_caches").map_or(Some(false), |n| fields::flag(n, log));
        let settle = table.get("settle").map_or(Some(false), |n| fields::flag(n, log));
        let cooldown_ns = table.get("cooldown").map_or(Some(0), |n| fields::time_ns(n, log));
        let memory_node = table.get("memory");
        let memory = memory_node.map(|n| fields::bytes(n, log));
        let lag = table.get("max_lag").map(|n| fields::some_time_ns(n, log));
        let figures = table.get("figures").map_or(Some(Vec::new()), |n| headline::figures(n, log));
        let sweep_node = table.get("sweep");
        let stream_node = table.need("stream", "… as a table [[step.stream]]", log);
        table.finish(log);

        let items = stream_node.map(|n| fields::some_items(n, "streams", log)).unwrap_or_default();
        let names: Vec<_> =
            items.iter().filter_map(|n| Some((stream_name(n)?.to_string(), n.at))).collect();
        check_unique(&names, "stream", log);
        let specs: Vec<StreamSpec> =
            items.iter().filter_map(|item| self.stream(item, log)).collect();
        check_shared(&specs, log);
        if specs.len() == items.len()
            && !items.is_empty()
            && !specs.iter().any(|s| s.stream.headline)
        {
            let help = "leave headline = false out of at least one stream";
            log.note(
                node.at,
                "no stream of the step counts in the headline",
                "nothing to report",
                help,
            );
        }
        check_memory(memory_node, &specs, log);
        let names: Vec<String> = names.into_iter().map(|n| n.0).collect();
        let sweep = sweep_node.and_then(|n| sweep::sweep(n, &specs, &names, log));
        let name = name?;
        self.places.extend(specs.iter().map(|spec| StreamPlace {
            step: name.clone(),
            stream: spec.stream.name.clone(),
            at: spec.workload_at,
        }));
        let streams: Vec<&Stream> = specs.iter().map(|spec| &spec.stream).collect();
        let title = title.map(|(written, at)| title::of(&written, &streams, at, log));
        Some(Step {
            title: title.unwrap_or_else(|| name.clone()),
            name,
            warmup_ns: warmup_ns?,
            duration_ns: duration_ns?,
            drop_caches: drop_caches?,
            settle: settle?,
            cooldown_ns: cooldown_ns?,
            memory_bytes: memory.map_or(Some(None), |bytes| bytes.map(Some))?,
            max_lag_ns: lag.map_or(Some(None), |ns| ns.map(Some))?,
            figures: figures?,
            sweep,
            streams: specs.into_iter().map(|s| s.stream).collect(),
        })
    }

    fn stream(&mut self, node: &Node, log: &mut Mistakes) -> Option<StreamSpec> {
        let mut table = Fields::of(node, "a stream", log)?;
        let spec = stream::stream(&mut table, &self.datasets, self.catalogue, log);
        table.finish(log);
        let spec = spec?;
        self.writes(&spec);
        Some(spec)
    }

    /// The stream in a table with other keys, which have already been read.
    fn stream_of(&mut self, mut table: Fields<'_>, log: &mut Mistakes) -> Option<Stream> {
        let spec = stream::stream(&mut table, &self.datasets, self.catalogue, log);
        table.finish(log);
        let spec = spec?;
        self.writes(&spec);
        let datasets: Vec<Dataset> = self.datasets.iter().map(|d| d.dataset.clone()).collect();
        check_stream(&spec.stream, &datasets, spec.workload_at, self.catalogue, log);
        Some(spec.stream)
    }
}

/// A stream's namespace must be one of those that will exist.
fn check_namespaces(prepare: &Node, namespaces: u32, steps: &[Step], log: &mut Mistakes) {
    let targets = || steps.iter().flat_map(|s| &s.streams).filter(|s| !s.target.is_whole());
    let other = targets().find(|s| namespaces > 0 && s.target.of != namespaces);
    if let (Some(stream), Some(node)) = (other, prepare.get("namespaces")) {
        let (name, of) = (&stream.name, stream.target.of);
        let message = format!(
            "the stream '{name}' uses one of {of} namespaces, but there will be {namespaces}"
        );
        log.note(
            node.at,
            message,
            "another number",
            format!("make it {of}, or the stream's target one of {namespaces}"),
        );
    }
}

/// A step's limit applies to Dyno's own process, which excludes servers.
fn check_memory(node: Option<&Node>, specs: &[StreamSpec], log: &mut Mistakes) {
    let Some(node) = node else { return };
    let server = specs.iter().find(|spec| spec.stream.engine.knobs.text("server").is_ok());
    if let Some(spec) = server {
        let what = format!(
            "'memory' limits dyno's own process, and the load of stream '{}' is in a server's",
            spec.stream.name
        );
        let help = "give the server's engine the knob: engine = { kind = …, memory = \"64GiB\" }";
        log.note(node.at, what, "of the step", help);
    }
}

/// Streams of a step that share a dataset share one open instance, so the engine's knobs must
/// match.
fn check_shared(specs: &[StreamSpec], log: &mut Mistakes) {
    for (i, spec) in specs.iter().enumerate() {
        let same = |other: &&StreamSpec| {
            other.stream.dataset == spec.stream.dataset
                && other.stream.engine.name == spec.stream.engine.name
        };
        let Some(first) = specs[..i].iter().find(same) else { continue };
        if spec.stream.dataset.is_empty() || first.stream.engine == spec.stream.engine {
            continue;
        }
        let message = format!(
            "the streams '{}' and '{}' open the dataset '{}' with different knobs of '{}'",
            first.stream.name, spec.stream.name, spec.stream.dataset, spec.engine.name
        );
        log.note(
            spec.at,
            message,
            "differs here",
            "give both the same knobs, or put them in separate datasets or steps",
        );
    }
}
