//! fio jobs (its HOWTO, "Job file format" and "Job parameters") as a protocol. Concurrent jobs
//! become the streams of a step; `stonewall` starts the next. Behaviour that the HOWTO leaves open
//! was taken from fio's sources and compared with fio 3.33.

pub mod jobs;
mod place;
mod rates;
mod sizes;

use std::collections::BTreeMap;

use super::draft::{DraftStep, DraftStream, LEFT_OUT, ProtocolDraft, number, quoted, time};
use super::fate::{Fate, fio_option_of};
use jobs::{Job, JobOption};

/// The duration of a job without one: fio's ends with its size, but a window is a time.
const DURATION_S: f64 = 60.0;

/// fio's engines, and Dyno's. Those of the second list execute requests by other calls.
const ENGINES: &[(&str, &str)] = &[
    ("io_uring", "uring"),
    ("io_uring_cmd", "uring"),
    ("libaio", "libaio"),
    ("null", "null"),
    ("psync", "psync"),
    ("pvsync", "psync"),
    ("pvsync2", "psync"),
    ("sync", "psync"),
];
const OTHER_CALLS: &[(&str, &str)] = &[("posixaio", "uring"), ("vsync", "psync")];

/// Knobs or keys as TOML.
type Knobs = Vec<(&'static str, String)>;

/// Why a job is left out, and the option that is the reason, if any.
struct LeftOut {
    key: &'static str,
    why: String,
}

type Converted<T> = std::result::Result<T, LeftOut>;

/// The protocol of jobs that were read from a job file or from a command line.
pub fn protocol(name: &str, source: String, jobs: &[Job], draft: &mut ProtocolDraft) {
    (draft.title, draft.source) = (name.to_string(), source);
    let mut left_out = Vec::new();
    for job in jobs {
        let mut reading = Reading::of(job);
        for place in place::of_job(job) {
            if !draft.places.contains(&place) {
                draft.places.push(place);
            }
        }
        match reading.streams(draft) {
            Ok(streams) => {
                reading.add(streams, draft);
                reading.settle(draft);
            }
            Err(LeftOut { key, why }) => {
                let header = JobOption {
                    key: String::new(),
                    value: String::new(),
                    place: job.place.clone(),
                    text: format!("[{}]", job.name),
                };
                job.leave_out(draft, job.last(key).unwrap_or(&header), &why);
                left_out.push(job);
            }
        }
    }
    // Options of [global] that no other job has.
    for option in left_out.iter().flat_map(|job| &job.options[..job.globals]) {
        let known = |s: &super::draft::Settled| s.place == option.place && s.text == option.text;
        if !draft.settled.iter().any(known) {
            draft.settle(&option.place, &option.text, Fate::Lost, LEFT_OUT);
        }
    }
}

/// A job being converted.
struct Reading<'a> {
    job: &'a Job,
    /// fio's name of the engine.
    engine: &'a str,
    /// Fates that differ from the table's.
    marks: BTreeMap<&'static str, (Fate, String)>,
}

/// The meaning of `rw`.
struct Pattern {
    random: bool,
    /// Percentage of reads.
    read: f64,
    trims: bool,
}

impl Pattern {
    fn is_mix(&self) -> bool {
        self.read > 0.0 && self.read < 100.0
    }

    /// The place of the direction's value in "reads,writes,trims".
    fn side(&self) -> usize {
        match (self.trims, self.read > 0.0) {
            (true, _) => 2,
            (_, true) => 0,
            _ => 1,
        }
    }
}

/// The value for reads (0), writes (1) or trims (2) of "reads,writes,trims": one value is for all,
/// trims have that of writes if there is no third, and an empty one is the default.
fn side(text: &str, side: usize) -> Option<&str> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let part = match parts[..] {
        [all] => all,
        _ => parts.get(side).or(parts.get(1)).copied().unwrap_or_default(),
    };
    (!part.is_empty()).then_some(part)
}

impl<'a> Reading<'a> {
    fn of(job: &'a Job) -> Reading<'a> {
        let engine = job.last("ioengine").map_or("psync", |option| option.value.as_str());
        Reading { job, engine, marks: BTreeMap::new() }
    }

    /// The fate of an option by the table, with the reason.
    fn by_table(&self, option: &JobOption) -> (Fate, String) {
        let Some(known) = fio_option_of(&option.key, self.engine) else {
            return (Fate::Lost, format!("fio 3.41 has no option {}", option.key));
        };
        let value = option.value.to_lowercase();
        if known.neutral.contains(&value.as_str()) {
            return (Fate::Irrelevant, "as without it".to_string());
        }
        if !known.engines.is_empty() && !known.engines.contains(&self.engine) {
            let why = format!("fio's engine {} has no option {}", self.engine, option.key);
            return (Fate::Lost, why);
        }
        match known.fate {
            Fate::Carried => (Fate::Carried, String::new()),
            fate => (fate, known.what.to_string()),
        }
    }

    /// The value of an option that is carried over and changes something.
    fn get(&self, key: &str) -> Option<&'a str> {
        let option = self.job.last(key)?;
        (self.by_table(option).0 == Fate::Carried).then_some(option.value.as_str())
    }

    /// "1", or the option without a value.
    fn flag(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value != "0")
    }

    fn count(&mut self, key: &'static str) -> Converted<u64> {
        let Some(value) = self.get(key) else { return Ok(1) };
        value
            .parse()
            .ok()
            .filter(|n| *n > 0)
            .ok_or(LeftOut { key, why: format!("'{value}' is not a whole number from 1") })
    }

    fn mark(&mut self, key: &'static str, fate: Fate, why: impl Into<String>) {
        self.marks.insert(key, (fate, why.into()));
    }

    fn lose(&mut self, key: &'static str, why: impl Into<String>) {
        self.mark(key, Fate::Lost, why);
    }

    /// Marks options that have no effect in this job.
    fn idle(&mut self, keys: &[&'static str], why: &str) {
        for key in keys {
            if self.get(key).is_some() {
                self.mark(key, Fate::Irrelevant, why);
            }
        }
    }

    fn settle(&self, draft: &mut ProtocolDraft) {
        for (i, option) in self.job.options.iter().enumerate() {
            let again = self.job.options[i + 1..].iter().find(|later| later.key == option.key);
            let (fate, why) = match (again, self.marks.get(option.key.as_str())) {
                (Some(later), _) => (Fate::Irrelevant, format!("set again at {}", later.place)),
                (None, Some((fate, why))) => (*fate, why.clone()),
                (None, None) => self.by_table(option),
            };
            // Written by no one: the stonewall between job files.
            if !option.text.is_empty() {
                draft.settle(&option.place, &option.text, fate, why);
            }
        }
    }

    /// Adds the streams to the current step or, after a stonewall, to one of their own.
    fn add(&mut self, streams: Vec<DraftStream>, draft: &mut ProtocolDraft) {
        let (warmup_s, duration_s) = self.times(draft);
        let drop_caches = self.drops_caches();
        let together = !self.flag("stonewall") && !draft.steps.is_empty();
        if !together {
            let taken: Vec<&str> = draft.steps.iter().map(|s| s.name.as_str()).collect();
            let name = ProtocolDraft::fresh(&taken, &self.job.name);
            let sweep = None;
            let streams = Vec::new();
            draft.steps.push(DraftStep { name, warmup_s, duration_s, drop_caches, sweep, streams });
        }
        let Some(step) = draft.steps.last_mut() else { return };
        step.drop_caches |= drop_caches;
        for mut stream in streams {
            let taken: Vec<&str> = step.streams.iter().map(|s| s.name.as_str()).collect();
            stream.name = ProtocolDraft::fresh(&taken, &stream.name);
            let shares = |s: &&DraftStream| {
                !s.dataset.is_empty() && s.dataset == stream.dataset && s.engine == stream.engine
            };
            if let Some(first) = step.streams.iter().find(shares)
                && first.direct != stream.direct
            {
                stream.direct = first.direct;
                self.lose("direct", "streams of a step that share a file open it as the first");
            }
            step.streams.push(stream);
        }
        for (key, own, all) in [
            ("runtime", duration_s, &mut step.duration_s),
            ("ramp_time", warmup_s, &mut step.warmup_s),
        ] {
            if own != *all {
                *all = all.max(own);
                let why = format!("streams of a step share one window: {}", time(*all));
                let header = (self.job.place.clone(), format!("[{}] {key}", self.job.name));
                match self.job.last(key) {
                    Some(_) => self.lose(key, why),
                    None => draft.settled.push(super::draft::Settled {
                        place: header.0,
                        text: header.1,
                        fate: Fate::Lost,
                        why,
                    }),
                }
            }
        }
    }

    fn times(&mut self, draft: &mut ProtocolDraft) -> (f64, f64) {
        let mut read = |key: &'static str| {
            let written = self.get(key)?;
            let seconds = sizes::seconds(written);
            if seconds.is_none() {
                self.lose(key, format!("'{written}' is not a time"));
            }
            seconds
        };
        let warmup_s = read("ramp_time").unwrap_or(0.0);
        let duration_s = read("runtime").filter(|s| *s > 0.0);
        if duration_s.is_none() {
            let why = format!("the window is {}", time(DURATION_S));
            let text = format!("[{}] without runtime", self.job.name);
            draft.settle(&self.job.place, text, Fate::Fixed, why);
        }
        (warmup_s, duration_s.unwrap_or(DURATION_S))
    }

    /// Whether fio drops the file from the page cache before the job. For direct I/O, that changes
    /// nothing.
    fn drops_caches(&mut self) -> bool {
        let Some(written) = self.get("invalidate") else { return false };
        if self.is_direct() || written == "0" || self.engine == "null" {
            self.idle(&["invalidate"], "the page cache is not used or not dropped");
            return false;
        }
        true
    }

    fn is_direct(&self) -> bool {
        self.flag("direct") || self.get("buffered") == Some("0")
    }

    fn streams(&mut self, draft: &mut ProtocolDraft) -> Converted<Vec<DraftStream>> {
        let (engine, engine_knobs) = self.engine()?;
        let mut pattern = self.pattern()?;
        let threads = self.count("numjobs")?;
        let mut depth = self.count("iodepth")?;
        if engine == "psync" {
            depth = 1;
            self.idle(
                &["iodepth", "iodepth_batch_complete_min"],
                "a synchronous engine has one request in flight",
            );
        }
        let keys = self.paced(threads, &mut pattern)?;
        let batch = self.batch(engine, depth, !keys.is_empty());
        let (mut knobs, sizes) = self.blocks(&pattern)?;
        let several = knobs.iter().any(|(key, list)| *key == "block" && list.contains('['));
        if !pattern.random && several {
            // Each size continues from its own last op, as in fio with percentage_random=0.
            pattern.random = true;
            knobs.push(("random", "0".to_string()));
            self.idle(&["ba", "random_distribution", "percentage_random"], "only of random ops");
        } else {
            knobs.extend(self.offsets(pattern.random, sizes)?);
        }
        if pattern.trims {
            knobs.push(("trim", "100".to_string()));
        }
        knobs.extend(self.durable()?);
        knobs.extend(self.placement(&engine_knobs));
        let mut keys = keys;
        keys.extend(self.cpus());
        let mut stream = DraftStream {
            name: self.name(),
            engine,
            direct: self.is_direct(),
            engine_knobs: engine_knobs.into_iter().chain(batch).collect(),
            dataset: String::new(),
            part: super::draft::Part::Whole,
            threads,
            depth,
            keys,
            kind: if pattern.random { "random" } else { "sequential" },
            knobs,
        };
        self.placed(&pattern, &mut stream, draft)
    }

    /// That of the section, unless it has a name of its own.
    fn name(&mut self) -> String {
        let own = &self.job.options[self.job.globals..];
        match own.iter().rev().find(|option| option.key == "name") {
            Some(option) => option.value.clone(),
            None => {
                self.idle(&["name"], "all jobs would have it");
                self.job.name.clone()
            }
        }
    }

    fn engine(&mut self) -> Converted<(&'static str, Knobs)> {
        let of = |list: &[(&str, &'static str)]| {
            list.iter().find(|(fio, _)| *fio == self.engine).map(|(_, dyno)| *dyno)
        };
        let engine = match (of(ENGINES), of(OTHER_CALLS)) {
            (Some(engine), _) => engine,
            (None, Some(engine)) => {
                self.mark("ioengine", Fate::Fixed, format!("the engine {engine}"));
                engine
            }
            (None, None) => {
                let why = format!("Dyno has no equivalent of fio's engine {}", self.engine);
                return Err(LeftOut { key: "ioengine", why });
            }
        };
        let mut knobs = Vec::new();
        if self.engine == "io_uring_cmd" {
            if self.job.last("cmd_type").is_some_and(|option| option.value != "nvme") {
                let why = "Dyno sends NVMe commands only".to_string();
                return Err(LeftOut { key: "cmd_type", why });
            }
            knobs.push(("passthrough", "true".to_string()));
        }
        if self.flag("hipri") {
            knobs.push(("poll", "\"iopoll\"".to_string()));
        }
        if self.flag("sqthread_poll") {
            knobs.push(("sqpoll", "true".to_string()));
        }
        Ok((engine, knobs))
    }

    fn pattern(&mut self) -> Converted<Pattern> {
        let written = self.get("rw").unwrap_or("read");
        let (rw, each) = written.split_once(':').unwrap_or((written, ""));
        let left_out = |why: String| LeftOut { key: "rw", why };
        if !each.is_empty() && each != "1" {
            let why = match rw.starts_with("rand") {
                true => format!("every op has an offset of its own, not every {each} ops"),
                false => format!("sequential ops follow one another, without gaps of {each}"),
            };
            self.lose("rw", why);
        }
        let random = rw.starts_with("rand");
        let (read, trims) = match rw.strip_prefix("rand").unwrap_or(rw) {
            "read" => (100.0, false),
            "write" => (0.0, false),
            "rw" | "readwrite" => (self.mix()?, false),
            "trim" => (0.0, true),
            _ => return Err(left_out(format!("Dyno does not support rw={rw}"))),
        };
        if !rw.ends_with("rw") && rw != "readwrite" {
            self.idle(&["rwmixread", "rwmixwrite"], "only of mixes");
        }
        Ok(Pattern { random, read, trims })
    }

    /// The share of reads. Of two options, fio takes the last.
    fn mix(&mut self) -> Converted<f64> {
        let mix = |option: &&JobOption| ["rwmixread", "rwmixwrite"].contains(&option.key.as_str());
        let Some(last) = self.job.options.iter().rev().find(mix) else { return Ok(50.0) };
        let (key, other) = match last.key.as_str() {
            "rwmixread" => ("rwmixread", "rwmixwrite"),
            _ => ("rwmixwrite", "rwmixread"),
        };
        self.idle(&[other], "the other of the two follows it");
        let percent = last.value.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p));
        let percent =
            percent.ok_or(LeftOut { key, why: format!("'{}' is not a percentage", last.value) })?;
        Ok(if key == "rwmixread" { percent } else { 100.0 - percent })
    }

    /// How many completions are waited for. Dyno takes each, or 16 with `batch = "cpu"`.
    fn batch(&mut self, engine: &str, depth: u64, paced: bool) -> Option<(&'static str, String)> {
        let written = self.get("iodepth_batch_complete_min")?;
        match written {
            "0" | "1" => self.idle(&["iodepth_batch_complete_min"], "as without it"),
            "16" if engine == "uring" && depth > 1 && !paced => {
                return Some(("batch", "\"cpu\"".to_string()));
            }
            _ => self.lose(
                "iodepth_batch_complete_min",
                "each completion is taken at once; batch = \"cpu\" of uring waits for 16",
            ),
        }
        None
    }

    /// The durability of writes. On a file, fsync and O_SYNC also write its times.
    fn durable(&mut self) -> Converted<Knobs> {
        let mut knobs = Vec::new();
        let file = !self.on_a_device();
        for key in ["fdatasync", "fsync"] {
            let Some(written) = self.get(key) else { continue };
            let every: u64 = written.parse().map_err(|_| LeftOut {
                key,
                why: format!("'{written}' is not a number of writes"),
            })?;
            if knobs.is_empty() {
                knobs.push(("fdatasync", every.to_string()));
                if key == "fsync" && file {
                    self.lose(key, "fdatasync is used, which does not write a file's times");
                }
            } else {
                self.lose(key, "fdatasync is used alone");
            }
        }
        match self.get("sync") {
            None => {}
            Some("dsync") => knobs.push(("sync", "\"fua\"".to_string())),
            Some(_) => {
                knobs.push(("sync", "\"fua\"".to_string()));
                if file {
                    self.lose("sync", "RWF_DSYNC is used, which does not write a file's times");
                }
            }
        }
        if self.flag("writefua") && !knobs.iter().any(|(key, _)| *key == "sync") {
            knobs.push(("sync", "\"fua\"".to_string()));
        }
        Ok(knobs)
    }

    /// Flexible Data Placement: one handle, by NVMe commands.
    fn placement(&mut self, engine_knobs: &Knobs) -> Knobs {
        let fdp = self.flag("fdp") || self.get("dataplacement") == Some("fdp");
        let passthrough = engine_knobs.iter().any(|(key, _)| *key == "passthrough");
        match self.get("plids").map(|list| list.parse::<u64>()) {
            Some(Ok(handle)) if fdp && passthrough => {
                return vec![("placement", handle.to_string())];
            }
            None if !fdp => {}
            _ => {
                for key in ["fdp", "dataplacement", "plids"] {
                    if self.get(key).is_some() {
                        self.lose(
                            key,
                            "a stream writes by one handle, with the engine io_uring_cmd",
                        );
                    }
                }
            }
        }
        Vec::new()
    }

    fn cpus(&mut self) -> Knobs {
        let mask = self.get("cpumask").map(|text| match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        });
        match (self.get("cpus_allowed"), mask) {
            (Some(list), mask) => {
                if mask.is_some() {
                    self.lose("cpumask", "cpus_allowed is used alone");
                }
                vec![("cpus", quoted(list))]
            }
            (None, Some(Some(mask))) if mask > 0 => {
                let cpus = (0..64).filter(|cpu| mask >> cpu & 1 == 1).map(|cpu| cpu.to_string());
                vec![("cpus", quoted(&cpus.collect::<Vec<_>>().join(",")))]
            }
            (None, Some(_)) => {
                self.lose("cpumask", "it is not a mask of processors");
                Vec::new()
            }
            (None, None) => Vec::new(),
        }
    }

    /// The distribution of offsets.
    fn offsets(&mut self, random: bool, sizes: Option<(u64, u64)>) -> Converted<Knobs> {
        let mut knobs = Vec::new();
        if !random {
            let only = "only of random ops";
            self.idle(&["ba", "random_distribution", "percentage_random", "bs_is_seq_rand"], only);
            return Ok(knobs);
        }
        if let Some(written) = self.get("ba") {
            let first = side(written, 0).unwrap_or(written);
            let bytes = self.block("ba", first)?;
            knobs.push(("align", quoted(&super::draft::size(bytes))));
            if written.contains(',') && written.split(',').any(|part| part.trim() != first) {
                self.lose("ba", "one alignment for all ops: that of reads");
            }
        }
        if let Some(written) = self.get("percentage_random") {
            let first = side(written, 0).unwrap_or(written);
            match first.parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => match sizes {
                    // bs_is_seq_rand: the sizes of sequential and of random ops.
                    Some((sequential, random)) => {
                        let by = super::draft::weighted(&[(sequential, 0.0), (random, 100.0)]);
                        knobs.push(("random_by_size", by));
                    }
                    None => knobs.push(("random", number(percent))),
                },
                _ => {
                    let why = format!("'{written}' is not a percentage");
                    return Err(LeftOut { key: "percentage_random", why });
                }
            }
            if written.split(',').any(|part| part.trim() != first) {
                self.lose("percentage_random", "one share for all ops: that of reads");
            }
        }
        let Some(distribution) = self.get("random_distribution") else { return Ok(knobs) };
        let (kind, argument) = distribution.split_once(':').unwrap_or((distribution, ""));
        let zone = |text: &str| {
            let (share, range) = text.split_once('/')?;
            Some((share.parse::<f64>().ok()?, range.parse::<f64>().ok()?))
        };
        let zones: Option<Vec<(f64, f64)>> = argument.split(':').map(zone).collect();
        match (kind, argument.parse::<f64>(), zones.as_deref()) {
            ("random", ..) => {}
            ("zipf", Ok(theta), _) => {
                knobs.extend([("offsets", "\"zipfian\"".into()), ("theta", number(theta))]);
            }
            ("pareto", Ok(h), _) => {
                knobs.extend([("offsets", "\"pareto\"".into()), ("pareto", number(h))]);
            }
            ("zoned", _, Some([(share, range), (rest, others)]))
                if share + rest == 100.0 && range + others == 100.0 =>
            {
                knobs.extend([
                    ("offsets", "\"hotspot\"".into()),
                    ("hot_share", number(*share)),
                    ("hot_range", number(*range)),
                ]);
            }
            _ => self.lose("random_distribution", "offsets are uniform instead"),
        }
        Ok(knobs)
    }
}
