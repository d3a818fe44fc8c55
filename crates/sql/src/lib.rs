//! Loads on SQL servers: the engines that start or reach a server and execute transactions, and
//! sysbench's OLTP, TPC-C and YCSB as workloads.

#![cfg_attr(not(test), warn(missing_docs))]

pub mod engine;
pub mod oltp;
pub mod tpcc;
pub mod ycsb;

use dyno_core::engine::Engine;
use dyno_core::workload::Workload;

/// The engines, in the order in which they are listed.
pub const ENGINES: [&dyn Engine; 3] =
    [&engine::mysql::MySql, &engine::postgres::Postgres, &engine::sqlserver::SqlServer];

/// The workloads, in the order in which they are listed.
pub const WORKLOADS: [&dyn Workload; 14] = [
    &oltp::load::OltpLoad,
    &oltp::mix::READ_WRITE,
    &oltp::mix::READ_ONLY,
    &oltp::mix::WRITE_ONLY,
    &oltp::mix::POINT_SELECT,
    &oltp::mix::UPDATE_INDEX,
    &oltp::mix::UPDATE_NON_INDEX,
    &oltp::mix::INSERT,
    &oltp::mix::DELETE,
    &ycsb::YcsbSqlLoad,
    &ycsb::YcsbSql,
    &tpcc::load::TpccLoad,
    &tpcc::Tpcc,
    &tpcc::consistency::TpccCheck,
];
