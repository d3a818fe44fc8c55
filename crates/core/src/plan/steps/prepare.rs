//! `[prepare]`: the preparation of each drive before its points, in this order: purge, namespaces,
//! filesystem, fills of its datasets, loads for a time or a number of passes, and rounds of a load
//! until it is steady.

use crate::plan::model::preparation::{METRICS, PURGES};
use crate::plan::model::{
    Filesystem, FilesystemKind, Purge, Steady, SteadyMetric, SteadyRule, Stream,
};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::{Node, NodeValue};

/// The specification stops after 25 rounds of a minute.
const ROUNDS: u32 = 25;
const ROUND_NS: u64 = 60_000_000_000;
/// More rounds than anyone waits for.
const MOST_ROUNDS: u32 = 10_000;

/// The number of namespaces per drive: several, since one is normal.
pub fn namespaces(node: &Node, log: &mut Mistakes) -> Option<u32> {
    fields::whole(node, 2, 1024, log).map(|n| n as u32)
}

pub fn purge(node: &Node, log: &mut Mistakes) -> Option<Purge> {
    let word = fields::choice(node, &PURGES.map(|p| p.0), log)?;
    PURGES.iter().find(|p| p.0 == word).map(|p| p.1)
}

/// Whether the volatile write cache is to be on.
pub fn write_cache(node: &Node, log: &mut Mistakes) -> Option<bool> {
    fields::choice(node, &["on", "off"], log).map(|word| word == "on")
}

/// `"xfs"`, or `{ kind = "xfs", mkfs = ["-K"], mount = "noatime,discard" }`.
pub fn filesystem(node: &Node, log: &mut Mistakes) -> Option<Filesystem> {
    let kind_of = |node: &Node, log: &mut Mistakes| {
        let kinds = [FilesystemKind::Xfs, FilesystemKind::Ext4];
        let word = fields::choice(node, &kinds.map(FilesystemKind::name), log)?;
        kinds.into_iter().find(|k| k.name() == word)
    };
    if let NodeValue::Text(_) = node.value {
        let kind = kind_of(node, log)?;
        return Some(Filesystem { kind, mkfs: Vec::new(), mount: "noatime".to_string() });
    }
    let mut table = Fields::of(node, "a filesystem", log)?;
    let kind = table.need("kind", "\"xfs\"", log);
    let mkfs =
        table.get("mkfs").map(|n| fields::list(n, "arguments of mkfs", log)).unwrap_or_default();
    let mount = table.get("mount").map_or(Some("noatime".to_string()), |n| fields::text(n, log));
    table.finish(log);
    let mkfs = mkfs.iter().filter_map(|n| fields::text(n, log)).collect();
    Some(Filesystem { kind: kind_of(kind?, log)?, mkfs, mount: mount? })
}

/// The keys of `steady` that are not its stream's. The caller reads the stream from the same table
/// and finishes it.
pub struct SteadyKeys {
    metric: SteadyMetric,
    round_ns: u64,
    most_rounds: u32,
    rule: SteadyRule,
}

impl SteadyKeys {
    pub fn read(table: &mut Fields<'_>, log: &mut Mistakes) -> Option<SteadyKeys> {
        let usual = SteadyRule::default();
        let metric = table
            .get("metric")
            .map_or(Some("iops"), |n| fields::choice(n, &METRICS.map(|m| m.0), log));
        let round_ns = table.get("round").map_or(Some(ROUND_NS), |n| fields::some_time_ns(n, log));
        let rounds_node = table.get("rounds");
        let most_rounds = rounds_node.map_or(Some(ROUNDS), |n| fields::count(n, MOST_ROUNDS, log));
        let window = table
            .get("window")
            .map_or(Some(usual.window as u64), |n| fields::whole(n, 2, 1000, log));
        let excursion = table
            .get("excursion")
            .map_or(Some(usual.excursion), |n| fields::number(n, 0.0, 1.0, log));
        let slope =
            table.get("slope").map_or(Some(usual.slope), |n| fields::number(n, 0.0, 1.0, log));
        let metric = METRICS.iter().find(|m| Some(m.0) == metric).map(|m| m.1);
        let rule = SteadyRule { window: window? as usize, excursion: excursion?, slope: slope? };
        let keys =
            SteadyKeys { metric: metric?, round_ns: round_ns?, most_rounds: most_rounds?, rule };
        if let (Some(node), true) = (rounds_node, (keys.most_rounds as usize) < rule.window) {
            let message =
                format!("{} rounds never fill a window of {}", keys.most_rounds, rule.window);
            log.note(node.at, message, "too few", "permit more rounds, or reduce the window");
        }
        Some(keys)
    }

    pub fn with(self, stream: Stream) -> Steady {
        let SteadyKeys { metric, round_ns, most_rounds, rule } = self;
        Steady { stream, metric, round_ns, most_rounds, rule }
    }
}
