//! RocksDB's own counters: its properties, which cost nothing during the load, and its statistics
//! if the plan enables them.

use rocksdb::statistics::Ticker;
use rocksdb::{DB, Options};

use crate::base::units;
use crate::record::Fact;

/// Running totals; a window's share is the difference between two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RocksCounters {
    flushed_bytes: f64,
    compaction_read_bytes: f64,
    compaction_written_bytes: f64,
    stall_seconds: f64,
    cache_hits: f64,
    cache_misses: f64,
    memtable_hits: f64,
}

const GB: f64 = 1_073_741_824.0;

impl RocksCounters {
    /// `options` are those with which the database was opened: they hold its statistics.
    pub fn read(db: &DB, options: &Options) -> RocksCounters {
        let stats = db
            .property_value("rocksdb.cfstats-no-file-histogram")
            .ok()
            .flatten()
            .unwrap_or_default();
        let all = db.property_value("rocksdb.dbstats").ok().flatten().unwrap_or_default();
        let mut counters = parse(&stats);
        counters.stall_seconds = stall_seconds(&all);
        let ticker = |ticker| options.get_ticker_count(ticker) as f64;
        counters.cache_hits = ticker(Ticker::BlockCacheHit);
        counters.cache_misses = ticker(Ticker::BlockCacheMiss);
        counters.memtable_hits = ticker(Ticker::MemtableHit);
        counters
    }

    /// Bytes of user data, and bytes written to files, since the database was opened; zeroes if
    /// statistics are off.
    pub fn written(options: &Options) -> Vec<(&'static str, u64)> {
        let ticker = |ticker| options.get_ticker_count(ticker);
        [
            ("user", ticker(Ticker::BytesWritten)),
            ("wal", ticker(Ticker::WalFileBytes)),
            ("flush", ticker(Ticker::FlushWriteBytes)),
            ("compaction", ticker(Ticker::CompactWriteBytes)),
        ]
        .into()
    }

    pub fn since(&self, before: &RocksCounters) -> RocksCounters {
        let part = |f: fn(&RocksCounters) -> f64| (f(self) - f(before)).max(0.0);
        RocksCounters {
            flushed_bytes: part(|c| c.flushed_bytes),
            compaction_read_bytes: part(|c| c.compaction_read_bytes),
            compaction_written_bytes: part(|c| c.compaction_written_bytes),
            stall_seconds: part(|c| c.stall_seconds),
            cache_hits: part(|c| c.cache_hits),
            cache_misses: part(|c| c.cache_misses),
            memtable_hits: part(|c| c.memtable_hits),
        }
    }

    /// The window's share, and the state at its end.
    pub fn facts(&self, db: &DB) -> Vec<Fact> {
        let fact = |name: &str, value: String| Fact::new("RocksDB", name, value);
        let size = |bytes: f64| units::bytes(bytes as u64);
        let mut facts = vec![
            fact("Flushed", size(self.flushed_bytes)),
            fact("Compaction read", size(self.compaction_read_bytes)),
            fact("Compaction written", size(self.compaction_written_bytes)),
            fact("Writes stalled", format!("{:.1} s", self.stall_seconds)),
            fact("Files by level", levels(db)),
        ];
        let looked_up = self.cache_hits + self.cache_misses;
        if looked_up > 0.0 {
            let share = 100.0 * self.cache_hits / looked_up;
            let of = units::grouped(looked_up as u64);
            facts.push(fact("Block cache hits", format!("{share:.2} % of {of} block look-ups")));
            facts.push(fact("Found in a memtable", units::grouped(self.memtable_hits as u64)));
        }
        let sst = db.property_int_value("rocksdb.total-sst-files-size").ok().flatten();
        facts.extend(sst.map(|bytes| fact("Table files", units::bytes(bytes))));
        let cache = db.property_int_value("rocksdb.block-cache-usage").ok().flatten();
        facts.extend(cache.map(|bytes| fact("Block cache in use", units::bytes(bytes))));
        facts
    }
}

/// "L0 2, L1 4, L2 31", without empty levels.
fn levels(db: &DB) -> String {
    let files = |level| {
        let count = db
            .property_value(format!("rocksdb.num-files-at-level{level}").as_str())
            .ok()
            .flatten()?;
        (count != "0").then(|| format!("L{level} {count}"))
    };
    (0..7).filter_map(files).collect::<Vec<_>>().join(", ")
}

/// The cumulative line of RocksDB's text: "Cumulative compaction: 1.23 GB write, 4.5 MB/s write,
/// 0.9 GB read, …", and "Flush(GB): cumulative 0.123, interval 0.000".
fn parse(stats: &str) -> RocksCounters {
    let number = |text: &str| {
        text.trim().split(' ').next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0)
    };
    let mut counters = RocksCounters::default();
    for line in stats.lines() {
        if let Some(rest) = line.strip_prefix("Cumulative compaction:") {
            for part in rest.split(',') {
                if part.ends_with("GB write") {
                    counters.compaction_written_bytes = number(part) * GB;
                } else if part.ends_with("GB read") {
                    counters.compaction_read_bytes = number(part) * GB;
                }
            }
        } else if let Some(rest) = line.strip_prefix("Flush(GB): cumulative") {
            counters.flushed_bytes = rest.split(',').next().map_or(0.0, number) * GB;
        }
    }
    counters
}

/// From "Cumulative stall: 00:00:1.234 H:M:S, 0.0 percent".
fn stall_seconds(stats: &str) -> f64 {
    let line = stats.lines().find_map(|l| l.strip_prefix("Cumulative stall:"));
    let clock = line.and_then(|l| l.trim().split(' ').next()).unwrap_or_default();
    clock
        .split(':')
        .filter_map(|part| part.parse::<f64>().ok())
        .fold(0.0, |total, part| total * 60.0 + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rocksdb_s_own_text_is_understood() {
        let text = "Flush(GB): cumulative 0.500, interval 0.000\n\
                    Cumulative compaction: 2.00 GB write, 4.50 MB/s write, 1.00 GB read, 2.2 MB/s \
                    read, 3.1 seconds";
        let counters = parse(text);
        assert_eq!(counters.flushed_bytes, 0.5 * GB);
        assert_eq!(
            (counters.compaction_written_bytes, counters.compaction_read_bytes),
            (2.0 * GB, GB)
        );
        assert_eq!(stall_seconds("Cumulative stall: 00:01:2.5 H:M:S, 0.1 percent"), 62.5);
    }

    #[test]
    fn the_bundled_version_is_known() {
        assert!(super::super::version().split('.').count() == 3, "{}", super::super::version());
    }
}
