//! sysbench's eight OLTP transactions.

use super::random::Ids;
use super::statements::{OltpTransaction, RandomChoices, VERBS, Verb};
use super::*;
use dyno_core::base::error::{Result, failed};
use dyno_core::base::rng::Seed;
use dyno_core::measure::sql::{
    Committed, ErrorClass, SqlError, SqlResult, SqlSession, StatementId, Statements,
    TransactionScript, Transactions,
};
use dyno_core::measure::{AddressSpace, Op, OpGenerator};
use dyno_core::plan::{Info, Knobs, RequestFamily, Writes};
use dyno_core::record::Class;
use dyno_core::workload::{GeneratorInputs, TRANSACTION, Workload};

/// PostgreSQL: another session has just inserted the row that this one deleted; sysbench ignores it
/// too.
const UNIQUE_VIOLATION: &str = "23505";

/// One of the eight transactions.
pub struct OltpMix {
    info: &'static Info,
    /// The single kind of statement of a transaction without BEGIN and COMMIT; None for the mixes.
    single: Option<Verb>,
    reads: bool,
    writes: bool,
}

const fn info(
    name: &'static str,
    summary: &'static str,
    writes: Writes,
    knobs: &'static [Knob],
) -> Info {
    Info { name, summary, family: RequestFamily::Sql, writes, max_depth: 1, knobs, source: SOURCE }
}

macro_rules! knobs {
    ($($knob:ident),*) => {
        &[
            TABLES, TABLE_SIZE, RAND_TYPE, RAND_SPEC_ITER, RAND_SPEC_PCT, RAND_SPEC_RES,
            RAND_PARETO_H, RAND_ZIPFIAN_EXP, $($knob),*
        ]
    };
}

static READ_WRITE_INFO: Info = info(
    "oltp_read_write",
    "10 selects by id, 4 of ranges, 2 updates, a delete and an insert in a transaction",
    Writes::Always,
    knobs![
        SKIP_TRX,
        POINT_SELECTS,
        RANGE_SELECTS,
        RANGE_SIZE,
        SIMPLE_RANGES,
        SUM_RANGES,
        ORDER_RANGES,
        DISTINCT_RANGES,
        INDEX_UPDATES,
        NON_INDEX_UPDATES,
        DELETE_INSERTS
    ],
);
static READ_ONLY_INFO: Info = info(
    "oltp_read_only",
    "10 selects by id and 4 of ranges in a transaction",
    Writes::Never,
    knobs![
        SKIP_TRX,
        POINT_SELECTS,
        RANGE_SELECTS,
        RANGE_SIZE,
        SIMPLE_RANGES,
        SUM_RANGES,
        ORDER_RANGES,
        DISTINCT_RANGES
    ],
);
static WRITE_ONLY_INFO: Info = info(
    "oltp_write_only",
    "2 updates, a delete and an insert in a transaction",
    Writes::Always,
    knobs![SKIP_TRX, INDEX_UPDATES, NON_INDEX_UPDATES, DELETE_INSERTS],
);
static POINT_SELECT_INFO: Info =
    info("oltp_point_select", "one select by id", Writes::Never, knobs![]);
static UPDATE_INDEX_INFO: Info = info(
    "oltp_update_index",
    "updates of the indexed column by id",
    Writes::Always,
    knobs![INDEX_UPDATES],
);
static UPDATE_NON_INDEX_INFO: Info = info(
    "oltp_update_non_index",
    "updates of a column without index by id",
    Writes::Always,
    knobs![NON_INDEX_UPDATES],
);
static INSERT_INFO: Info =
    info("oltp_insert", "one insert, with an id that the server gives", Writes::Always, knobs![]);
static DELETE_INFO: Info =
    info("oltp_delete", "one delete by id, of a row that may be gone", Writes::Always, knobs![]);

const fn single(info: &'static Info, verb: Verb) -> OltpMix {
    OltpMix { info, single: Some(verb), reads: false, writes: false }
}

/// sysbench's oltp_read_write.lua.
pub static READ_WRITE: OltpMix =
    OltpMix { info: &READ_WRITE_INFO, single: None, reads: true, writes: true };
/// sysbench's oltp_read_only.lua.
pub static READ_ONLY: OltpMix =
    OltpMix { info: &READ_ONLY_INFO, single: None, reads: true, writes: false };
/// sysbench's oltp_write_only.lua.
pub static WRITE_ONLY: OltpMix =
    OltpMix { info: &WRITE_ONLY_INFO, single: None, reads: false, writes: true };
/// sysbench's oltp_point_select.lua.
pub static POINT_SELECT: OltpMix = single(&POINT_SELECT_INFO, Verb::PointSelect);
/// sysbench's oltp_update_index.lua.
pub static UPDATE_INDEX: OltpMix = single(&UPDATE_INDEX_INFO, Verb::IndexUpdate);
/// sysbench's oltp_update_non_index.lua.
pub static UPDATE_NON_INDEX: OltpMix = single(&UPDATE_NON_INDEX_INFO, Verb::NonIndexUpdate);
/// sysbench's oltp_insert.lua.
pub static INSERT: OltpMix = single(&INSERT_INFO, Verb::Append);
/// sysbench's oltp_delete.lua.
pub static DELETE: OltpMix = single(&DELETE_INFO, Verb::Delete);

impl OltpMix {
    /// The number of statements of a transaction by kind, in sysbench's order.
    fn counts(&self, knobs: &Knobs) -> Result<Vec<(Verb, u64)>> {
        if let Some(verb) = self.single {
            let count = match verb {
                Verb::IndexUpdate => knobs.int("index_updates")?,
                Verb::NonIndexUpdate => knobs.int("non_index_updates")?,
                _ => 1,
            };
            return Ok(vec![(verb, count)]);
        }
        let mut counts = Vec::new();
        if self.reads {
            counts.push((Verb::PointSelect, knobs.int("point_selects")?));
            if knobs.flag("range_selects")? {
                counts.push((Verb::SimpleRange, knobs.int("simple_ranges")?));
                counts.push((Verb::SumRange, knobs.int("sum_ranges")?));
                counts.push((Verb::OrderRange, knobs.int("order_ranges")?));
                counts.push((Verb::DistinctRange, knobs.int("distinct_ranges")?));
            }
        }
        if self.writes {
            counts.push((Verb::IndexUpdate, knobs.int("index_updates")?));
            counts.push((Verb::NonIndexUpdate, knobs.int("non_index_updates")?));
            // A delete means a delete and an insert.
            counts.push((Verb::Delete, knobs.int("delete_inserts")?));
        }
        Ok(counts)
    }
}

impl Workload for OltpMix {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![TRANSACTION]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Err(failed("a rate in bytes means nothing for transactions", "give the rate as \"100/s\""))
    }

    fn as_filled(&self) -> &'static [&'static str] {
        &["tables", "table_size"]
    }

    fn source(&self, _share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        Ok(Box::new(Transactions { pass: None }))
    }

    fn script(&self, share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        let knobs = share.knobs;
        let counts = self.counts(knobs)?;
        let most = counts.iter().map(|(_, n)| 2 * *n as usize).sum();
        Ok(Some(Box::new(MixScript {
            seed: share.seed,
            checks_size: share.thread == 0 && self.single != Some(Verb::Delete),
            pairs: self.single.is_none(),
            trx: self.single.is_none() && !knobs.flag("skip_trx")?,
            range_size: if self.reads { knobs.int("range_size")? as i64 } else { 0 },
            ids: Ids::of(knobs)?,
            tables: knobs.int("tables")?,
            table_size: knobs.int("table_size")?,
            counts,
            prepared: Vec::new(),
            transaction: OltpTransaction::with_capacity(most),
            driver: SysbenchDriver::default(),
        })))
    }
}

struct MixScript {
    seed: Seed,
    checks_size: bool,
    /// A delete is followed by the insert of the same row.
    pairs: bool,
    trx: bool,
    range_size: i64,
    ids: Ids,
    tables: u64,
    table_size: u64,
    counts: Vec<(Verb, u64)>,
    prepared: Vec<[Option<StatementId>; VERBS]>,
    transaction: OltpTransaction,
    /// Set when prepared.
    driver: SysbenchDriver,
}

impl MixScript {
    fn prepare_all(&mut self, session: &mut dyn SqlSession) -> SqlResult<()> {
        for table in 1..=self.tables {
            let mut statements = [None; VERBS];
            for &(verb, _) in &self.counts {
                statements[verb as usize] = Some(session.prepare(&verb.sql(table, self.driver))?);
                if verb == Verb::Delete && self.pairs {
                    statements[Verb::Insert as usize] =
                        Some(session.prepare(&Verb::Insert.sql(table, self.driver))?);
                }
            }
            self.prepared.push(statements);
        }
        Ok(())
    }
}

impl TransactionScript for MixScript {
    fn remedy(&self) -> &'static str {
        "check that the dataset is the one that the workload's tables and table_size describe, and \
         the disk's free space"
    }

    fn prepare(&mut self, session: &mut dyn SqlSession) -> Result<()> {
        let tables = self.tables;
        let unsuitable = |cause: String| {
            let what =
                format!("the database does not have {tables} tables in sysbench's layout: {cause}");
            failed(
                what,
                "fill the dataset with oltp_load, and give it and the workload the same tables and \
                 table_size",
            )
        };
        self.driver = driver_for(session.dialect())?;
        self.prepare_all(session).map_err(|error| unsuitable(error.to_string()))?;
        if self.checks_size {
            let rows = session.rows(&format!("SELECT MAX(id) FROM sbtest{tables}"));
            let most = rows.map_err(|error| unsuitable(error.to_string()))?;
            let most = most.first(0).and_then(|row| row.at(0).int().ok()).unwrap_or(0);
            if most < self.table_size as i64 {
                return Err(unsuitable(format!(
                    "sbtest{tables} ends at id {most}, not {}",
                    self.table_size
                )));
            }
        }
        Ok(())
    }

    fn stage(&mut self, op: &Op) {
        let mut rng = self.seed.at(op.at);
        self.transaction.clear();
        for &(verb, count) in &self.counts {
            // One table for all statements of a kind.
            let table = 1 + rng.below(self.tables);
            let (ids, table_size) = (&self.ids, self.table_size);
            let mut draw = RandomChoices { table, rng: &mut rng, ids, table_size };
            if verb == Verb::Delete && self.pairs {
                (0..count).for_each(|_| self.transaction.add_delete_insert(&mut draw));
            } else {
                self.transaction.add(verb, count, self.range_size, &mut draw);
            }
        }
    }

    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed> {
        if self.trx {
            session.begin()?;
        }
        self.transaction.send(session, &self.prepared).map_err(passed_over)?;
        if self.trx {
            session.commit().map_err(passed_over)?;
        }
        let (reads, writes) = (self.transaction.reads, self.transaction.writes);
        Ok(Committed {
            statements: Statements { reads, writes, other: if self.trx { 2 } else { 0 } },
            hit: true,
        })
    }
}

fn passed_over(error: SqlError) -> SqlError {
    if error.code == UNIQUE_VIOLATION {
        SqlError { trouble: ErrorClass::Retry, ..error }
    } else {
        error
    }
}
