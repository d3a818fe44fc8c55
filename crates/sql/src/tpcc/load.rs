//! `tpcc_load`: creates and fills the nine tables, whole warehouses per worker.

use super::population::Population;
use super::schema::{TABLES, named};
use super::{SOURCE, WAREHOUSES};
use dyno_core::base::error::{Result, failed};
use dyno_core::measure::sql::{
    Committed, SqlError, SqlResult, SqlSession, Statements, TransactionScript, Transactions,
};
use dyno_core::measure::{AddressSpace, Op, OpGenerator};
use dyno_core::plan::{Info, Knobs, RequestFamily, Writes};
use dyno_core::record::Class;
use dyno_core::workload::{GeneratorInputs, TRANSACTION, Workload};

/// Warehouse and districts, ten batches of stock, ten districts' customers, ten districts' orders.
const OPS_OF_WAREHOUSE: u64 = 31;

/// The first worker loads the items before its warehouses.
const OPS_OF_ITEMS: u64 = 10;

/// The workload `tpcc_load`.
pub struct TpccLoad;

static INFO: Info = Info {
    name: "tpcc_load",
    summary: "creates and populates TPC-C's nine tables; finite, so it fills a dataset",
    family: RequestFamily::Sql,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[WAREHOUSES],
    source: SOURCE,
};

/// A new warehouse with its indexes, bytes.
const WAREHOUSE_BYTES: u64 = 90 << 20;

impl Workload for TpccLoad {
    fn fill_bytes(&self, knobs: &Knobs, _dataset: &Knobs) -> Option<u64> {
        Some(knobs.int("warehouses").ok()?.saturating_mul(WAREHOUSE_BYTES))
    }

    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![TRANSACTION]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        // A warehouse is about 75 MB of rows.
        Ok(75e6 / OPS_OF_WAREHOUSE as f64)
    }

    fn tables(&self, _knobs: &Knobs) -> Vec<String> {
        TABLES.iter().map(|table| table.name.to_string()).collect()
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let warehouses = share.dealt(share.knobs.int("warehouses")?);
        let items = if share.thread == 0 { OPS_OF_ITEMS } else { 0 };
        Ok(Box::new(Transactions { pass: Some(items + warehouses * OPS_OF_WAREHOUSE) }))
    }

    /// Tables whose number of rows is constant, and columns that no transaction writes.
    fn lasting(&self, knobs: &Knobs) -> Vec<String> {
        let last = knobs.int("warehouses").unwrap_or(1);
        let count = |of: String| format!("SELECT COUNT(*) FROM {of}");
        vec![
            count("warehouse".to_string()),
            count("item".to_string()),
            count(format!("district WHERE d_w_id = {last}")),
            count(format!("customer WHERE c_w_id = {last}")),
            count(format!("stock WHERE s_w_id = {last}")),
            "SELECT i_id, i_name, i_price FROM item WHERE i_id IN (1, 31622, 100000) ORDER BY i_id"
                .to_string(),
            format!(
                "SELECT c_id, c_first, c_last, c_phone FROM customer WHERE c_w_id = {last} AND \
                 c_d_id = 10 AND c_id IN (1, 1500, 3000) ORDER BY c_id"
            ),
        ]
    }

    fn script(&self, share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).datetime();
        Ok(Some(Box::new(TpccLoadScript {
            population: Population {
                seed: share.stream_seed,
                now: now.strftime("%Y-%m-%d %H:%M:%S").to_string(),
            },
            thread: u64::from(share.thread),
            threads: u64::from(share.threads),
            rows: Vec::new(),
        })))
    }
}

struct TpccLoadScript {
    /// The same for all threads: a warehouse's rows do not depend on the worker that loads it.
    population: Population,
    thread: u64,
    threads: u64,
    rows: Vec<(&'static str, String)>,
}

impl TransactionScript for TpccLoadScript {
    fn remedy(&self) -> &'static str {
        "check the server's log, the user's rights and the disk's free space"
    }

    /// The first worker creates the tables; the others wait, because all meet at a barrier
    /// afterwards.
    fn prepare(&mut self, session: &mut dyn SqlSession) -> Result<()> {
        if self.thread > 0 {
            return Ok(());
        }
        for table in &TABLES {
            let dialect = session.dialect();
            for sql in table.definition(dialect) {
                let made = session.run(&sql);
                made.map_err(|error| {
                    cannot_make(table.name, dialect.is_table_there(&error), &error)
                })?;
            }
        }
        Ok(())
    }

    fn stage(&mut self, op: &Op) {
        let mut n = op.at;
        if self.thread == 0 {
            if n < OPS_OF_ITEMS {
                self.rows = self.population.items(n);
                return;
            }
            n -= OPS_OF_ITEMS;
        }
        let warehouse = 1 + self.thread + n / OPS_OF_WAREHOUSE * self.threads;
        self.rows = match n % OPS_OF_WAREHOUSE {
            0 => self.population.warehouse(warehouse),
            part @ 1..=10 => self.population.stock(warehouse, part - 1),
            part @ 11..=20 => self.population.customers(warehouse, part - 10),
            part => self.population.orders(warehouse, part - 20),
        };
    }

    /// An op loads all of its rows or none, so that it can be retried.
    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed> {
        session.begin()?;
        for (table, rows) in &self.rows {
            session.load(table, &named(table).column_names(), rows.as_bytes())?;
        }
        session.commit()?;
        Ok(Committed {
            statements: Statements { reads: 0, writes: self.rows.len() as u32, other: 2 },
            hit: true,
        })
    }
}

/// An existing table may belong to someone else.
pub fn cannot_make(table: &str, is_there: bool, error: &SqlError) -> dyno_core::base::error::Error {
    let try_next = match is_there {
        true => &format!(
            "it was not touched; drop it (DROP TABLE {table}), or omit the dataset's fill to use it"
        ),
        false => "check the server's log, its free space, and the user's rights",
    };
    failed(format!("the table {table} cannot be made: {error}"), try_next)
}
