//! The built-in protocols and comparisons: the files in `plans/`, compiled into the program.

/// (name, TOML), in display order.
static ALL: &[(&str, &str)] = &[
    ("demo", include_str!("../../../../plans/demo.toml")),
    ("quick", include_str!("../../../../plans/quick.toml")),
    ("block-basics", include_str!("../../../../plans/block-basics.toml")),
    ("sync-writes", include_str!("../../../../plans/sync-writes.toml")),
    ("compression", include_str!("../../../../plans/compression.toml")),
    ("powercut", include_str!("../../../../plans/powercut.toml")),
    ("mysql-oltp", include_str!("../../../../plans/mysql-oltp.toml")),
    ("tpcc", include_str!("../../../../plans/tpcc.toml")),
    ("tpcc-postgres", include_str!("../../../../plans/tpcc-postgres.toml")),
    ("tpcc-sqlserver", include_str!("../../../../plans/tpcc-sqlserver.toml")),
    ("rocksdb-threads", include_str!("../../../../plans/rocksdb-threads.toml")),
    ("ycsb", include_str!("../../../../plans/ycsb.toml")),
    ("ycsb-mysql", include_str!("../../../../plans/ycsb-mysql.toml")),
    ("ycsb-postgres", include_str!("../../../../plans/ycsb-postgres.toml")),
    ("vector-search", include_str!("../../../../plans/vector-search.toml")),
    ("vdbench-profiles", include_str!("../../../../plans/vdbench-profiles.toml")),
    ("write-pressure", include_str!("../../../../plans/write-pressure.toml")),
    ("write-cost", include_str!("../../../../plans/write-cost.toml")),
    ("placement", include_str!("../../../../plans/placement.toml")),
    ("noisy-neighbour", include_str!("../../../../plans/noisy-neighbour.toml")),
    ("act", include_str!("../../../../plans/act.toml")),
    ("snia-iops", include_str!("../../../../plans/snia-iops.toml")),
    ("snia-throughput", include_str!("../../../../plans/snia-throughput.toml")),
    ("snia-latency", include_str!("../../../../plans/snia-latency.toml")),
    ("snia-wsat", include_str!("../../../../plans/snia-wsat.toml")),
    ("kv-cache", include_str!("../../../../plans/kv-cache.toml")),
    ("checkpoint", include_str!("../../../../plans/checkpoint.toml")),
    ("training-read", include_str!("../../../../plans/training-read.toml")),
    ("trace-replay", include_str!("../../../../plans/trace-replay.toml")),
    ("selftest", include_str!("../../../../plans/selftest.toml")),
    ("ceiling", include_str!("../../../../plans/ceiling.toml")),
];

/// The same for comparisons: lists of protocols.
static COMPARISONS: &[(&str, &str)] = &[
    ("head-to-head", include_str!("../../../../plans/head-to-head.toml")),
    ("rocksdb-brief", include_str!("../../../../plans/rocksdb-brief.toml")),
];

/// Every built-in comparison: its name, and its text.
pub fn comparisons() -> &'static [(&'static str, &'static str)] {
    COMPARISONS
}

/// Every built-in protocol: its name, and its text.
pub fn protocols() -> &'static [(&'static str, &'static str)] {
    ALL
}
