//! What a stream requests: its pattern, block sizes, mix, rate and range. `dyno plan check` prints
//! it, typed in --json.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::units::{self, Rate, plural};
use crate::cmd::plan_numbers;
use crate::plan::{Load, Stream};

/// A stream. A field is null if its workload has no such setting.
#[derive(Serialize, JsonSchema)]
pub struct StreamShape {
    name: String,
    /// As text: workload, engine, threads × depth, rate.
    summary: String,
    workload: String,
    engine: String,
    /// Whether it bypasses the page cache.
    direct: Option<bool>,
    dataset: Option<String>,
    threads: u32,
    depth: u32,
    /// Copies of the stream on each drive.
    instances: u32,
    /// Sizes of ops with their weights.
    blocks: Vec<BlockRow>,
    read_percent: Option<f64>,
    trim_percent: Option<f64>,
    /// Open loop: the target rate in ops; null in closed loop, or if the rate is in bytes.
    rate_ops_per_s: Option<f64>,
    /// The same in bytes.
    rate_bytes_per_s: Option<f64>,
    /// Start of the range in use, percent of the dataset.
    from_percent: Option<f64>,
    /// Its length, percent of the dataset.
    span_percent: Option<f64>,
    /// The size of the dataset; 0 for all of a device.
    dataset_bytes: Option<u64>,
    /// Whether it counts in the step's figures.
    headline: bool,
}

/// A size of ops.
#[derive(Serialize, JsonSchema)]
struct BlockRow {
    bytes: u64,
    weight: f64,
}

impl StreamShape {
    /// The shape of a resolved stream.
    pub fn of(stream: &Stream) -> StreamShape {
        let knobs = &stream.workload.knobs;
        let rate = match stream.load {
            Load::Rate(rate) => Some(rate),
            Load::Closed | Load::PercentOfMaximum(_) => None,
        };
        let blocks = knobs.sizes("block").unwrap_or_default();
        StreamShape {
            name: stream.name.clone(),
            summary: plan_numbers::stream(stream),
            workload: stream.workload.name.clone(),
            engine: stream.engine.name.clone(),
            direct: stream.engine.knobs.flag("direct").ok(),
            dataset: (!stream.dataset.is_empty()).then(|| stream.dataset.clone()),
            threads: stream.threads,
            depth: stream.depth,
            instances: stream.instances,
            blocks: blocks.into_iter().map(|(bytes, weight)| BlockRow { bytes, weight }).collect(),
            read_percent: knobs.float("read").ok(),
            trim_percent: knobs.float("trim").ok(),
            rate_ops_per_s: rate.and_then(|rate| match rate {
                Rate::OpsPerSec(ops) => Some(ops),
                Rate::BytesPerSec(_) => None,
            }),
            rate_bytes_per_s: rate.and_then(|rate| match rate {
                Rate::BytesPerSec(bytes) => Some(bytes),
                Rate::OpsPerSec(_) => None,
            }),
            from_percent: knobs.float("from").ok(),
            span_percent: knobs.float("span").ok(),
            dataset_bytes: stream.engine.knobs.int("size").ok(),
            headline: stream.headline,
        }
    }

    /// "random, 4 KiB, 70 % reads, at 5,000 ops/s, 25 % of 1 GiB from 50 %".
    pub fn in_words(&self) -> String {
        let mut parts = vec![self.workload.clone()];
        let weights: f64 = self.blocks.iter().map(|block| block.weight).sum();
        let size = |block: &BlockRow| match self.blocks.len() {
            1 => units::bytes(block.bytes),
            _ => {
                let share = units::significant(block.weight / weights * 100.0, 3);
                format!("{share} % of {}", units::bytes(block.bytes))
            }
        };
        if !self.blocks.is_empty() {
            let sizes: Vec<String> = self.blocks.iter().map(size).collect();
            parts.push(format!("blocks of {}", sizes.join(" and ")));
        }
        parts.extend(self.read_percent.map(|percent| format!("{percent} % reads")));
        let trims = self.trim_percent.filter(|percent| *percent > 0.0);
        parts.extend(trims.map(|percent| format!("{percent} % trims")));
        let threads = plural(self.threads as usize, "thread");
        parts.push(format!("{threads} with depth {}", self.depth));
        parts.extend((self.instances > 1).then(|| plural(self.instances as usize, "instance")));
        let rate = self.rate_ops_per_s.map(Rate::OpsPerSec);
        let rate = rate.or(self.rate_bytes_per_s.map(Rate::BytesPerSec));
        parts.push(rate.map_or("closed loop".to_string(), |rate| format!("at {rate}")));
        let buffered = self.direct == Some(false);
        parts.push(format!("{}{}", self.engine, if buffered { ", buffered" } else { "" }));
        parts.extend(self.range());
        parts.join(", ")
    }

    fn range(&self) -> Option<String> {
        self.dataset.as_ref()?;
        let of = match self.dataset_bytes? {
            0 => "the device".to_string(),
            bytes => units::bytes(bytes),
        };
        let (from, span) = (self.from_percent.unwrap_or(0.0), self.span_percent.unwrap_or(100.0));
        Some(match (from, span) {
            (0.0, 100.0) => format!("all of {of}"),
            (0.0, span) => format!("the first {span} % of {of}"),
            (from, span) => format!("{span} % of {of} from {from} %"),
        })
    }
}
