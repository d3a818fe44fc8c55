//! Where a job's requests go: its dataset, and the part of it.

use super::super::draft::{self, DraftDataset, DraftStream, Part, ProtocolDraft, number};
use super::super::fate::Fate;
use super::jobs::Job;
use super::{Converted, Knobs, LeftOut, Pattern, Reading};

/// The size of a file without one.
const FILE_BYTES: u64 = 1 << 30;

/// Jobs of one section that read one file each from its beginning, which become streams.
const MOST_STREAMS: u64 = 16;

/// A number of bytes, or of percent of the file or device.
#[derive(Clone, Copy)]
enum Extent {
    Bytes(u64),
    Percent(f64),
}

/// Where fio puts the files of a job: its devices, its directories or, without any, the working
/// directory.
pub(super) fn of_job(job: &Job) -> Vec<String> {
    let named = job.last("filename").map_or("", |option| &option.value);
    let (devices, files): (Vec<&str>, Vec<&str>) = named
        .split(':')
        .filter(|name| !name.is_empty())
        .partition(|name| name.starts_with("/dev/"));
    if !devices.is_empty() {
        return devices.into_iter().map(str::to_string).collect();
    }
    if let Some(directories) = job.last("directory") {
        return directories.value.split(':').map(str::to_string).collect();
    }
    let folder = |file: &str| file.rsplit_once('/').map_or(".", |(folder, _)| folder).to_string();
    let mut folders: Vec<String> = files.into_iter().map(folder).collect();
    folders.dedup();
    if folders.is_empty() { vec![".".to_string()] } else { folders }
}

impl Reading<'_> {
    pub(super) fn on_a_device(&self) -> bool {
        self.get("filename").is_some_and(|name| name.starts_with("/dev/"))
    }

    /// Gives the stream its dataset: a named file is shared by all jobs that name it; otherwise
    /// each job has its own, and one dataset contains them all.
    pub(super) fn placed(
        &mut self,
        pattern: &Pattern,
        stream: &mut DraftStream,
        draft: &mut ProtocolDraft,
    ) -> Converted<Vec<DraftStream>> {
        if stream.engine == "null" {
            let why = "the engine null has no file";
            self.idle(&["filename", "size", "filesize", "offset", "offset_increment"], why);
            let data = ["zero_buffers", "buffer_compress_percentage", "dedupe_percentage"];
            self.idle(&data, why);
            return Ok(vec![stream.clone()]);
        }
        let named = self.get("filename");
        if let Some(name) = named {
            let why = match (name.contains(':'), self.on_a_device()) {
                (true, _) => {
                    self.lose("filename", "a dataset is one file or device: the first is taken");
                    ""
                }
                (_, true) => {
                    "a device is named by --subject or in a plan, with its serial and consent"
                }
                _ => "",
            };
            if !why.is_empty() {
                self.mark("filename", Fate::Carried, why);
            }
        }
        let size = self.extent("size")?;
        let file = self.extent("filesize")?;
        let from = self.extent("offset")?.unwrap_or(Extent::Bytes(0));
        let step = self.extent("offset_increment")?;
        let wanted = named.map_or(stream.name.as_str(), |f| {
            let first = f.split(':').next().unwrap_or(f);
            first.rsplit('/').next().unwrap_or(first)
        });
        // 0: all of a device.
        let mut whole = match (file, size, from) {
            (Some(Extent::Bytes(file)), ..) => file,
            (_, Some(Extent::Bytes(size)), Extent::Bytes(from)) => from.saturating_add(size),
            _ if self.on_a_device() => 0,
            (_, Some(Extent::Bytes(size)), _) => size,
            _ => {
                let text = format!("[{}] without a size", self.job.name);
                let why = "1GiB; set the size of the dataset";
                draft.settle(&self.job.place, text, Fate::Fixed, why);
                FILE_BYTES
            }
        };
        let mut part = match (from, size) {
            (Extent::Bytes(0), None) => Part::Whole,
            (Extent::Bytes(from), Some(Extent::Bytes(size))) => Part::Bytes(from, size),
            (Extent::Bytes(0), Some(Extent::Percent(size))) => Part::Percent(0.0, size),
            (Extent::Percent(from), None) => Part::Percent(from, 100.0 - from),
            (Extent::Percent(from), Some(Extent::Percent(size))) => {
                Part::Percent(from, size.min(100.0 - from))
            }
            (Extent::Bytes(from), None) if whole > from => Part::Bytes(from, whole - from),
            _ => {
                self.lose("offset", "it depends on the size of the device or file");
                Part::Whole
            }
        };
        if let (Part::Bytes(from, bytes), true) = (part, whole > 0) {
            // fio starts again at the beginning of a smaller file.
            part = Part::Bytes(from, bytes.min(whole.saturating_sub(from)));
        }
        let threads = stream.threads;
        if named.is_none() {
            self.idle(&["offset_increment"], "each job has a file of its own");
            if threads > 1 && part != Part::Bytes(0, whole) && part != Part::Whole {
                self.lose("offset", "the jobs have one dataset, of which the whole is used");
            }
            whole = whole.saturating_mul(threads);
            part = if threads > 1 { Part::Whole } else { part };
        }
        let knobs = self.data();
        stream.dataset =
            self.dataset(named.is_some(), wanted, (whole, knobs), stream.engine, draft);
        stream.part = part;
        match (named, step, threads) {
            (None, ..) | (_, None, 1) => Ok(vec![stream.clone()]),
            (_, None, _) if pattern.random => Ok(vec![stream.clone()]),
            _ => self.one_by_one(step, stream, draft),
        }
    }

    /// Jobs that each start at the file's beginning or at an offset of their own, as streams.
    fn one_by_one(
        &mut self,
        step: Option<Extent>,
        stream: &DraftStream,
        draft: &mut ProtocolDraft,
    ) -> Converted<Vec<DraftStream>> {
        let threads = stream.threads;
        if threads > MOST_STREAMS {
            let why = "the threads share the range: each has a part of its own";
            self.lose(if step.is_some() { "offset_increment" } else { "numjobs" }, why);
            return Ok(vec![stream.clone()]);
        }
        let dataset = draft.datasets.iter_mut().find(|d| d.name == stream.dataset);
        let mut unknown = 0;
        let most = dataset.map_or(&mut unknown, |dataset| &mut dataset.bytes);
        let whole = *most;
        let mut streams = Vec::new();
        for n in 0..threads {
            let mut one = DraftStream {
                name: format!("{}-{}", stream.name, n + 1),
                threads: 1,
                keys: divided(&stream.keys, threads),
                ..stream.clone()
            };
            one.part = match (stream.part, step) {
                (part, None) => part,
                (Part::Bytes(from, bytes), Some(Extent::Bytes(step))) => {
                    Part::Bytes(from + n * step, bytes)
                }
                (Part::Percent(from, span), Some(Extent::Percent(step))) => {
                    let from = from + n as f64 * step;
                    Part::Percent(from, span.min((100.0 - from).max(0.0)))
                }
                (Part::Whole, Some(Extent::Percent(step))) => {
                    let from = n as f64 * step;
                    Part::Percent(from, (100.0 - from).max(0.0))
                }
                (Part::Whole, Some(Extent::Bytes(step))) if whole > n * step => {
                    Part::Bytes(n * step, whole - n * step)
                }
                _ => {
                    self.lose("offset_increment", "it needs a size in the same unit");
                    return Ok(vec![stream.clone()]);
                }
            };
            if let (Part::Bytes(from, bytes), true) = (one.part, whole > 0) {
                *most = (*most).max(from + bytes);
            }
            streams.push(one);
        }
        if streams.len() == 1 {
            streams[0].name.clone_from(&stream.name);
        }
        Ok(streams)
    }

    /// "1g", "20%", or "20" of filesize's range "1g-2g", which is not carried over.
    fn extent(&mut self, key: &'static str) -> Converted<Option<Extent>> {
        let Some(written) = self.get(key) else { return Ok(None) };
        if let Some(percent) = written.strip_suffix('%') {
            let percent = percent.trim().parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p));
            let why = format!("'{written}' is not a percentage");
            return percent.map(|p| Some(Extent::Percent(p))).ok_or(LeftOut { key, why });
        }
        let first = match (key, written.split_once('-')) {
            ("filesize", Some((_, most))) => {
                self.lose(key, "all files have one size: the largest is taken");
                most
            }
            _ => written,
        };
        let bytes = self.size(key, first)?;
        Ok(Some(Extent::Bytes(bytes)))
    }

    /// The contents of blocks, as knobs of the dataset.
    fn data(&mut self) -> Knobs {
        let mut knobs = Vec::new();
        if self.flag("zero_buffers") {
            knobs.push(("compressible", "100".to_string()));
            let why = "all blocks are zero";
            self.idle(&["buffer_compress_percentage", "dedupe_percentage"], why);
            return knobs;
        }
        if let Some(percent) = self.get("buffer_compress_percentage") {
            match percent.parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => {
                    knobs.push(("compressible", number(percent)));
                }
                _ => self.lose("buffer_compress_percentage", "it is not a percentage"),
            }
        }
        match self.get("dedupe_percentage").map(str::parse::<f64>) {
            Some(Ok(percent)) if percent > 0.0 && percent < 100.0 => {
                knobs.push(("dedupe", number(1.0 / (1.0 - percent / 100.0))));
            }
            None => {}
            Some(_) => self.lose("dedupe_percentage", "a ratio needs a percentage below 100"),
        }
        knobs
    }

    fn dataset(
        &mut self,
        shared: bool,
        wanted: &str,
        (bytes, knobs): (u64, Knobs),
        engine: &'static str,
        draft: &mut ProtocolDraft,
    ) -> String {
        let plain = ProtocolDraft::fresh(&[], wanted);
        if let Some(known) = draft.datasets.iter_mut().find(|d| shared && d.name == plain) {
            // 0 is all of a device.
            let all = known.bytes == 0 || bytes == 0;
            known.bytes = if all { 0 } else { known.bytes.max(bytes) };
            if known.knobs != knobs {
                for key in ["zero_buffers", "buffer_compress_percentage", "dedupe_percentage"] {
                    if self.get(key).is_some() {
                        self.lose(key, "jobs that share a file have the data of the first");
                    }
                }
            }
            return plain;
        }
        let taken: Vec<&str> = draft.datasets.iter().map(|d| d.name.as_str()).collect();
        let name = ProtocolDraft::fresh(&taken, wanted);
        draft.datasets.push(DraftDataset {
            name: name.clone(),
            engine,
            bytes,
            knobs,
            filled: true,
        });
        name
    }
}

/// The keys of one of several equal streams: its share of the rate.
fn divided(keys: &Knobs, among: u64) -> Knobs {
    let share = |(key, value): &(&'static str, String)| {
        let rate = crate::base::units::parse_rate(value.trim_matches('"'));
        let value = match rate.map(|rate| rate.times(1.0 / among as f64)) {
            Ok(crate::base::units::Rate::OpsPerSec(ops)) if *key == "rate" => {
                draft::quoted(&format!("{}/s", number(ops)))
            }
            Ok(crate::base::units::Rate::BytesPerSec(bytes)) if *key == "rate" => {
                draft::quoted(&format!("{}/s", draft::size(bytes.round() as u64)))
            }
            _ => value.clone(),
        };
        (*key, value)
    };
    keys.iter().map(share).collect()
}
