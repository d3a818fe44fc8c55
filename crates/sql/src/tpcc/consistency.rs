//! `tpcc_check`: all twelve consistency conditions of clause 3.3.2, at any time between
//! transactions.
//!
//! Condition 11 is specified for a newly loaded database: orders − new orders = 2,100 per district.
//! Every Delivery removes one new order and counts one delivery of a customer of that district, so
//! deliveries are subtracted here, and the condition also holds after a run; right after the load
//! it is the specification's own.

use super::SOURCE;
use dyno_core::base::error::Result;
use dyno_core::measure::sql::{
    Committed, SqlError, SqlResult, SqlSession, Statements, TransactionScript,
};
use dyno_core::measure::{AddressSpace, Op, OpGenerator, OpKind};
use dyno_core::plan::{Info, Knobs, RequestFamily, Writes};
use dyno_core::record::Class;
use dyno_core::workload::{GeneratorInputs, Workload};

/// A condition by its number in clause 3.3.2, and a query for violations: no rows, no violation.
///
/// If two large sets must agree, they are summed with opposite signs in one pass instead of joined:
/// a join of two grouped sets cannot use an index, and took MariaDB ten minutes for two warehouses.
pub static CONDITIONS: [(u32, &str); 12] = [
    (
        1,
        "SELECT w_id, w_ytd, s FROM warehouse JOIN (SELECT d_w_id, SUM(d_ytd) AS s FROM district \
         GROUP BY d_w_id) d ON d_w_id = w_id WHERE w_ytd <> s",
    ),
    (
        2,
        "SELECT d_w_id, d_id, d_next_o_id, mo, mn FROM district JOIN (SELECT o_w_id, o_d_id, \
         MAX(o_id) AS mo FROM orders GROUP BY o_w_id, o_d_id) o ON o_w_id = d_w_id AND o_d_id = \
         d_id LEFT JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) AS mn FROM new_order GROUP BY \
         no_w_id, no_d_id) n ON no_w_id = d_w_id AND no_d_id = d_id WHERE d_next_o_id - 1 <> mo OR \
         d_next_o_id - 1 <> COALESCE(mn, mo)",
    ),
    (
        3,
        "SELECT no_w_id, no_d_id FROM new_order GROUP BY no_w_id, no_d_id \
         HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)",
    ),
    (
        4,
        "SELECT o_w_id, o_d_id, c, n FROM (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS c FROM orders \
         GROUP BY o_w_id, o_d_id) o LEFT JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) AS n FROM \
         order_line GROUP BY ol_w_id, ol_d_id) l ON ol_w_id = o_w_id AND ol_d_id = o_d_id WHERE n \
         IS NULL OR c <> n",
    ),
    (
        5,
        "SELECT o_w_id, o_d_id, o_id FROM orders LEFT JOIN new_order ON no_w_id = o_w_id AND \
         no_d_id = o_d_id AND no_o_id = o_id WHERE (o_carrier_id IS NULL AND no_o_id IS NULL) OR \
         (o_carrier_id IS NOT NULL AND no_o_id IS NOT NULL)",
    ),
    (
        6,
        "SELECT w, d, o, SUM(n) FROM (SELECT o_w_id AS w, o_d_id AS d, o_id AS o, o_ol_cnt AS n \
         FROM orders UNION ALL SELECT ol_w_id, ol_d_id, ol_o_id, -1 FROM order_line) x GROUP BY w, \
         d, o HAVING SUM(n) <> 0",
    ),
    (
        7,
        "SELECT ol_w_id, ol_d_id, ol_o_id, ol_number FROM order_line JOIN orders ON o_w_id = \
         ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id WHERE (ol_delivery_d IS NULL AND \
         o_carrier_id IS NOT NULL) OR (ol_delivery_d IS NOT NULL AND o_carrier_id IS NULL)",
    ),
    (
        8,
        "SELECT w_id, w_ytd, s FROM warehouse LEFT JOIN (SELECT h_w_id, SUM(h_amount) AS s FROM \
         history GROUP BY h_w_id) h ON h_w_id = w_id WHERE s IS NULL OR w_ytd <> s",
    ),
    (
        9,
        "SELECT d_w_id, d_id, d_ytd, s FROM district LEFT JOIN (SELECT h_w_id, h_d_id, \
         SUM(h_amount) AS s FROM history GROUP BY h_w_id, h_d_id) h ON h_w_id = d_w_id AND h_d_id \
         = d_id WHERE s IS NULL OR d_ytd <> s",
    ),
    (
        10,
        "SELECT w, d, c, SUM(n) FROM (SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_balance AS n \
         FROM customer UNION ALL SELECT o_w_id, o_d_id, o_c_id, -ol_amount FROM order_line JOIN \
         orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id WHERE ol_delivery_d IS \
         NOT NULL UNION ALL SELECT h_c_w_id, h_c_d_id, h_c_id, h_amount FROM history) x GROUP BY \
         w, d, c HAVING SUM(n) <> 0",
    ),
    (
        11,
        "SELECT o_w_id, o_d_id, o, n, d FROM (SELECT o_w_id, o_d_id, COUNT(*) AS o FROM orders \
         GROUP BY o_w_id, o_d_id) x LEFT JOIN (SELECT no_w_id, no_d_id, COUNT(*) AS n FROM \
         new_order GROUP BY no_w_id, no_d_id) y ON no_w_id = o_w_id AND no_d_id = o_d_id JOIN \
         (SELECT c_w_id, c_d_id, SUM(c_delivery_cnt) AS d FROM customer GROUP BY c_w_id, c_d_id) z \
         ON c_w_id = o_w_id AND c_d_id = o_d_id WHERE o - COALESCE(n, 0) - d <> 2100",
    ),
    (
        12,
        "SELECT w, d, c, SUM(n) FROM (SELECT c_w_id AS w, c_d_id AS d, c_id AS c, c_balance + \
         c_ytd_payment AS n FROM customer UNION ALL SELECT o_w_id, o_d_id, o_c_id, -ol_amount FROM \
         order_line JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id WHERE \
         ol_delivery_d IS NOT NULL) x GROUP BY w, d, c HAVING SUM(n) <> 0",
    ),
];

/// The workload `tpcc_check`.
pub struct TpccCheck;

static INFO: Info = Info {
    name: "tpcc_check",
    summary: "checks TPC-C's twelve consistency conditions; a violation fails the point",
    family: RequestFamily::Sql,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[],
    source: SOURCE,
};

impl Workload for TpccCheck {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![Class::CHECK]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Err(super::no_bytes())
    }

    fn source(&self, _share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        Ok(Box::new(Checks))
    }

    fn script(&self, _share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        Ok(Some(Box::new(Check)))
    }
}

struct Checks;

impl OpGenerator for Checks {
    fn op(&mut self, n: u64) -> Op {
        Op { kind: OpKind::Transaction, class: 0, len: 0, at: n, salt: 0 }
    }
}

struct Check;

impl TransactionScript for Check {
    fn remedy(&self) -> &'static str {
        "the data are not consistent with TPC-C's transactions: drop the tables and load them \
         again, \
         and check the server's log"
    }

    fn prepare(&mut self, _session: &mut dyn SqlSession) -> Result<()> {
        Ok(())
    }

    fn stage(&mut self, _op: &Op) {}

    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed> {
        let warehouses = session.rows("SELECT w_id FROM warehouse")?;
        if warehouses.of(0).len() == 0 {
            return Err(SqlError::wrong("there is no warehouse: the database is empty"));
        }
        for (number, sql) in &CONDITIONS {
            let found = session.rows(&session.dialect().query(sql, Some(3), false))?;
            if found.of(0).len() > 0 {
                let found: Vec<_> = found.of(0).collect();
                let what = format!(
                    "consistency condition {number} (clause 3.3.2.{number}) is violated: {found:?}"
                );
                return Err(SqlError::wrong(what));
            }
        }
        Ok(Committed { statements: Statements { reads: 13, writes: 0, other: 0 }, hit: true })
    }
}
