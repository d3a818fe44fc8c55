//! `[prepare]` as it is resolved: what is done to the bare drive, and how steadiness is judged.

use serde::{Deserialize, Serialize};

use super::stream::Stream;

/// What is done to the bare drive, and how steadiness is judged; the fills stand with the datasets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    /// How drives are purged first; None leaves what is on them.
    #[serde(default)]
    pub purge: Option<Purge>,
    /// How many namespaces each drive is to have; zero leaves them as they are.
    #[serde(default)]
    pub namespaces: u32,
    /// Whether the volatile write cache of each device is on during the run; None leaves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<bool>,
    /// The filesystem made on each device; None leaves devices bare.
    #[serde(default)]
    pub filesystem: Option<Filesystem>,
    /// Rounds of a load until it is steady; None measures at once.
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
    /// NVMe Sanitize, block erase: all flash blocks are erased.
    SanitizeBlock,
    /// NVMe Sanitize, crypto erase: the media's key is changed.
    SanitizeCrypto,
    /// NVMe Sanitize, overwrite: all user data are overwritten with a pattern.
    SanitizeOverwrite,
    /// All blocks are deallocated (NVMe Dataset Management, or BLKDISCARD).
    Discard,
}

/// Purges by the word that a plan uses.
pub const PURGES: [(&str, Purge); 7] = [
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
    /// Which filesystem.
    pub kind: FilesystemKind,
    /// Further arguments of mkfs.
    pub mkfs: Vec<String>,
    /// Mount options, as after `-o`.
    pub mount: String,
}

/// Filesystems that Dyno makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesystemKind {
    /// XFS, by mkfs.xfs.
    Xfs,
    /// ext4, by mkfs.ext4.
    Ext4,
}

impl FilesystemKind {
    /// The name as mkfs and mount take it.
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
    /// The load of each round.
    pub stream: Stream,
    /// What is tracked.
    pub metric: SteadyMetric,
    /// Length of a round, nanoseconds.
    pub round_ns: u64,
    /// The maximum number of rounds; if it is reached, the points are marked.
    pub most_rounds: u32,
    /// When the last rounds are steady.
    pub rule: SteadyRule,
}

/// What is tracked from round to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SteadyMetric {
    /// Ops per second.
    Iops,
    /// Bytes per second.
    Throughput,
    /// Mean service time, nanoseconds.
    Mean,
    /// 99th percentile of service time, nanoseconds.
    P99,
}

/// Metrics by the word that a plan uses.
pub const METRICS: [(&str, SteadyMetric); 4] = [
    ("iops", SteadyMetric::Iops),
    ("throughput", SteadyMetric::Throughput),
    ("mean", SteadyMetric::Mean),
    ("p99", SteadyMetric::P99),
];

impl SteadyMetric {
    /// The word that a plan uses.
    pub fn name(self) -> &'static str {
        METRICS.iter().find(|m| m.1 == self).map_or("", |m| m.0)
    }

    /// The unit of its values.
    pub fn unit(self) -> &'static str {
        match self {
            SteadyMetric::Iops => "ops/s",
            SteadyMetric::Throughput => "bytes/s",
            SteadyMetric::Mean | SteadyMetric::P99 => "ns",
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
