//! fio's output: JSON (`--output-format=json`, or json+ with its histograms), and its two text
//! formats, which `fio_text` and `fio_terse` read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::fio_options::{MOST_OPS, TERMINATED};
use super::load::{Load, field};
use super::text::{self, wrong};
use super::{
    FormatInfo, ImportFormat, ImportedFile, Input, Observation, READ_OR_WRITE, Written, cell,
    fio_log, fio_options, fio_terse, fio_text,
};
use dyno_core::base::error::{Result, failed};
use dyno_core::base::histogram::Histogram;
use dyno_core::base::units;
use dyno_core::plan::{Field, LoopKind, Timing};
use dyno_core::record::{Class, Fact, Outcome, Reported, Tally};

pub struct Fio;

/// Maximum number of lines around the JSON that are repeated as notes.
const MOST_LINES: usize = 5;

impl ImportFormat for Fio {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "fio",
            summary: "fio's output: JSON (--output-format=json or json+; json+ contains all \
                      latencies), terse or normal",
            missing: &[
                "intervals",
                "readings of meters",
                "when an op was due: all latencies are service times",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        // Some versions print numbers that are not valid JSON.
        let finite = [" -nan", " nan", " -inf", " inf"].iter().fold(
            Cow::Borrowed(input.text),
            |text, word| match text.contains(word) {
                true => Cow::Owned(text.replace(&format!(":{word}"), ": null")),
                false => text,
            },
        );
        let input = &Input { text: &finite, ..*input };
        let around = match fio_documents(input)? {
            Some(found) => found,
            None if fio_terse::is_terse(input.text) => return fio_terse::read(input),
            None if fio_text::is_normal(input.text) => return fio_text::read(input),
            None if fio_log::is_log(input.file) => return fio_log::FioLogs.read(input),
            None => {
                let next = "give what fio wrote with --output-format=json, json+, terse or normal";
                return Err(wrong(input.file, 1, "this is not JSON as fio writes it", next));
            }
        };
        let mut found = ImportedFile::default();
        let killed = around.text.lines().any(|line| line.contains(TERMINATED));
        for line in around.text.lines().filter(|line| is_telling(line)).take(MOST_LINES) {
            found.note(format!("{} has beside its JSON: {}", input.file, line.trim()));
        }
        if let Some(note) = around.note {
            found.note(note);
        }
        for root in &around.documents {
            document(input, root, killed, &mut found)?;
        }
        Ok(found)
    }
}

/// Whether a line around the JSON contains information about the run.
fn is_telling(line: &str) -> bool {
    let line = line.to_lowercase();
    (line.starts_with("fio:") || line.contains("error") || line.contains("warning"))
        && !line.contains("both iodepth")
}

/// The JSON documents of a file.
struct Documents {
    documents: Vec<Value>,
    /// The text around them.
    text: String,
    note: Option<String>,
}

/// The documents that fio wrote, without earlier states of the same run (`--status-interval`). None
/// if the file has no JSON.
fn fio_documents(input: &Input<'_>) -> Result<Option<Documents>> {
    let (mut documents, mut text, mut error) = (Vec::<Value>::new(), String::new(), None);
    let mut at = 0;
    while let Some(start) = next_brace(input.text, at) {
        let mut stream = serde_json::Deserializer::from_str(&input.text[start..]).into_iter();
        let line = || input.text[..start].matches('\n').count();
        match stream.next() {
            Some(Ok(value)) if is_fio(&value) => {
                text.push_str(&input.text[at..start]);
                at = start + stream.byte_offset();
                documents.push(value);
                error = None;
            }
            Some(Err(e)) if error.is_none() && looks_like_fio(&input.text[start..]) => {
                error = Some((line() + e.line(), e));
                text.push_str(&input.text[at..=start]);
                at = start + 1;
            }
            Some(Ok(_)) => {
                let end = start + stream.byte_offset().max(1);
                text.push_str(&input.text[at..end]);
                at = end;
            }
            _ => {
                text.push_str(&input.text[at..=start]);
                at = start + 1;
            }
        }
    }
    text.push_str(&input.text[at..]);
    let mut note = None;
    match error {
        Some((line, e)) if documents.is_empty() => {
            let (what, next) = match e.is_eof() {
                true => (
                    format!("not JSON as fio writes it: it ends before it is complete ({e})"),
                    "use the complete file written by fio with --output-format=json; a killed \
                     run, or a copy that was cut, leaves a partial one",
                ),
                false => (
                    format!("not JSON as fio writes it: {e}"),
                    "the file was changed, or something was written into it; use the file as fio \
                     wrote it with --output-format=json",
                ),
            };
            return Err(wrong(input.file, line, what, next));
        }
        Some((line, _)) => {
            let file = input.file;
            note = Some(format!("{file}, line {line}: an incomplete document was left out"));
        }
        None => {}
    }
    if documents.is_empty() {
        let jobs = input.text.trim_start().starts_with('{') && input.text.contains("\"jobs\"");
        if jobs {
            let next = "give the JSON output of fio, unedited";
            return Err(failed(format!("{}: there is no \"fio version\"", input.file), next));
        }
        return Ok(None);
    }
    let all = documents.len();
    let mut last: Vec<Value> = Vec::new();
    for document in documents {
        match last.last_mut() {
            Some(before) if is_later_state(before, &document) => *before = document,
            _ => last.push(document),
        }
    }
    if last.len() < all && note.is_none() {
        note = Some(format!(
            "{}: {} documents are earlier states of the same runs (--status-interval); the last \
             one of each was read",
            input.file,
            all - last.len()
        ));
    }
    Ok(Some(Documents { documents: last, text, note }))
}

/// The next brace at the beginning of a line: fio's documents begin with one, and warnings may
/// contain others.
fn next_brace(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    for line in text.get(from..)?.split_inclusive('\n') {
        let words = line.trim_start();
        if words.starts_with('{') {
            return Some(at + line.len() - words.len());
        }
        at += line.len();
    }
    None
}

fn is_fio(value: &Value) -> bool {
    value.get("fio version").is_some()
}

fn looks_like_fio(text: &str) -> bool {
    let head: String = text.chars().skip(1).take(400).collect();
    head.trim_start().starts_with('"') || head.trim().is_empty()
}

/// Whether a document is a later state of the run of another: the same jobs, which ran longer by
/// the time between the documents.
fn is_later_state(before: &Value, after: &Value) -> bool {
    let jobs = |root: &Value| -> Option<Vec<(Value, Value, u64, u64)>> {
        let jobs = root["jobs"].as_array()?.iter();
        let of = |job: &Value| {
            let sum = |key: &str| DIRECTIONS.map(|d| job[d][key].as_u64().unwrap_or(0));
            let longest = sum("runtime").into_iter().max().unwrap_or(0);
            let ops = sum("total_ios").into_iter().fold(0u64, u64::saturating_add);
            (job["jobname"].clone(), job["job options"].clone(), longest, ops)
        };
        Some(jobs.map(of).collect())
    };
    let (Some(own), Some(later)) = (jobs(before), jobs(after)) else { return false };
    if own.len() != later.len() || before["global options"] != after["global options"] {
        return false;
    }
    let stamp = |root: &Value| root["timestamp_ms"].as_u64();
    let apart = stamp(before).zip(stamp(after)).map(|(a, b)| b.abs_diff(a));
    let mut longest = 0;
    for (a, b) in own.iter().zip(&later) {
        if (&a.0, &a.1) != (&b.0, &b.1) || b.2 < a.2 || b.3 < a.3 {
            return false;
        }
        longest = longest.max(b.2 - a.2);
    }
    apart.is_none_or(|apart| apart <= longest + 2_000)
}

const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];

fn document(input: &Input<'_>, root: &Value, killed: bool, found: &mut ImportedFile) -> Result<()> {
    let strange =
        |what: &str| failed(format!("{}: {what}", input.file), "give the JSON output of fio");
    let version =
        root["fio version"].as_str().ok_or_else(|| strange("there is no \"fio version\""))?;
    let major = version.trim_start_matches("fio-").split('.').next().and_then(|v| v.parse().ok());
    let remote = root["client_stats"].as_array();
    let jobs = remote
        .or_else(|| root["jobs"].as_array())
        .filter(|jobs| !jobs.is_empty())
        .ok_or_else(|| strange("there are no jobs"))?;
    let started = root["timestamp_ms"].as_u64().unwrap_or(0);
    let started = match started {
        0 => root["timestamp"].as_u64().unwrap_or(0).saturating_mul(1_000_000_000),
        ms => ms.saturating_mul(1_000_000),
    };
    found.facts.push(Fact::new("Imported", "fio version", version));
    // The sum of all clients repeats the figures of its parts.
    let is_sum = |job: &&Value| {
        remote.is_some() && job["jobname"] == "All clients" && job["hostname"].is_null()
    };
    let parts: Vec<&Value> = jobs.iter().filter(|job| !is_sum(job)).collect();
    let parts = if parts.is_empty() { jobs.iter().collect() } else { parts };
    let mut groups: Vec<(Option<u64>, Vec<FioJob<'_>>)> = Vec::new();
    for json in parts {
        let name = json["jobname"].as_str().ok_or_else(|| strange("a job has no name"))?;
        let host = json["hostname"].as_str().filter(|_| remote.is_some());
        let options = fio_options::merged(&root["global options"], &json["job options"]);
        let job = FioJob { json, name, host, options, old: major.is_some_and(|v: u32| v < 3) };
        let group = json["groupid"].as_u64();
        // Jobs of one group run at the same time.
        match groups.iter_mut().rev().find(|(own, _)| *own == group) {
            Some((_, jobs)) if remote.is_some() => jobs.push(job),
            _ => match groups.last_mut() {
                Some((own, jobs)) if *own == group => jobs.push(job),
                _ => groups.push((group, vec![job])),
            },
        }
    }
    for (_, jobs) in groups {
        of_group(input, &jobs, (started, killed), found)?;
    }
    Ok(())
}

/// One entry of "jobs".
struct FioJob<'a> {
    json: &'a Value,
    name: &'a str,
    /// The host that ran it, in client/server mode.
    host: Option<&'a str>,
    /// None if this version of fio does not print them.
    options: Option<BTreeMap<String, String>>,
    /// fio 2 prints microseconds, and bytes in KiB.
    old: bool,
}

/// The counts and latencies of a direction.
struct Direction<'a> {
    class: Class,
    ops: Option<u64>,
    bytes: Option<u64>,
    per_s: f64,
    runtime_ns: u64,
    /// Completion latencies, or latencies from submission to completion; None if not measured.
    latency: Option<&'a Value>,
    /// Whether they are from submission to completion.
    of_lat: bool,
    /// Nanoseconds of its unit.
    unit: f64,
}

impl<'a> FioJob<'a> {
    fn stream(&self) -> String {
        match self.host {
            Some(host) => format!("{} on {host}", self.name),
            None => self.name.to_string(),
        }
    }

    fn directions(&self) -> Vec<Direction<'a>> {
        let separate = ["read", "write"].iter().any(|d| self.total(&self.json[*d]) > 0.0);
        let classes = [Class::READ, Class::WRITE, Class::TRIM, READ_OR_WRITE];
        let all = DIRECTIONS.iter().zip(classes);
        let all = all.filter(|(name, _)| **name != "mixed" || !separate);
        all.filter_map(|(name, class)| self.direction(&self.json[*name], class)).collect()
    }

    /// The directions of the load, without the reads of a verification after it.
    fn loaded(&self) -> Vec<Direction<'a>> {
        let mut all = self.directions();
        all.retain(|d| d.class != Class::READ || !is_verified(self));
        all
    }

    /// ops of a direction, if they can be derived from it.
    fn total(&self, part: &Value) -> f64 {
        let rate = || part["iops"].as_f64().unwrap_or(0.0);
        part["total_ios"].as_f64().unwrap_or_else(rate)
    }

    fn direction(&self, part: &'a Value, class: Class) -> Option<Direction<'a>> {
        let ops = part["total_ios"].as_u64().map(|n| n.min(MOST_OPS));
        let rate = part["iops"].as_f64().filter(|v| v.is_finite() && *v >= 0.0);
        let runtime_ms = part["runtime"].as_u64().unwrap_or(0);
        let per_s = match (ops, runtime_ms) {
            (Some(ops), ms) if ms > 0 => ops as f64 * 1e3 / ms as f64,
            _ => rate.unwrap_or(0.0),
        };
        if ops.unwrap_or(0) == 0 && per_s <= 0.0 {
            return None;
        }
        let unit = if self.old { 1024 } else { 1 };
        let bytes = part["io_bytes"].as_u64().map(|n| n.saturating_mul(unit).min(1 << 60));
        let (latency, of_lat, unit) = latency_of(part);
        let runtime_ns = runtime_ms.saturating_mul(1_000_000);
        Some(Direction { class, ops, bytes, per_s, runtime_ns, latency, of_lat, unit })
    }

    /// The load by its options, corrected by the counts.
    fn load(&self, directions: &[Direction<'_>], several: bool, notes: &mut Vec<String>) -> Load {
        let Some(options) = &self.options else {
            return counted_load(directions);
        };
        let mut load = fio_options::load(options);
        if several {
            return load;
        }
        if let Some(why) = contradiction(&load, options, directions) {
            // fio merges the entries of a group under the name of the first and the options of the
            // last.
            for name in [
                field::THREADS,
                field::DEPTH,
                field::BLOCK,
                field::PATTERN,
                field::READS,
                field::ENGINE,
            ] {
                load.forget(name);
            }
            notes.push(format!(
                "job '{}': {why}, so fio merged several sections (group_reporting): threads, \
                 depth, block size, pattern and engine are not known",
                self.name
            ));
            load.set(field::PATTERN, "several sections merged");
        }
        load
    }
}

/// Completion latencies if they were measured, with percentiles if there are any; otherwise
/// latencies from submission to completion, in which case the second value is true. The third value
/// is the number of nanoseconds in their unit.
fn latency_of(part: &Value) -> (Option<&Value>, bool, f64) {
    let units = [("clat_ns", "lat_ns", 1.0), ("clat", "lat", 1e3)];
    for (clat, lat, unit) in units {
        let of = |key: &str| {
            let mean = |v: &&Value| v["mean"].as_f64().is_some_and(|mean| mean > 0.0);
            let counted = |v: &&Value| v["N"].as_u64().map_or_else(|| mean(v), |n| n > 0);
            part.get(key).filter(|v| counted(v))
        };
        let fine = |v: &&Value| v.get("bins").or_else(|| v.get("percentile")).is_some();
        let (clat, lat) = (of(clat), of(lat));
        let best = clat.filter(fine).or(lat.filter(fine)).or(clat).or(lat);
        if best.is_some() {
            return (best, best == lat && best != clat, unit);
        }
    }
    (None, false, 1.0)
}

/// The load derived from the counts, if fio does not print the options.
fn counted_load(directions: &[Direction<'_>]) -> Load {
    let mut load = Load::default();
    let names: Vec<&str> = directions.iter().map(|d| d.class.name()).collect();
    load.set(field::PATTERN, names.join(" and ").as_str());
    for direction in directions {
        let (Some(ops), Some(bytes)) = (direction.ops, direction.bytes) else { continue };
        if ops > 0 && bytes % ops == 0 {
            let name = format!("{}: {}", direction.class.name(), field::BLOCK);
            load.set(&name, (bytes / ops) as f64);
        }
    }
    load
}

/// Why an entry contradicts its options.
fn contradiction(
    load: &Load,
    options: &BTreeMap<String, String>,
    directions: &[Direction<'_>],
) -> Option<String> {
    let grouped = options.get("group_reporting").is_some_and(|value| value != "0");
    let pattern = load.get(field::PATTERN)?.text(field::PATTERN);
    if !grouped {
        return None;
    }
    let verified = options.contains_key("verify");
    let is_mixed = pattern.ends_with("rw");
    for direction in directions {
        let allowed = match direction.class {
            Class::READ => is_mixed || pattern.contains("read") || verified,
            Class::WRITE => is_mixed || pattern.contains("write"),
            Class::TRIM => pattern.contains("trim"),
            _ => true,
        };
        if !allowed {
            return Some(format!("rw={pattern} with {}s in it", direction.class.name()));
        }
    }
    let expected = is_mixed
        && !(directions.iter().any(|d| d.class == Class::READ)
            && directions.iter().any(|d| d.class == Class::WRITE));
    let share = load.number(field::READS).unwrap_or(50.0);
    if expected && directions.len() == 1 && share > 0.0 && share < 100.0 {
        let ops = directions[0].ops.unwrap_or(0);
        // A short run may contain only one of the two by chance.
        if ops > 1_000 && directions[0].class != READ_OR_WRITE {
            return Some(format!("rw={pattern} with {}s only", directions[0].class.name()));
        }
    }
    let block = load.number(field::BLOCK)?;
    let sizes = directions.iter().filter(|d| [Class::READ, Class::WRITE].contains(&d.class));
    for direction in sizes {
        let (Some(ops), Some(bytes)) = (direction.ops, direction.bytes) else { continue };
        let mean = bytes as f64 / ops.max(1) as f64;
        // The last request of a file may be short.
        if ops > 100 && (mean / block - 1.0).abs() > 0.02 {
            return Some(format!(
                "bs={block} with {}s of {mean:.0} bytes in the mean",
                direction.class.name()
            ));
        }
    }
    None
}

/// One group of jobs that ran together: an observation with a stream for each job.
fn of_group(
    input: &Input<'_>,
    jobs: &[FioJob<'_>],
    (started, killed): (u64, bool),
    found: &mut ImportedFile,
) -> Result<()> {
    let mut streams: Vec<(String, Vec<&FioJob<'_>>)> = Vec::new();
    for job in jobs {
        // Jobs with the same name and options are the clones of `numjobs`.
        let clone = |(_, own): &&mut (String, Vec<&FioJob<'_>>)| {
            own[0].stream() == job.stream() && own[0].options == job.options
        };
        match streams.iter_mut().find(clone) {
            Some((_, own)) => own.push(job),
            None => {
                let alike = streams.iter().filter(|(_, own)| own[0].stream() == job.stream());
                let name = match alike.count() {
                    0 => job.stream(),
                    n => format!("{} ({})", job.stream(), n + 1),
                };
                streams.push((name, vec![job]));
            }
        }
    }
    let mut observation = Observation::new(jobs[0].name, None);
    observation.point.started_unix_ns = started;
    (observation.timing, observation.loop_kind) = (Some(Timing::Service), Some(LoopKind::Closed));
    let alone = streams.len() == 1;
    let mut verified = Vec::new();
    for (stream, clones) in &streams {
        let place = format!("{}, job '{stream}'", input.file);
        let load = add_stream(&mut observation, stream, clones, &place, found)?;
        match alone {
            true => {
                // A target rate sets the load, so it is the axis.
                let rates =
                    [(field::RATE, Field::OpsPerSec), (field::BANDWIDTH, Field::BytesPerSec)];
                let rate = rates.into_iter().find(|(name, _)| load.number(name).is_some());
                observation.axis = rate.map(|(_, field)| field);
                observation.load = load;
            }
            false => observation.load.add_stream(stream, &load),
        }
        verified.extend(verification(stream, clones, &place, found)?);
    }
    note_runtimes(&mut observation, jobs, &streams, found);
    note_end(&mut observation, jobs, killed, found);
    found.observations.push(observation);
    for mut check in verified {
        check.point.started_unix_ns = started;
        found.observations.push(check);
    }
    Ok(())
}

/// Whether the reads of a job that only writes are the verification after it.
fn is_verified(job: &FioJob<'_>) -> bool {
    let Some(options) = &job.options else { return false };
    let set = options.get("verify").is_some_and(|value| value != "0" && value != "null");
    let done = options.get("do_verify").is_none_or(|value| value != "0");
    let pattern = fio_options::pattern(options);
    set && done && pattern.contains("write")
}

/// The stream of some clones: counts are added up, and the group's rate is over the longest of
/// their runtimes, as fio's own sums are.
fn add_stream(
    observation: &mut Observation,
    stream: &str,
    clones: &[&FioJob<'_>],
    place: &str,
    found: &mut ImportedFile,
) -> Result<Load> {
    let first = clones[0];
    let mut tallies: Vec<Tally> = Vec::new();
    let all: Vec<Vec<Direction<'_>>> = clones.iter().map(|job| job.loaded()).collect();
    let mut load = first.load(&all[0], clones.len() > 1, &mut found.notes);
    let classes = Class::in_order(all.iter().flatten().map(|d| d.class));
    for class in classes {
        let parts: Vec<&Direction<'_>> =
            all.iter().flatten().filter(|d| d.class == class).collect();
        tallies.extend(of_class(observation, (stream, class), &parts, place, found)?);
    }
    tallies.extend(syncs(observation, stream, clones, found)?);
    for job in clones {
        let error = job.json["error"].as_i64().unwrap_or(0);
        if error != 0 {
            let cause = format!("fio: job {} ended with error {error}", job.name);
            observation.point.outcome = Outcome::Failed { cause };
        }
    }
    let paced = |options: &BTreeMap<String, String>| {
        ["rate", "rate_iops", "rate_min", "thinktime"].iter().any(|key| options.contains_key(*key))
    };
    if first.options.as_ref().is_none_or(paced) {
        observation.loop_kind = None;
    }
    if clones.len() > 1 {
        load.set(field::THREADS, clones.len() as f64);
    }
    let (threads, depth) = (load.workers(field::THREADS), load.workers(field::DEPTH));
    observation.point.cells.push(cell(stream, 0, threads, depth, tallies));
    Ok(load)
}

/// Counts, rates and latencies of one class of a stream's clones.
fn of_class(
    observation: &mut Observation,
    of: (&str, Class),
    parts: &[&Direction<'_>],
    place: &str,
    found: &mut ImportedFile,
) -> Result<Option<Tally>> {
    let (stream, class) = of;
    let ops: Option<u64> = parts.iter().map(|d| d.ops).sum();
    let bytes: Option<u64> = parts.iter().map(|d| d.bytes).sum();
    let longest = parts.iter().map(|d| d.runtime_ns).max().unwrap_or(0);
    let per_s = match (ops, parts) {
        (_, [one]) => one.per_s,
        (Some(ops), _) if longest > 0 => ops as f64 * 1e9 / longest as f64,
        _ => parts.iter().map(|d| d.per_s).sum(),
    };
    observation.report(of, Reported::OPS_PER_S, Written::exact(per_s), ops);
    if let (Some(bytes), true) = (bytes.filter(|_| class.moves_data()), longest > 0) {
        let per_s = bytes as f64 * 1e9 / longest as f64;
        observation.report(of, Reported::BYTES_PER_S, Written::exact(per_s), ops);
    }
    let measured: Vec<&&Direction<'_>> = parts.iter().filter(|d| d.latency.is_some()).collect();
    let what = format!("{} latencies of {stream}", class.name());
    if measured.len() < parts.len() {
        found.note(format!(
            "{what} were not measured (gtod_reduce or disable_clat, or a fio that does not count \
             them)"
        ));
        return Ok(ops.map(|ops| tally(class, ops, bytes, Histogram::new())));
    }
    let of_lat = |d: &&&Direction<'_>| d.of_lat;
    if measured.iter().any(of_lat) {
        found.note(format!("{what} are fio's lat: from submission to completion, slat included"));
    }
    let mut service = Histogram::new();
    for part in &measured {
        if let Some(latency) = part.latency {
            service.merge(&histogram(latency, place)?);
        }
    }
    if service.is_empty() {
        let all: Vec<(&Value, f64)> =
            measured.iter().filter_map(|d| Some((d.latency?, d.unit))).collect();
        report(observation, of, &all, ops, found);
    }
    Ok(ops.map(|ops| tally(class, ops, bytes, service)))
}

fn tally(class: Class, ops: u64, bytes: Option<u64>, service: Histogram) -> Tally {
    let bytes = bytes.unwrap_or(0);
    Tally { service, ..super::tally(class, ops, bytes) }
}

/// The latencies of fsync and fdatasync, the subject of some tests. They count flushes.
fn syncs(
    observation: &mut Observation,
    stream: &str,
    clones: &[&FioJob<'_>],
    found: &mut ImportedFile,
) -> Result<Option<Tally>> {
    let of = |job: &&&FioJob<'_>| job.json["sync"]["lat_ns"]["N"].as_u64().is_some_and(|n| n > 0);
    let own: Vec<&&FioJob<'_>> = clones.iter().filter(of).collect();
    if own.is_empty() {
        return Ok(None);
    }
    let counts = own.iter().map(|job| job.json["sync"]["lat_ns"]["N"].as_u64().unwrap_or(0));
    let ops = counts.fold(0u64, u64::saturating_add).min(MOST_OPS);
    let runtimes = own.iter().flat_map(|job| job.directions()).map(|d| d.runtime_ns);
    let longest = runtimes.max().unwrap_or(0);
    let of = (stream, Class::FLUSH);
    if longest > 0 {
        let rate = Written::exact(ops as f64 * 1e9 / longest as f64);
        observation.report(of, Reported::OPS_PER_S, rate, Some(ops));
    }
    let mut service = Histogram::new();
    for job in &own {
        let place = format!("job '{stream}', sync");
        service.merge(&histogram(&job.json["sync"]["lat_ns"], &place)?);
    }
    if service.is_empty() {
        let all: Vec<(&Value, f64)> =
            own.iter().map(|job| (&job.json["sync"]["lat_ns"], 1.0)).collect();
        report(observation, of, &all, Some(ops), found);
    }
    let kinds = ["fdatasync", "fsync", "sync_file_range"];
    let set = |kind: &&&str| {
        let options = own[0].options.as_ref();
        options.is_some_and(|all| all.get(**kind).is_some_and(|value| value != "0"))
    };
    let kind = kinds.iter().find(set).copied().unwrap_or("sync");
    found.note(format!("flushes of {stream} are its {kind} calls, which fio times apart"));
    Ok(Some(tally(Class::FLUSH, ops, None, service)))
}

/// The reads with which a job verifies what it wrote: another phase, not a mix.
fn verification(
    stream: &str,
    clones: &[&FioJob<'_>],
    place: &str,
    found: &mut ImportedFile,
) -> Result<Option<Observation>> {
    let reads: Vec<Direction<'_>> = clones
        .iter()
        .filter(|job| is_verified(job))
        .flat_map(|job| job.directions().into_iter().filter(|d| d.class == Class::READ))
        .collect();
    let Some(longest) = reads.iter().map(|d| d.runtime_ns).max() else { return Ok(None) };
    let window = Some(longest).filter(|ns| *ns > 0);
    let mut check = Observation::new(&format!("{stream}, verification"), window);
    (check.timing, check.loop_kind) = (Some(Timing::Service), Some(LoopKind::Closed));
    let parts: Vec<&Direction<'_>> = reads.iter().collect();
    let mut load = clones[0].options.as_ref().map(fio_options::load).unwrap_or_default();
    load.set(field::PATTERN, "reads that verify");
    check.load = load;
    let tally = of_class(&mut check, (stream, Class::READ), &parts, place, found)?;
    check.point.cells.push(cell(stream, 0, None, None, tally.into_iter().collect()));
    found.note(format!("reads of {stream} are its verification, a phase of its own"));
    Ok(Some(check))
}

/// The window is the longest runtime; streams with another one have their own rates.
fn note_runtimes(
    observation: &mut Observation,
    jobs: &[FioJob<'_>],
    streams: &[(String, Vec<&FioJob<'_>>)],
    found: &mut ImportedFile,
) {
    let of = |job: &FioJob<'_>| job.loaded().iter().map(|d| d.runtime_ns).max().unwrap_or(0);
    let longest = jobs.iter().map(of).max().unwrap_or(0);
    let shortest = jobs.iter().map(of).min().unwrap_or(0);
    observation.point.window_ns = Some(longest).filter(|ns| *ns > 0);
    if shortest as f64 >= longest as f64 * 0.95 {
        return;
    }
    let named = |(name, own): &(String, Vec<&FioJob<'_>>)| {
        let all = own.iter().map(|job| units::duration(of(job))).collect::<Vec<_>>();
        format!("{name} {}", all.join(" and "))
    };
    let all: Vec<String> = streams.iter().map(named).collect();
    found.note(format!(
        "jobs of the group '{}' ran for different times ({}): each stream's rate is over its own \
         runtime, the rate of all together over the longest",
        observation.step,
        all.join(", ")
    ));
}

/// Notes that a run was ended early.
fn note_end(
    observation: &mut Observation,
    jobs: &[FioJob<'_>],
    killed: bool,
    found: &mut ImportedFile,
) {
    let Some(ran) = observation.point.window_ns else { return };
    let option = |key: &str| {
        let values = jobs.iter().filter_map(|job| job.options.as_ref()?.get(key));
        values.max().cloned()
    };
    let asked = option("runtime").or_else(|| option("timeout"));
    let asked = asked.and_then(|text| fio_options::seconds(&text)).filter(|s| *s > 0.0);
    let time_based = option("time_based").is_some_and(|value| value != "0");
    let short = asked.is_some_and(|asked| (ran as f64 / 1e9) < asked * 0.95);
    if !(killed && (short || asked.is_none()) || time_based && short) {
        return;
    }
    let of = asked.map_or(String::new(), |s| format!(" of {}", units::duration((s * 1e9) as u64)));
    let after = format!("interrupted after {}{of}", units::duration(ran));
    observation.load.set(field::RUN, "interrupted");
    observation.title = format!("{} ({after})", observation.step);
    found.note(format!("the run of '{}' was {after}", observation.step));
}

/// json+: the bins, each a latency that represents those within 0.8 % of it. Empty for plain json.
fn histogram(latency: &Value, place: &str) -> Result<Histogram> {
    let mut all = Histogram::new();
    let Some(bins) = latency["bins"].as_object() else { return Ok(all) };
    for (ns, n) in bins {
        let (Ok(ns), Some(n)) = (ns.parse::<u64>(), n.as_u64().filter(|n| *n < MOST_OPS)) else {
            return Err(failed(
                format!("{place}: '{ns}: {n}' is not a bin"),
                "give the json+ that fio wrote, unedited",
            ));
        };
        all.add_n(ns, n);
    }
    let reported = |key: &str| latency[key].as_f64().filter(|v| v.is_finite() && *v >= 0.0);
    if let (Some(mean), Some(min), Some(max)) = (reported("mean"), reported("min"), reported("max"))
    {
        // These are exact; the bins are not.
        all.sum_ns = (mean * all.count as f64).round() as u64;
        (all.min_ns, all.max_ns) = (min as u64, max as u64);
    }
    Ok(all)
}

/// Plain json: the figures that replace latencies. Means of clones are weighted by their counts;
/// percentiles cannot be added.
fn report(
    observation: &mut Observation,
    of: (&str, Class),
    all: &[(&Value, f64)],
    ops: Option<u64>,
    found: &mut ImportedFile,
) {
    let figure =
        |latency: &Value, key: &str| latency[key].as_f64().filter(|v| v.is_finite() && *v >= 0.0);
    let counts: f64 = all.iter().filter_map(|(l, _)| l["N"].as_f64()).sum();
    let samples = if counts > 0.0 { Some(counts as u64) } else { ops };
    let mean = match all {
        [(one, unit)] => figure(one, "mean").map(|mean| mean * unit),
        _ => {
            let parts =
                all.iter().map(|(l, unit)| Some(figure(l, "mean")? * unit * l["N"].as_f64()?));
            parts.sum::<Option<f64>>().filter(|_| counts > 0.0).map(|sum| sum / counts)
        }
    };
    if let Some(mean) = mean {
        observation.report(of, "mean_ns", Written::exact(mean), samples);
    }
    let max = all.iter().filter_map(|(l, unit)| Some(figure(l, "max")? * unit));
    if let Some(max) = max.reduce(f64::max) {
        observation.report(of, "max_ns", Written::exact(max), samples);
    }
    let [(one, unit)] = all else {
        found.note(format!(
            "percentiles of {} ({}) are left out: fio reported them for each of several jobs, and \
             they cannot be added; run it with group_reporting, or import json+",
            of.0,
            of.1.name()
        ));
        return;
    };
    for (percentile, value) in one["percentile"].as_object().into_iter().flatten() {
        let name = percentile.parse().ok().and_then(text::percentile);
        let value = value.as_f64().filter(|value| value.is_finite() && *value >= 0.0);
        let (Some(name), Some(value)) = (name, value) else { continue };
        // fio's bins are 1/64 of an octave wide, and it prints their middle.
        let (value, half) = (value * unit, value * unit / 128.0);
        let figure = Written::exact(value).within((value - half, value + half));
        observation.report_within(of, &name, figure, samples);
    }
}
