//! Tests by measurement: speeds, latencies, limits, power. One program with a module for each part,
//! whose tests run one at a time with nothing else (`scripts/test.py` ensures that).

mod act;
mod bench_beside_fio;
mod groups;
mod kv_cache;
mod labs;
mod limits;
mod meters;
mod outliers;
mod overload;
mod quiet;
mod replay;
mod replay_beside_fio;
mod selftest;
mod sessions;
mod terminals;
mod throttle;
mod traced;
mod truth;

#[path = "../support/mod.rs"]
mod support;
