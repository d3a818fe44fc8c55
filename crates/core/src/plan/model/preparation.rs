//! `[prepare]`, resolved: the preparation of bare drives, and the criteria of steadiness.

use serde::{Deserialize, Serialize};

use super::stream::Stream;

/// The preparation of bare drives, and the criteria of steadiness; fills are part of the datasets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    /// The first purge; None leaves the drives' contents.
    #[serde(default)]
    pub purge: Option<Purge>,
    /// The number of namespaces of each drive; zero leaves them unchanged.
    #[serde(default)]
    pub namespaces: u32,
    /// Whether each device's volatile write cache is on during the run; None leaves it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<bool>,
    /// The filesystem made on each device; None leaves devices bare.
    #[serde(default)]
    pub filesystem: Option<Filesystem>,
    /// Rounds of a load until it is steady; None measures immediately.
    #[serde(default)]
    pub steady: Option<Steady>,
}

impl Preparation {
    /// Whether a bare device's contents are destroyed before anything is filled.
    pub fn erases(&self) -> Option<&'static str> {
        let purge = self.purge.map(|_| "the purge");
        purge.or(self.filesystem.as_ref().map(|_| "making the filesystem"))
    }
}

/// How a drive is returned to its factory state, as far as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purge {
    /// The first supported method among format, sanitize-block, sanitize-crypto and discard.
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

/// Purges by their name in a plan.
pub const PURGES: [(&str, Purge); 7] = [
    ("any", Purge::Any),
    ("format", Purge::Format),
    ("format-crypto", Purge::FormatCrypto),
    ("sanitize-block", Purge::SanitizeBlock),
    ("sanitize-crypto", Purge::SanitizeCrypto),
    ("sanitize-overwrite", Purge::SanitizeOverwrite),
    ("discard", Purge::Discard),
];

/// The filesystem made on each bare device and mounted at a private path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filesystem {
    /// Its type.
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
    /// Its name for mkfs and mount.
    pub fn name(self) -> &'static str {
        match self {
            FilesystemKind::Xfs => "xfs",
            FilesystemKind::Ext4 => "ext4",
        }
    }
}

/// Rounds of a load until the last ones are steady.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steady {
    /// The load of each round.
    pub stream: Stream,
    /// The tracked metric.
    pub metric: SteadyMetric,
    /// Length of a round, nanoseconds.
    pub round_ns: u64,
    /// The maximum number of rounds; if it is reached, the points are marked.
    pub most_rounds: u32,
    /// The criterion of steadiness.
    pub rule: SteadyRule,
}

/// The metric tracked over rounds.
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
    /// Write amplification: bytes that the subject's drives wrote for each byte that they received.
    Waf,
}

/// Metrics by their name in a plan.
pub const METRICS: [(&str, SteadyMetric); 5] = [
    ("iops", SteadyMetric::Iops),
    ("throughput", SteadyMetric::Throughput),
    ("mean", SteadyMetric::Mean),
    ("p99", SteadyMetric::P99),
    ("waf", SteadyMetric::Waf),
];

impl SteadyMetric {
    /// Its name in a plan.
    pub fn name(self) -> &'static str {
        METRICS.iter().find(|m| m.1 == self).map_or("", |m| m.0)
    }

    /// The unit of its values.
    pub fn unit(self) -> &'static str {
        match self {
            SteadyMetric::Iops => "ops/s",
            SteadyMetric::Throughput => "bytes/s",
            SteadyMetric::Mean | SteadyMetric::P99 => "ns",
            SteadyMetric::Waf => "WAF",
        }
    }
}

/// When the last rounds are steady; by default with the numbers of SNIA PTS 2.0.2 (2.1.24).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyRule {
    /// Number of rounds examined together.
    pub window: usize,
    /// Maximum difference between the largest and the smallest value, as a share of the mean.
    pub excursion: f64,
    /// Maximum difference between the fitted line's ends, as a share of the mean.
    pub slope: f64,
}

impl Default for SteadyRule {
    fn default() -> SteadyRule {
        SteadyRule { window: 5, excursion: 0.20, slope: 0.10 }
    }
}
