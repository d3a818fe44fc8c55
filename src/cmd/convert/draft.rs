//! A protocol under construction from another tool's file: steps, streams and datasets, and the
//! fate of each option of the source.

use super::fate::{FATES, Fate};
use crate::base::units::plural;

/// The reason of the options of a job that is left out: counted, and listed with the job alone.
pub const LEFT_OUT: &str = "of a job that is left out";

/// An option of the source and what became of it.
#[derive(Clone, Debug)]
pub struct Settled {
    /// "job.fio:3"; empty if it does not belong to a line.
    pub place: String,
    /// The option as written in the source.
    pub text: String,
    pub fate: Fate,
    /// Fixed: Dyno's value. Lost: the reason or the remedy. Otherwise a remark, or empty.
    pub why: String,
}

/// The dataset of a stream.
#[derive(Clone, PartialEq)]
pub struct DraftDataset {
    pub name: String,
    pub engine: &'static str,
    /// 0 for all of a device.
    pub bytes: u64,
    /// Knobs as TOML.
    pub knobs: Vec<(&'static str, String)>,
    /// Whether it is written before it is used; otherwise it is used as found.
    pub filled: bool,
}

/// The part of its dataset that a stream uses.
#[derive(Clone, Copy, PartialEq)]
pub enum Part {
    Whole,
    /// Start and length in bytes.
    Bytes(u64, u64),
    /// Start and length in percent.
    Percent(f64, f64),
}

/// One load.
#[derive(Clone)]
pub struct DraftStream {
    pub name: String,
    pub engine: &'static str,
    pub direct: bool,
    /// Further knobs of the engine as TOML.
    pub engine_knobs: Vec<(&'static str, String)>,
    /// Empty for the null engine.
    pub dataset: String,
    pub part: Part,
    pub threads: u64,
    pub depth: u64,
    /// Keys as TOML: rate, arrival, cpus.
    pub keys: Vec<(&'static str, String)>,
    pub kind: &'static str,
    /// Knobs of the workload as TOML.
    pub knobs: Vec<(&'static str, String)>,
}

/// Streams that run together.
pub struct DraftStep {
    pub name: String,
    pub warmup_s: f64,
    pub duration_s: f64,
    /// Empty the page cache before each point.
    pub drop_caches: bool,
    /// The sweep as TOML.
    pub sweep: Option<String>,
    pub streams: Vec<DraftStream>,
}

/// A protocol.
#[derive(Default)]
pub struct ProtocolDraft {
    pub title: String,
    pub source: String,
    pub datasets: Vec<DraftDataset>,
    pub steps: Vec<DraftStep>,
    pub settled: Vec<Settled>,
    /// The directories and devices that the source names.
    pub places: Vec<String>,
}

impl ProtocolDraft {
    /// Records the fate of an option. One that applies to several jobs has the heaviest.
    pub fn settle(
        &mut self,
        place: impl Into<String>,
        text: impl Into<String>,
        fate: Fate,
        why: impl Into<String>,
    ) {
        let (place, text, why) = (place.into(), text.into(), why.into());
        let same = |s: &&mut Settled| !place.is_empty() && s.place == place && s.text == text;
        match self.settled.iter_mut().find(same) {
            Some(known) if known.fate < fate => (known.fate, known.why) = (fate, why),
            Some(_) => {}
            None => self.settled.push(Settled { place, text, fate, why }),
        }
    }

    pub fn lose(
        &mut self,
        place: impl Into<String>,
        text: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.settle(place, text, Fate::Lost, why);
    }

    /// Adds a remark to an option that is carried over.
    pub fn remark(&mut self, place: &str, text: &str, why: &str) {
        let own = |s: &&mut Settled| s.place == place && s.text == text;
        if let Some(known) = self.settled.iter_mut().find(own)
            && known.fate == Fate::Carried
        {
            known.why = why.to_string();
        }
    }

    pub fn of(&self, fate: Fate) -> impl Iterator<Item = &Settled> {
        self.settled.iter().filter(move |s| s.fate == fate)
    }

    /// "12 options: 8 carried over, 2 fixed by Dyno, 1 irrelevant to the load, 1 not carried over".
    pub fn counts(&self) -> String {
        let of = |fate: Fate| format!("{} {}", self.of(fate).count(), fate.words());
        format!("{}: {}", plural(self.settled.len(), "option"), FATES.map(of).join(", "))
    }

    /// A unique name that override paths can contain.
    pub fn fresh(taken: &[&str], wanted: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let name: String = wanted.chars().map(plain).collect();
        let name = if name.is_empty() { "load".to_string() } else { name };
        let other = |n: usize| if n == 1 { name.clone() } else { format!("{name}-{n}") };
        (1..).map(other).find(|n| !taken.contains(&n.as_str())).unwrap_or(name)
    }

    /// The protocol as `command` writes it.
    pub fn to_toml(&self, command: &str) -> String {
        let mut out = format!("# Made by `{command}`; {}.\n", comment(&self.source));
        if self.settled.iter().any(|s| s.fate != Fate::Lost) {
            out += &format!("# {}.\n", self.counts());
        }
        if self.of(Fate::Lost).next().is_none() {
            out += "# Everything that defines the load was converted.\n";
        }
        for (fate, title) in [(Fate::Fixed, "Fixed by Dyno"), (Fate::Lost, "Not carried over")] {
            if self.of(fate).next().is_some() {
                out += &format!("#\n# {title}:\n");
            }
            for Settled { place, text, why, .. } in self.of(fate).filter(|s| s.why != LEFT_OUT) {
                let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
                out += &format!("#   {}{}: {}\n", comment(&place), comment(text), comment(why));
            }
        }
        out += &format!("\ntitle = {}\nsource = {}\n", quoted(&self.title), quoted(&self.source));
        for DraftDataset { name, engine, bytes, knobs, filled } in &self.datasets {
            let size = size(*bytes);
            out += &format!("\n[dataset.{name}]\nengine = \"{engine}\"\nsize = \"{size}\"\n");
            for (key, value) in knobs {
                out += &format!("{key} = {value}\n");
            }
            if *filled {
                out += "fill = { kind = \"sequential\", read = 0, block = \"128KiB\" }\n";
            }
        }
        self.steps.iter().for_each(|step| step.write(&self.datasets, &mut out));
        out
    }
}

impl DraftStep {
    fn write(&self, datasets: &[DraftDataset], out: &mut String) {
        *out += &format!("\n[[step]]\nname = \"{}\"\n", self.name);
        if self.warmup_s > 0.0 {
            *out += &format!("warmup = \"{}\"\n", time(self.warmup_s));
        }
        *out += &format!("duration = \"{}\"\n", time(self.duration_s));
        if self.drop_caches {
            *out += "drop_caches = true\n";
        }
        self.sweep.iter().for_each(|sweep| *out += &format!("sweep = {sweep}\n"));
        for stream in &self.streams {
            let dataset = datasets.iter().find(|d| d.name == stream.dataset);
            stream.write(dataset.map_or(0, |d| d.bytes), out);
        }
    }
}

impl DraftStream {
    fn write(&self, dataset_bytes: u64, out: &mut String) {
        *out += &format!("\n[[step.stream]]\nname = \"{}\"\n", self.name);
        *out += &match self.engine {
            "null" => "engine = \"null\"\n".to_string(),
            engine => {
                let direct = self.direct;
                let knobs = joined(&self.engine_knobs);
                format!("engine = {{ kind = \"{engine}\", direct = {direct}{knobs} }}\n")
            }
        };
        if !self.dataset.is_empty() {
            *out += &format!("dataset = \"{}\"\n", self.dataset);
        }
        let counts = [("threads", self.threads), ("depth", self.depth)];
        for (key, n) in counts.into_iter().filter(|(_, n)| *n > 1) {
            *out += &format!("{key} = {n}\n");
        }
        for (key, value) in &self.keys {
            *out += &format!("{key} = {value}\n");
        }
        let (knobs, part) = (joined(&self.knobs), joined(&self.part.knobs(dataset_bytes)));
        *out += &format!("workload = {{ kind = \"{}\"{knobs}{part} }}\n", self.kind);
    }
}

impl Part {
    fn knobs(self, dataset_bytes: u64) -> Vec<(&'static str, String)> {
        let percent = |bytes: u64| bytes as f64 / dataset_bytes.max(1) as f64 * 100.0;
        match self {
            Part::Bytes(from, bytes) if (from, bytes) != (0, dataset_bytes) => {
                Part::Percent(percent(from), percent(bytes)).knobs(dataset_bytes)
            }
            Part::Percent(from, span) if (from, span) != (0.0, 100.0) => {
                vec![("from", up(from)), ("span", up(span))]
            }
            _ => Vec::new(),
        }
    }
}

/// A percentage of bytes, rounded up by less than a sector, because ranges are rounded down to
/// blocks.
fn up(percent: f64) -> String {
    format!("{}", ((percent * 1e10).ceil() / 1e10).min(100.0))
}

fn joined(knobs: &[(&'static str, String)]) -> String {
    knobs.iter().map(|(key, value)| format!(", {key} = {value}")).collect()
}

/// External text on a line of its own.
fn comment(text: &str) -> String {
    crate::base::text::visible(text).into_owned()
}

pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// A size as people write it, exactly: "512MiB", "4KiB", "1GB", "1000B".
pub fn size(bytes: u64) -> String {
    let whole = |base: u64, power: u32| {
        let unit = base.pow(power);
        (bytes > 0 && bytes.is_multiple_of(unit)).then_some(bytes / unit)
    };
    let binary = [(4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")];
    // 1,536 MiB rather than 1,610,612,736 bytes, and 512 GB rather than 500,000,000 KiB.
    let decimal = [(4, "TB"), (3, "GB"), (2, "MB")];
    let mut found: Vec<(u64, &str)> =
        binary.iter().filter_map(|(power, unit)| Some((whole(1024, *power)?, *unit))).collect();
    found.extend(decimal.iter().filter_map(|(power, unit)| Some((whole(1000, *power)?, *unit))));
    let shortest = found.into_iter().min_by_key(|(count, _)| *count);
    shortest.map_or(format!("{bytes}B"), |(count, unit)| format!("{count}{unit}"))
}

/// A time as people write it: "60s", "15m", "2h", "250ms".
pub fn time(seconds: f64) -> String {
    let us = (seconds * 1e6).round() as u64;
    let units =
        [(3_600_000_000, "h", 1), (60_000_000, "m", 2), (1_000_000, "s", 1), (1000, "ms", 1)];
    // A single minute is 60s.
    let fits = |(unit, _, least): &&(u64, &str, u64)| {
        us > 0 && us.is_multiple_of(*unit) && us / unit >= *least
    };
    units
        .iter()
        .find(fits)
        .map_or(format!("{us}us"), |(unit, name, _)| format!("{}{name}", us / unit))
}

/// Sizes in a workload's form: separate shares by size for reads and writes become one list of
/// weights and, if the sizes differ in it, the percentage of reads of each.
pub fn blocks(
    read_percent: f64,
    reads: &[(u64, f64)],
    writes: &[(u64, f64)],
) -> Vec<(&'static str, String)> {
    let mut sizes: Vec<u64> = reads.iter().chain(writes).map(|(bytes, _)| *bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let share = |of: &[(u64, f64)], bytes: u64| {
        let all: f64 = of.iter().map(|(_, weight)| weight).sum();
        let own: f64 = of.iter().filter(|(b, _)| *b == bytes).map(|(_, weight)| weight).sum();
        if all > 0.0 { own / all } else { 0.0 }
    };
    let weights: Vec<(u64, f64, f64)> = sizes
        .into_iter()
        .map(|bytes| {
            let read = share(reads, bytes) * read_percent;
            let all = read + share(writes, bytes) * (100.0 - read_percent);
            (bytes, all, if all > 0.0 { read / all * 100.0 } else { 0.0 })
        })
        .filter(|(_, all, _)| *all > 0.0)
        .collect();
    by_size(read_percent, &weights)
}

/// The same for (size, weight, percentage of reads).
pub fn by_size(read_percent: f64, weights: &[(u64, f64, f64)]) -> Vec<(&'static str, String)> {
    let list = |pick: &dyn Fn(&(u64, f64, f64)) -> f64| {
        weighted(&weights.iter().map(|w| (w.0, pick(w))).collect::<Vec<_>>())
    };
    let mut knobs = vec![("read", number(read_percent))];
    match weights {
        [(bytes, ..)] => knobs.push(("block", quoted(&size(*bytes)))),
        _ => knobs.push(("block", list(&|w| w.1))),
    }
    if weights.iter().any(|w| (w.2 - read_percent).abs() > 1e-6) {
        knobs.push(("read_by_size", list(&|w| w.2)));
    }
    knobs
}

/// Sizes with a number each.
pub fn weighted(pairs: &[(u64, f64)]) -> String {
    // A share of zero is written as one that is never drawn.
    let pair = |(bytes, n): &(u64, f64)| format!("[\"{}\", {}]", size(*bytes), number(n.max(1e-9)));
    format!("[{}]", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
}

/// A number without trailing zeros.
pub fn number(n: f64) -> String {
    let rounded = (n * 1e9).round() / 1e9;
    format!("{rounded}")
}
