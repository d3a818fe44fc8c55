//! `oltp_load`: creates and fills sysbench's tables, whole tables per worker: created, loaded in
//! bulk, then indexed.

use super::rows::{C_GROUPS, PAD_GROUPS, push_groups};
use super::{SOURCE, TABLE_SIZE, TABLES, driver_for};
use dyno_core::base::error::Result;
use dyno_core::base::rng::Seed;
use dyno_core::measure::sql::{
    Committed, SqlError, SqlResult, SqlSession, Statements, SysbenchDriver, TransactionScript,
    Transactions,
};
use dyno_core::measure::{AddressSpace, Op, OpGenerator};
use dyno_core::plan::{Info, Knobs, RequestFamily, Writes};
use dyno_core::record::Class;
use dyno_core::workload::{GeneratorInputs, TRANSACTION, Workload};

/// Rows per batch: about 2 MB.
const BATCH: u64 = 10_000;

/// The workload `oltp_load`.
pub struct OltpLoad;

static INFO: Info = Info {
    name: "oltp_load",
    summary: "creates, loads and indexes sysbench's tables; finite, so it fills a dataset",
    family: RequestFamily::Sql,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[TABLES, TABLE_SIZE],
    source: SOURCE,
};

/// Bytes per row of a `sbtest` table, with its index: measured on MariaDB and PostgreSQL, which
/// differ by a tenth.
const ROW_BYTES: u64 = 220;

impl Workload for OltpLoad {
    fn fill_bytes(&self, knobs: &Knobs, _dataset: &Knobs) -> Option<u64> {
        let rows = knobs.int("tables").ok()?.saturating_mul(knobs.int("table_size").ok()?);
        Some(rows.saturating_mul(ROW_BYTES))
    }

    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![TRANSACTION]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Ok(BATCH as f64 * 200.0)
    }

    fn tables(&self, knobs: &Knobs) -> Vec<String> {
        (1..=knobs.int("tables").unwrap_or(1)).map(|n| format!("sbtest{n}")).collect()
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let tables = share.dealt(share.knobs.int("tables")?);
        Ok(Box::new(Transactions {
            pass: Some(tables * ops_of_table(share.knobs.int("table_size")?)),
        }))
    }

    /// Its loads insert, delete and update rows; the tables remain.
    fn lasting(&self, knobs: &Knobs) -> Vec<String> {
        let tables = knobs.int("tables").unwrap_or(1);
        let some = |n: u64| format!("SELECT 1 FROM sbtest{n} WHERE id < 0");
        [1, tables, tables + 1].map(some).to_vec()
    }

    fn script(&self, share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        Ok(Some(Box::new(OltpLoadScript {
            seed: share.stream_seed,
            thread: u64::from(share.thread),
            threads: u64::from(share.threads),
            table_size: share.knobs.int("table_size")?,
            step: LoadStep::Create,
            table: 0,
            rows: String::with_capacity(BATCH as usize * 200),
            driver: SysbenchDriver::default(),
        })))
    }
}

/// Creation, batches, index.
fn ops_of_table(table_size: u64) -> u64 {
    table_size.div_ceil(BATCH) + 2
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LoadStep {
    Create,
    Rows,
    Index,
}

struct OltpLoadScript {
    /// The same for all threads: a table's rows do not depend on the worker that loads it.
    seed: Seed,
    thread: u64,
    threads: u64,
    table_size: u64,
    step: LoadStep,
    table: u64,
    rows: String,
    /// Set when prepared.
    driver: SysbenchDriver,
}

impl OltpLoadScript {
    fn definition(&self) -> String {
        let SysbenchDriver { id_type, table_end, .. } = self.driver;
        format!(
            "CREATE TABLE sbtest{}(id {id_type}, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) \
             DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) {table_end}",
            self.table
        )
    }

    fn columns(&self) -> &'static str {
        if self.driver.gives_ids { "id, k, c, pad" } else { "k, c, pad" }
    }

    fn make_rows(&mut self, first: u64, last: u64) {
        use std::fmt::Write;
        self.rows.clear();
        for id in first..=last {
            let mut rng = self.seed.at(self.table << 32 | id);
            let k = 1 + rng.below(self.table_size);
            // Writing to a string cannot fail.
            let _ = match self.driver.gives_ids {
                true => write!(self.rows, "{id}\t{k}\t"),
                false => write!(self.rows, "{k}\t"),
            };
            push_groups(C_GROUPS, &mut rng, &mut self.rows);
            self.rows.push('\t');
            push_groups(PAD_GROUPS, &mut rng, &mut self.rows);
            self.rows.push('\n');
        }
    }
}

impl TransactionScript for OltpLoadScript {
    fn remedy(&self) -> &'static str {
        "check the server's log, the user's rights and the disk's free space"
    }

    fn prepare(&mut self, session: &mut dyn SqlSession) -> Result<()> {
        self.driver = driver_for(session.dialect())?;
        Ok(())
    }

    fn stage(&mut self, op: &Op) {
        let ops = ops_of_table(self.table_size);
        self.table = 1 + self.thread + op.at / ops * self.threads;
        let step = op.at % ops;
        self.step = match step {
            0 => LoadStep::Create,
            _ if step == ops - 1 => LoadStep::Index,
            _ => LoadStep::Rows,
        };
        if self.step == LoadStep::Rows {
            let first = 1 + (step - 1) * BATCH;
            self.make_rows(first, (first + BATCH - 1).min(self.table_size));
        }
    }

    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed> {
        let table = format!("sbtest{}", self.table);
        match self.step {
            LoadStep::Create => {
                let dialect = session.dialect();
                session
                    .run(&self.definition())
                    .map_err(|error| exists(&table, dialect.is_table_there(&error), error))?
            }
            LoadStep::Rows => {
                session.load(&table, self.columns(), self.rows.as_bytes())?;
            }
            LoadStep::Index => {
                session.run(&format!("CREATE INDEX k_{0} ON sbtest{0}(k)", self.table))?
            }
        }
        Ok(Committed { statements: Statements { reads: 0, writes: 1, other: 0 }, hit: true })
    }
}

/// An existing table may belong to someone else.
fn exists(table: &str, is_there: bool, error: SqlError) -> SqlError {
    if !is_there {
        return error;
    }
    let message = format!(
        "the table {table} already exists and was not touched; drop it, or omit the dataset's \
         fill to use it"
    );
    SqlError { message, ..error }
}
