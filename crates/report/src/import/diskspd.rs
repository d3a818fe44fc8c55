//! DiskSpd's XML (`-Rxml`).

use std::collections::BTreeMap;

use resvg::usvg::roxmltree::{Document, Node};

use super::load::{Load, field, workers};
use super::text::{number, percentile, window_ns, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, Written, cell, tally};
use dyno_core::base::error::{Result, failed};
use dyno_core::plan::{LoopKind, Timing};
use dyno_core::record::{Class, Fact, Reported};

pub struct DiskSpd;

const STREAM: &str = "diskspd";

impl ImportFormat for DiskSpd {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "diskspd",
            summary: "DiskSpd's XML output (-Rxml); with -L its latencies",
            missing: &[
                "latencies, unless DiskSpd was run with -L",
                "when the run began",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let text = input.text;
        // Output of a script before the document is not part of it.
        let text = text.find("<Results").map_or(text, |start| &text[start..]);
        let text = text.rfind("</Results>").map_or(text, |end| &text[..end + "</Results>".len()]);
        let document = Document::parse(text).map_err(|e| {
            let next = "use the whole output of diskspd -Rxml";
            wrong(
                input.file,
                e.pos().row as usize,
                format!("not XML as DiskSpd writes it: {e}"),
                next,
            )
        })?;
        let root = document.root_element();
        let mut found = ImportedFile::default();
        if let Some(version) = at(root, &["System", "Tool", "Version"]) {
            found.facts.push(Fact::new("Imported", "DiskSpd version", text_of(version)));
        }
        let plans: Vec<Node<'_, '_>> = at(root, &["Profile", "TimeSpans"])
            .into_iter()
            .flat_map(|spans| children(spans, "TimeSpan"))
            .collect();
        for (i, span) in children(root, "TimeSpan").enumerate() {
            let observation = observe(input.file, span, plans.get(i).copied(), &mut found)?;
            found.observations.push(observation);
        }
        if found.observations.is_empty() {
            let next = "give the output of a run that ended";
            return Err(failed(format!("{}: there is no TimeSpan with results", input.file), next));
        }
        Ok(found)
    }
}

fn children<'a>(node: Node<'a, 'a>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn at<'a>(node: Node<'a, 'a>, path: &[&str]) -> Option<Node<'a, 'a>> {
    path.iter().try_fold(node, |node, name| node.children().find(|c| c.has_tag_name(*name)))
}

fn text_of(node: Node<'_, '_>) -> String {
    node.text().unwrap_or_default().trim().to_string()
}

fn value(node: Node<'_, '_>, name: &str) -> Option<f64> {
    at(node, &[name])?.text()?.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0)
}

fn observe(
    file: &str,
    span: Node<'_, '_>,
    plan: Option<Node<'_, '_>>,
    found: &mut ImportedFile,
) -> Result<Observation> {
    let seconds = value(span, "TestTimeSeconds").filter(|s| *s > 0.0).ok_or_else(|| {
        let next = "give the output of a run that ended";
        failed(format!("{file}: a TimeSpan without TestTimeSeconds"), next)
    })?;
    let mut observation = Observation::new("diskspd", window_ns(seconds * 1e9));
    (observation.timing, observation.loop_kind) = (Some(Timing::Service), Some(LoopKind::Closed));
    observation.load = plan.map(load).unwrap_or_default();
    if observation.load.get("ops per ms and thread").is_some() {
        observation.loop_kind = None;
    }
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    let targets = children(span, "Thread").flat_map(|thread| children(thread, "Target"));
    for target in targets {
        for name in ["ReadBytes", "ReadCount", "WriteBytes", "WriteCount"] {
            let Some(node) = at(target, &[name]) else { continue };
            let row = node.document().text_pos_at(node.range().start).row as usize;
            *sums.entry(name).or_default() += number(file, row, name, &text_of(node))?;
        }
    }
    let mut tallies = Vec::new();
    for (class, name) in [(Class::READ, "Read"), (Class::WRITE, "Write")] {
        let sum = |what: &str| sums.get(format!("{name}{what}").as_str()).copied().unwrap_or(0.0);
        let (ops, bytes) = (sum("Count"), sum("Bytes"));
        if ops <= 0.0 {
            continue;
        }
        let of = (STREAM, class);
        let count = Some(ops as u64);
        tallies.push(tally(class, ops as u64, bytes as u64));
        observation.report(of, Reported::OPS_PER_S, Written::exact(ops / seconds), count);
        observation.report(of, Reported::BYTES_PER_S, Written::exact(bytes / seconds), count);
        let Some(latency) = at(span, &["Latency"]) else { continue };
        if let Some(ms) = value(latency, &format!("Average{name}Milliseconds")) {
            observation.report(of, "mean_ns", Written::exact(ms * 1e6), count);
        }
        for bucket in children(latency, "Bucket") {
            let ms = value(bucket, &format!("{name}Milliseconds"));
            let (Some(p), Some(ms)) = (value(bucket, "Percentile"), ms) else { continue };
            let figure = if p == 100.0 { Some("max_ns".to_string()) } else { percentile(p) };
            let Some(figure) = figure else { continue };
            observation.report(of, &figure, Written::exact(ms * 1e6), count);
        }
    }
    if at(span, &["Latency"]).is_none() {
        found.note(format!("{file}: latencies were not measured (diskspd -L)"));
    }
    let depth = observation.load.workers(field::DEPTH);
    let threads = value(span, "ThreadCount").and_then(workers);
    let threads = threads.or_else(|| observation.load.workers(field::THREADS));
    observation.point.cells.push(cell(STREAM, 0, threads, depth, tallies));
    Ok(observation)
}

/// The load of one or several targets, from the profile at the head of the output.
fn load(plan: Node<'_, '_>) -> Load {
    let targets: Vec<Node<'_, '_>> =
        at(plan, &["Targets"]).into_iter().flat_map(|all| children(all, "Target")).collect();
    let mut load = Load::default();
    for (i, target) in targets.iter().enumerate() {
        let mut own = Load::default();
        own.set_if(field::BLOCK, value(*target, "BlockSize"));
        own.set_if(field::DEPTH, value(*target, "RequestCount"));
        own.set_if(field::THREADS, value(*target, "ThreadsPerFile"));
        own.set_if(field::READS, value(*target, "WriteRatio").map(|percent| 100.0 - percent));
        own.set_if(field::SIZE, value(*target, "MaxFileSize").filter(|size| *size > 0.0));
        let random = at(*target, &["Random"]).is_some();
        let ratio = value(*target, "RandomRatio");
        own.set(field::RANDOM, ratio.unwrap_or(if random { 100.0 } else { 0.0 }));
        for (name, of) in [
            ("Throughput", "bytes per ms and thread"),
            ("IOPS", "ops per ms and thread"),
            ("StrideSize", "stride"),
            ("BurstSize", "burst"),
            ("ThinkTime", "think time"),
        ] {
            own.set_if(of, value(*target, name).filter(|n| *n > 0.0));
        }
        for (name, of) in [
            ("DisableAllCache", "without any cache"),
            ("DisableOSCache", "without the system's cache"),
            ("WriteThrough", "write-through"),
            ("MemoryMappedIo", "memory-mapped"),
        ] {
            if let Some(node) = at(*target, &[name]).filter(|node| text_of(*node) != "false") {
                own.set(of, text_of(node).as_str());
            }
        }
        match targets.len() {
            1 => load = own,
            _ => load.add_stream(&format!("target {}", i + 1), &own),
        }
    }
    // `-F` sets the threads of all targets together.
    let threads = value(plan, "ThreadCount").filter(|n| *n > 0.0);
    load.set_if(field::THREADS, threads.or(load.number(field::THREADS)));
    load.set_if("warm-up, s", value(plan, "Warmup"));
    load
}
