//! `[prepare]`: what is done to each drive before its points, in this order: purged, divided into namespaces, given a
//! filesystem, its datasets filled, loads put on for a time or some passes, and rounds of a load until it is steady.

use serde::{Deserialize, Serialize};

use super::fields::{self, Fields};
use super::mistakes::Mistakes;
use super::model::Stream;
use super::node::{Node, Value};

/// The specification gives up after 25 rounds of a minute.
const ROUNDS: u32 = 25;
const ROUND_NS: u64 = 60_000_000_000;
/// More rounds than anyone waits for.
const MOST_ROUNDS: u32 = 10_000;

/// What is done to the bare drive, and how steadiness is judged; the fills stand with the datasets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    #[serde(default)]
    pub purge: Option<Purge>,
    /// How many namespaces each drive is to have; zero leaves them as they are.
    #[serde(default)]
    pub namespaces: u32,
    #[serde(default)]
    pub filesystem: Option<Filesystem>,
    #[serde(default)]
    pub steady: Option<Steady>,
}

impl Preparation {
    /// Whether a bare device loses what is on it before anything is filled.
    pub fn erases(&self) -> Option<&'static str> {
        let purge = self.purge.map(|_| "the purge");
        purge.or(self.filesystem.as_ref().map(|_| "making the filesystem"))
    }
}

/// How a drive is brought back to the state in which it left the factory, as far as that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purge {
    /// The first that the drive has of format, sanitize-block, sanitize-crypto and discard.
    Any,
    /// NVMe Format with secure erase of user data.
    Format,
    /// NVMe Format with a new key.
    FormatCrypto,
    SanitizeBlock,
    SanitizeCrypto,
    SanitizeOverwrite,
    /// All blocks are told to be unused.
    Discard,
}

const PURGES: [(&str, Purge); 7] = [
    ("any", Purge::Any),
    ("format", Purge::Format),
    ("format-crypto", Purge::FormatCrypto),
    ("sanitize-block", Purge::SanitizeBlock),
    ("sanitize-crypto", Purge::SanitizeCrypto),
    ("sanitize-overwrite", Purge::SanitizeOverwrite),
    ("discard", Purge::Discard),
];

/// What is made on each bare device and mounted where only the run finds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filesystem {
    pub kind: FilesystemKind,
    /// Further arguments of mkfs.
    pub mkfs: Vec<String>,
    /// Mount options, as after `-o`.
    pub mount: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesystemKind {
    Xfs,
    Ext4,
}

impl FilesystemKind {
    pub fn name(self) -> &'static str {
        match self {
            FilesystemKind::Xfs => "xfs",
            FilesystemKind::Ext4 => "ext4",
        }
    }
}

/// Rounds of one load until the last of them are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steady {
    pub stream: Stream,
    pub metric: Metric,
    pub round_ns: u64,
    /// Given up after so many; the points are then marked.
    pub most_rounds: u32,
    pub rule: SteadyRule,
}

/// What is tracked from round to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    Iops,
    Throughput,
    Mean,
    P99,
}

const METRICS: [(&str, Metric); 4] =
    [("iops", Metric::Iops), ("throughput", Metric::Throughput), ("mean", Metric::Mean), ("p99", Metric::P99)];

impl Metric {
    pub fn name(self) -> &'static str {
        METRICS.iter().find(|m| m.1 == self).map_or("", |m| m.0)
    }

    /// The unit of its values.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Iops => "ops/s",
            Metric::Throughput => "bytes/s",
            Metric::Mean | Metric::P99 => "ns",
        }
    }
}

/// When the last rounds are alike; the numbers of SNIA PTS 2.0.2 (2.1.24) by default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyRule {
    /// Rounds that are looked at together.
    pub window: usize,
    /// The most that the largest and the smallest value may be apart, as a share of the mean.
    pub excursion: f64,
    /// The most that the fitted line's ends may be apart, as a share of the mean.
    pub slope: f64,
}

impl Default for SteadyRule {
    fn default() -> SteadyRule {
        SteadyRule { window: 5, excursion: 0.20, slope: 0.10 }
    }
}

/// How many namespaces a drive is to have: several, since one is what it has anyway.
pub fn namespaces(node: &Node, log: &mut Mistakes) -> Option<u32> {
    fields::whole(node, 2, 1024, log).map(|n| n as u32)
}

pub fn purge(node: &Node, log: &mut Mistakes) -> Option<Purge> {
    let word = fields::choice(node, &PURGES.map(|p| p.0), log)?;
    PURGES.iter().find(|p| p.0 == word).map(|p| p.1)
}

/// `"xfs"`, or `{ kind = "xfs", mkfs = ["-K"], mount = "noatime,discard" }`.
pub fn filesystem(node: &Node, log: &mut Mistakes) -> Option<Filesystem> {
    let kind_of = |node: &Node, log: &mut Mistakes| {
        let kinds = [FilesystemKind::Xfs, FilesystemKind::Ext4];
        let word = fields::choice(node, &kinds.map(FilesystemKind::name), log)?;
        kinds.into_iter().find(|k| k.name() == word)
    };
    if let Value::Text(_) = node.value {
        let kind = kind_of(node, log)?;
        return Some(Filesystem { kind, mkfs: Vec::new(), mount: "noatime".to_string() });
    }
    let mut table = Fields::of(node, "a filesystem", log)?;
    let kind = table.need("kind", "\"xfs\"", log);
    let mkfs = table.get("mkfs").map(|n| fields::list(n, "arguments of mkfs", log)).unwrap_or_default();
    let mount = table.get("mount").map_or(Some("noatime".to_string()), |n| fields::text(n, log));
    table.finish(log);
    let mkfs = mkfs.iter().filter_map(|n| fields::text(n, log)).collect();
    Some(Filesystem { kind: kind_of(kind?, log)?, mkfs, mount: mount? })
}

/// The keys of `steady` that are not its stream's. The caller reads the stream from the same table and finishes it.
pub struct SteadyKeys {
    metric: Metric,
    round_ns: u64,
    most_rounds: u32,
    rule: SteadyRule,
}

impl SteadyKeys {
    pub fn read(table: &mut Fields<'_>, log: &mut Mistakes) -> Option<SteadyKeys> {
        let usual = SteadyRule::default();
        let metric = table.get("metric").map_or(Some("iops"), |n| fields::choice(n, &METRICS.map(|m| m.0), log));
        let round_ns = table.get("round").map_or(Some(ROUND_NS), |n| fields::some_time_ns(n, log));
        let rounds_node = table.get("rounds");
        let most_rounds = rounds_node.map_or(Some(ROUNDS), |n| fields::count(n, MOST_ROUNDS, log));
        let window = table.get("window").map_or(Some(usual.window as u64), |n| fields::whole(n, 2, 1000, log));
        let excursion = table.get("excursion").map_or(Some(usual.excursion), |n| fields::number(n, 0.0, 1.0, log));
        let slope = table.get("slope").map_or(Some(usual.slope), |n| fields::number(n, 0.0, 1.0, log));
        let metric = METRICS.iter().find(|m| Some(m.0) == metric).map(|m| m.1);
        let rule = SteadyRule { window: window? as usize, excursion: excursion?, slope: slope? };
        let keys = SteadyKeys { metric: metric?, round_ns: round_ns?, most_rounds: most_rounds?, rule };
        if let (Some(node), true) = (rounds_node, (keys.most_rounds as usize) < rule.window) {
            let message = format!("{} rounds never fill a window of {}", keys.most_rounds, rule.window);
            log.note(node.at, message, "too few", "allow more rounds, or make the window smaller");
        }
        Some(keys)
    }

    pub fn with(self, stream: Stream) -> Steady {
        let SteadyKeys { metric, round_ns, most_rounds, rule } = self;
        Steady { stream, metric, round_ns, most_rounds, rule }
    }
}
