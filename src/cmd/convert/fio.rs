//! fio job files (its HOWTO, "Job file format" and "Job parameters"). Concurrent jobs become the
//! streams of a step; `stonewall` starts the next.

use super::draft::{self, DraftDataset, DraftStep, DraftStream, ProtocolDraft, number};
use super::job_file::{JobSection, JobValue, jobs, seconds};
use crate::base::error::Result;

/// Options for fio's reports, file layout or random numbers: they do not change the load.
const NOT_LOAD: &[&str] = &[
    "name",
    "description",
    "group_reporting",
    "thread",
    "randrepeat",
    "randseed",
    "invalidate",
    "gtod_reduce",
    "disable_lat",
    "disable_slat",
    "disable_clat",
    "clat_percentiles",
    "lat_percentiles",
    "slat_percentiles",
    "percentile_list",
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_hist_log",
    "log_avg_msec",
    "log_offset",
    "log_prio",
    "log_hist_msec",
    "bwavgtime",
    "iopsavgtime",
    "stonewall",
    "fallocate",
    "create_serialize",
    "create_on_open",
    "norandommap",
    "random_generator",
    "allrandrepeat",
    "refill_buffers",
    "scramble_buffers",
    "zero_buffers",
    "time_based",
    "new_group",
    "numjobs",
    "iodepth",
    "rw",
    "bs",
    "bssplit",
    "size",
    "runtime",
    "ramp_time",
    "rate",
    "rate_iops",
    "rate_process",
    "rwmixread",
    "rwmixwrite",
    "direct",
    "buffered",
    "filename",
    "directory",
    "ioengine",
    "random_distribution",
    "percentage_random",
    "blockalign",
    "fsync",
    "fdatasync",
    "sync",
    "compress",
    "dedupe_percentage",
    "cpus_allowed",
    "filesize",
    "kb_base",
    "unit_base",
    "overwrite",
    "disk_util",
    "unlink",
    "exitall",
    "per_job_logs",
    "unified_rw_reporting",
    "hipri",
    "fixedbufs",
    "registerfiles",
    "iodepth_batch",
    "iodepth_batch_submit",
    "iodepth_batch_complete",
    "iodepth_batch_complete_min",
    "iodepth_batch_complete_max",
    "bs_is_seq_rand",
    "nonvectored",
    "cpus_allowed_policy",
    "do_verify",
    "error_dump",
    "uid",
];

/// Sizes with their shares.
type Shares = Vec<(u64, f64)>;

/// The duration of a job without one: fio's ends with its size, but a window is a time.
const DURATION_S: f64 = 60.0;

pub fn draft(name: &str, text: &str) -> Result<ProtocolDraft> {
    let mut draft = ProtocolDraft {
        title: name.to_string(),
        source: format!("fio job file {name}"),
        ..ProtocolDraft::default()
    };
    let jobs = jobs(text, &mut draft);
    let mut lost = Vec::new();
    for job in &jobs {
        let Some(stream) = job.stream(&mut draft) else { continue };
        let (warmup_s, duration_s) = job.times(&mut draft);
        let together = !job.flag("stonewall") && !draft.steps.is_empty();
        match draft.steps.last_mut().filter(|_| together) {
            Some(step) => {
                let taken: Vec<&str> = step.streams.iter().map(|s| s.name.as_str()).collect();
                let mut stream =
                    DraftStream { name: ProtocolDraft::fresh(&taken, &stream.name), ..stream };
                let shares =
                    |s: &&DraftStream| s.dataset == stream.dataset && s.engine == stream.engine;
                let direct = step.streams.iter().find(shares).map_or(stream.direct, |s| s.direct);
                let differs = direct != stream.direct && !stream.dataset.is_empty();
                stream.direct = direct;
                step.streams.push(stream);
                if differs {
                    let why = "streams of a step that share a file open it alike: as the first";
                    lost.push((job.line, format!("[{}] direct", job.name), why));
                }
                if (step.duration_s, step.warmup_s) != (duration_s, warmup_s) {
                    step.duration_s = step.duration_s.max(duration_s);
                    step.warmup_s = step.warmup_s.max(warmup_s);
                    let why = "streams of a step share one window: the longest is taken";
                    lost.push((job.line, format!("[{}]", job.name), why));
                }
            }
            None => {
                let taken: Vec<&str> = draft.steps.iter().map(|s| s.name.as_str()).collect();
                let name = ProtocolDraft::fresh(&taken, &job.name);
                let streams = vec![stream];
                draft.steps.push(DraftStep { name, warmup_s, duration_s, sweep: None, streams });
            }
        }
    }
    lost.into_iter().for_each(|(line, text, why)| draft.lose(line, text, why));
    Ok(draft)
}

impl JobSection {
    fn times(&self, draft: &mut ProtocolDraft) -> (f64, f64) {
        for key in ["io_size", "number_ios", "loops"] {
            self.lose(draft, key, "a window is a time: set its duration");
        }
        let warmup_s = self.get("ramp_time").and_then(seconds).unwrap_or(0.0);
        let duration_s = self.get("runtime").and_then(seconds).filter(|s| *s > 0.0);
        if duration_s.is_none() {
            let why = "the job ends with its size, and a window is a time: 60 s are taken";
            draft.lose(self.line, format!("[{}]", self.name), why);
        }
        (warmup_s, duration_s.unwrap_or(DURATION_S))
    }

    fn stream(&self, draft: &mut ProtocolDraft) -> Option<DraftStream> {
        let lost = |why: String, draft: &mut ProtocolDraft| {
            draft.lose(self.line, format!("[{}] is left out", self.name), why);
        };
        let written = self.get("ioengine").unwrap_or("psync");
        let engine = match written {
            "io_uring" => "uring",
            "libaio" => "libaio",
            "sync" | "psync" | "vsync" | "pvsync" | "pvsync2" => "psync",
            "posixaio" => {
                self.lose(draft, "ioengine", "io_uring is used instead");
                "uring"
            }
            "null" => "null",
            other => {
                lost(format!("Dyno has no equivalent of fio's engine {other}"), draft);
                return None;
            }
        };
        let Some(mut pattern) = Pattern::of(self) else {
            let rw = self.get("rw").unwrap_or("read");
            lost(format!("Dyno does not support rw={rw}"), draft);
            return None;
        };
        let Some(blocks) = self.blocks(pattern.read) else {
            lost("its block sizes cannot be read".to_string(), draft);
            return None;
        };
        if !pattern.random && blocks.iter().any(|(key, list)| *key == "block" && list.contains('['))
        {
            // Each size continues from its own last op, as in fio with percentage_random=0.
            pattern.random = true;
            pattern.knobs.push(("random", "0".to_string()));
        }
        self.unknown(draft);
        let threads = self.count("numjobs");
        let mut depth = self.count("iodepth");
        if engine == "psync" {
            depth = 1;
        }
        let mut knobs = blocks;
        knobs.extend(pattern.knobs);
        knobs.extend(self.placed(pattern.random, draft));
        knobs.extend(self.durable(draft));
        let dataset =
            if engine == "null" { String::new() } else { self.dataset(engine, threads, draft) };
        Some(DraftStream {
            name: ProtocolDraft::fresh(&[], &self.name),
            engine,
            direct: self.flag("direct") || self.get("buffered") == Some("0"),
            dataset,
            threads,
            depth,
            keys: self.paced(threads, pattern.read, draft),
            kind: if pattern.random { "random" } else { "sequential" },
            knobs,
        })
    }

    fn unknown(&self, draft: &mut ProtocolDraft) {
        for JobValue { key, value, line } in &self.set {
            if !NOT_LOAD.contains(&key.as_str())
                && !["io_size", "number_ios", "loops"].contains(&key.as_str())
            {
                let why = match key.as_str() {
                    "verify" => "set verify = true on the dataset to compare every read",
                    "startdelay" => "streams of a step begin at once",
                    "thinktime" => "give the stream a rate in its place",
                    "latency_target" => "sweep with search = { metric = …, at_most = … }",
                    "steadystate" | "ss" => "add [prepare] steady",
                    _ => "nothing here corresponds to it",
                };
                draft.lose(*line, format!("{key}={value}"), why);
            }
        }
    }

    /// Sizes of ops: `bssplit` takes precedence over `bs`; both may differ for reads and writes.
    fn blocks(&self, read: f64) -> Option<Vec<(&'static str, String)>> {
        let both = |text: &str, one: &dyn Fn(&str) -> Option<Shares>| {
            let mut parts = text.split(',').map(str::trim);
            let reads = one(parts.next()?)?;
            let writes = match parts.next() {
                Some(part) if !part.is_empty() => one(part)?,
                _ => reads.clone(),
            };
            Some(draft::blocks(read, &reads, &writes))
        };
        if let Some(split) = self.get("bssplit") {
            return both(split, &|text| self.split(text));
        }
        if self.get("bsrange").is_some() {
            return None;
        }
        both(self.get("bs").unwrap_or("4k"), &|text| Some(vec![(self.bytes(text)?, 1.0)]))
    }

    /// "4k/40:16k/60"; sizes without a share divide the rest evenly.
    fn split(&self, text: &str) -> Option<Shares> {
        let mut sizes = Vec::new();
        for part in text.split(':') {
            let mut words = part.split('/');
            let bytes = self.bytes(words.next()?)?;
            let share = words.next().filter(|s| !s.is_empty());
            sizes.push((bytes, share.map(str::parse::<f64>).transpose().ok()?));
        }
        let given: f64 = sizes.iter().filter_map(|(_, share)| *share).sum();
        let open = sizes.iter().filter(|(_, share)| share.is_none()).count().max(1) as f64;
        let rest = (100.0 - given).max(0.0) / open;
        Some(sizes.into_iter().map(|(bytes, share)| (bytes, share.unwrap_or(rest))).collect())
    }

    /// The distribution of offsets.
    fn placed(&self, random: bool, draft: &mut ProtocolDraft) -> Vec<(&'static str, String)> {
        let mut knobs = Vec::new();
        if let Some(align) = self.get("blockalign").and_then(|text| self.bytes(text)) {
            match random {
                true => knobs.push(("align", format!("\"{align}B\""))),
                false => self.lose(draft, "blockalign", "only random ops have it"),
            }
        }
        if let Some(percent) = self.get("percentage_random") {
            if random && percent.parse::<f64>().is_ok() {
                knobs.push(("random", percent.to_string()));
            } else {
                self.lose(draft, "percentage_random", "one share for all ops of a random load");
            }
        }
        let Some(distribution) = self.get("random_distribution").filter(|_| random) else {
            return knobs;
        };
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
            _ => self.lose(draft, "random_distribution", "offsets are uniform instead"),
        }
        knobs
    }

    /// The durability of writes.
    fn durable(&self, draft: &mut ProtocolDraft) -> Vec<(&'static str, String)> {
        let mut knobs = Vec::new();
        let every = self.get("fdatasync").or(self.get("fsync"));
        if let Some(every) = every.filter(|n| *n != "0") {
            knobs.push(("fdatasync", every.to_string()));
            self.lose(draft, "fsync", "fdatasync is used instead");
        }
        match self.get("sync").unwrap_or("0") {
            "0" | "none" => {}
            "dsync" => knobs.push(("sync", "\"fua\"".to_string())),
            _ => {
                knobs.push(("sync", "\"fua\"".to_string()));
                self.lose(draft, "sync", "RWF_DSYNC (no flush of the file's times) is used");
            }
        }
        knobs
    }

    /// fio's rates apply to each job, and to each direction of a mix.
    fn paced(
        &self,
        jobs: u64,
        read: f64,
        draft: &mut ProtocolDraft,
    ) -> Vec<(&'static str, String)> {
        let mut keys = Vec::new();
        let mixed = read > 0.0 && read < 100.0;
        for (key, unit) in [("rate_iops", "/s"), ("rate", "B/s")] {
            let Some(written) = self.get(key) else { continue };
            let first = written.split(',').next().unwrap_or_default();
            let Some(rate) = self.bytes(first).filter(|rate| *rate > 0) else { continue };
            // The direction with more ops reaches its limit first.
            let share = if mixed { read.max(100.0 - read) / 100.0 } else { 1.0 };
            if mixed || written.contains(',') {
                let why = "a rate is of all ops here: that at which the larger share reaches its \
                           limit is taken";
                self.lose(draft, key, why);
            }
            keys =
                vec![("rate", format!("\"{}{unit}\"", number(rate as f64 * jobs as f64 / share)))];
        }
        if !keys.is_empty() && self.get("rate_process") == Some("poisson") {
            keys.push(("arrival", "\"poisson\"".to_string()));
        }
        if let Some(cpus) = self.get("cpus_allowed") {
            keys.push(("cpus", draft::quoted(cpus)));
        }
        keys
    }

    /// The file or device of the job: a named one is shared by all jobs that name it; otherwise
    /// each job has its own, and one dataset contains them all.
    fn dataset(&self, engine: &'static str, jobs: u64, draft: &mut ProtocolDraft) -> String {
        let size = self.get("size").or(self.get("filesize"));
        let bytes = size.and_then(|size| self.bytes(size));
        if let (Some(JobValue { line, value, .. }), None) =
            (self.find("size").or(self.find("filesize")), bytes)
        {
            draft.lose(*line, format!("size={value}"), "1 GiB is assumed: set dataset.NAME.size");
        }
        if size.is_none() {
            let why = "no size: 1 GiB is taken; set dataset.NAME.size, 0 for all of a device";
            draft.lose(self.line, format!("[{}]", self.name), why);
        }
        let named = self.get("filename");
        let bytes = bytes.unwrap_or(1 << 30);
        let bytes = if named.is_some() { bytes } else { bytes.saturating_mul(jobs) };
        if let Some(JobValue { value, line, .. }) =
            self.find("filename").filter(|f| f.value.starts_with("/dev/"))
        {
            let why = "a device is named by --subject or in a plan, with its serial and consent";
            draft.lose(*line, format!("filename={value}"), why);
        }
        let wanted = named.map_or(self.name.as_str(), |f| f.rsplit('/').next().unwrap_or(f));
        let mut knobs = Vec::new();
        if let Some(percent) = self.get("compress") {
            knobs.push(("compressible", percent.to_string()));
        }
        if let Some(percent) = self.get("dedupe_percentage").and_then(|p| p.parse::<f64>().ok())
            && percent > 0.0
            && percent < 100.0
        {
            knobs.push(("dedupe", number(1.0 / (1.0 - percent / 100.0))));
        }
        let plain = ProtocolDraft::fresh(&[], wanted);
        if let Some(known) = draft.datasets.iter_mut().find(|d| named.is_some() && d.name == plain)
        {
            known.bytes = known.bytes.max(bytes);
            return plain;
        }
        let taken: Vec<&str> = draft.datasets.iter().map(|d| d.name.as_str()).collect();
        let name = ProtocolDraft::fresh(&taken, wanted);
        draft.datasets.push(DraftDataset { name: name.clone(), engine, bytes, knobs });
        name
    }
}

/// The meaning of `rw`.
struct Pattern {
    random: bool,
    /// Percentage of reads.
    read: f64,
    knobs: Vec<(&'static str, String)>,
}

impl Pattern {
    fn of(job: &JobSection) -> Option<Pattern> {
        let mix = || {
            let read = job.get("rwmixread").and_then(|r| r.parse::<f64>().ok());
            let write = job.get("rwmixwrite").and_then(|w| w.parse::<f64>().ok());
            read.or(write.map(|w| 100.0 - w)).unwrap_or(50.0)
        };
        let (random, read) = match job.get("rw").unwrap_or("read") {
            "read" => (false, 100.0),
            "write" => (false, 0.0),
            "rw" | "readwrite" => (false, mix()),
            "randread" => (true, 100.0),
            "randwrite" => (true, 0.0),
            "randrw" => (true, mix()),
            "trim" | "randtrim" => {
                let random = job.get("rw") == Some("randtrim");
                let knobs = vec![("trim", "100".to_string())];
                return Some(Pattern { random, read: 0.0, knobs });
            }
            _ => return None,
        };
        Some(Pattern { random, read, knobs: Vec::new() })
    }
}
