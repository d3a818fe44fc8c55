//! sysbench's OLTP workloads, version 1.0.20: its tables, transactions, statements and random
//! numbers (akopytov/sysbench, src/lua/oltp_common.lua and oltp_*.lua, src/sb_rand.c), so that each
//! tool can use the other's tables.

pub mod load;
pub mod mix;
mod random;
mod rows;
mod statements;

use dyno_core::base::error::{Result, failed};
use dyno_core::measure::sql::{Dialect, SysbenchDriver};
use dyno_core::plan::{DefaultValue, Knob, KnobKind};

const SOURCE: &str = "akopytov/sysbench 1.0.20, src/lua/oltp_common.lua";

/// sysbench's driver for a server.
fn driver_for(dialect: &dyn Dialect) -> Result<SysbenchDriver> {
    dialect.sysbench().ok_or_else(|| {
        failed(
            format!(
                "sysbench's OLTP is not defined for {0}: sysbench has no driver for it",
                dialect.name()
            ),
            "use the workload tpcc, or a server of MySQL's family or PostgreSQL",
        )
    })
}

const TABLES: Knob = Knob {
    name: "tables",
    kind: KnobKind::Int { min: 1, max: 100_000 },
    default: DefaultValue::Is("1"),
    doc: "Tables: sbtest1, sbtest2 …",
};

const TABLE_SIZE: Knob = Knob {
    name: "table_size",
    kind: KnobKind::Int { min: 1, max: 2_000_000_000 },
    default: DefaultValue::Is("10000"),
    doc: "Rows of each table.",
};

const fn count(name: &'static str, default: &'static str, doc: &'static str) -> Knob {
    Knob {
        name,
        kind: KnobKind::Int { min: 0, max: 100_000 },
        default: DefaultValue::Is(default),
        doc,
    }
}

const fn flag(name: &'static str, default: &'static str, doc: &'static str) -> Knob {
    Knob { name, kind: KnobKind::Bool, default: DefaultValue::Is(default), doc }
}

const RAND_TYPE: Knob = Knob {
    name: "rand_type",
    kind: KnobKind::Choice(&["special", "uniform", "gaussian", "pareto", "zipfian"]),
    default: DefaultValue::Is("\"special\""),
    doc: "How ids are drawn; sysbench 1.0.20's default is special, that of later versions uniform.",
};

const RAND_SPEC_ITER: Knob = count(
    "rand_spec_iter",
    "12",
    "special and gaussian: number of uniform draws that are averaged, at least 1.",
);

const RAND_SPEC_PCT: Knob = count(
    "rand_spec_pct",
    "1",
    "special: the percent of ids, in the middle, that special draws fall on.",
);

const RAND_SPEC_RES: Knob =
    count("rand_spec_res", "75", "special: the percent of draws that are special, below 100.");

const RAND_PARETO_H: Knob = Knob {
    name: "rand_pareto_h",
    kind: KnobKind::Float { min: 0.001, max: 0.999 },
    default: DefaultValue::Is("0.2"),
    doc: "pareto: this share of the ids gets the rest of the draws.",
};

const RAND_ZIPFIAN_EXP: Knob = Knob {
    name: "rand_zipfian_exp",
    kind: KnobKind::Float { min: 0.0, max: 10.0 },
    default: DefaultValue::Is("0.8"),
    doc: "zipfian: how fast popularity falls with the id.",
};

const RANGE_SIZE: Knob = count("range_size", "100", "Ids that a range select spans.");
const POINT_SELECTS: Knob = count("point_selects", "10", "Selects by id in a transaction.");
const RANGE_SELECTS: Knob = flag("range_selects", "true", "Whether to execute range selects.");
const SIMPLE_RANGES: Knob = count("simple_ranges", "1", "Selects of a range in a transaction.");
const SUM_RANGES: Knob = count("sum_ranges", "1", "Sums over a range in a transaction.");
const ORDER_RANGES: Knob =
    count("order_ranges", "1", "Selects of a range in order in a transaction.");
const DISTINCT_RANGES: Knob =
    count("distinct_ranges", "1", "Selects of a range's distinct values in a transaction.");
const INDEX_UPDATES: Knob =
    count("index_updates", "1", "Updates of the indexed column in a transaction.");
const NON_INDEX_UPDATES: Knob =
    count("non_index_updates", "1", "Updates of a column without index in a transaction.");
const DELETE_INSERTS: Knob =
    count("delete_inserts", "1", "Rows deleted and inserted again in a transaction.");
const SKIP_TRX: Knob =
    flag("skip_trx", "false", "Statements on their own, without BEGIN and COMMIT.");
