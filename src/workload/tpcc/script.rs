//! The five transactions over a session (clauses 2.4.2 to 2.8.2).
//!
//! Rows are locked before they are read for writing, and in Delivery an order is written before it is read, because a
//! snapshot taken for an earlier district may be older than the order.

use std::time::{SystemTime, UNIX_EPOCH};

use super::inputs::{Drawer, Inputs, Line, Who};
use super::statements::{Fixed, Several};
use crate::base::error::{Result, anyhow};
use crate::load::Op;
use crate::load::sql::{
    Committed, Param, Row, Script, Session, SqlError, SqlResult, Statement, Statements, decimal_text, refused,
};

/// Clause 2.5.2.2: C_DATA keeps its first 500 characters.
const DATA: usize = 500;

pub struct TpccScript {
    drawer: Drawer,
    per_warehouse: u64,
    prepared: Option<(Fixed, Several)>,
    staged: Option<Inputs>,
    now: Param<'static>,
}

/// Prepared statements and the session they belong to, while a transaction runs.
struct Transaction<'a> {
    session: &'a mut dyn Session,
    fixed: &'a Fixed,
    several: &'a Several,
    now: Param<'static>,
    sent: Statements,
}

impl TpccScript {
    pub fn new(drawer: Drawer, per_warehouse: u64) -> TpccScript {
        TpccScript { drawer, per_warehouse, prepared: None, staged: None, now: Param::Null }
    }
}

impl Script for TpccScript {
    fn prepare(&mut self, session: &mut dyn Session) -> Result<()> {
        let refuse = |error: SqlError| refused("preparing TPC-C's statements (are its tables there?)", &error);
        let loaded = session.rows("SELECT COUNT(*) FROM warehouse").map_err(refuse)?;
        let loaded = loaded.first().and_then(|row| row.first()).map(|n| n.int()).transpose().map_err(refuse)?;
        if loaded != Some(self.drawer.warehouses as i64) {
            let (there, wanted) = (loaded.unwrap_or(0), self.drawer.warehouses);
            return Err(anyhow!("the database has {there} warehouses, the workload asks for {wanted}"));
        }
        session.always_in_transaction().map_err(refuse)?;
        self.prepared = Some((Fixed::prepare(session).map_err(refuse)?, Several::prepare(session).map_err(refuse)?));
        Ok(())
    }

    fn stage(&mut self, op: &Op) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Whole seconds: the columns of all dialects keep those alike.
        self.now = Param::Time { unix_us: since.as_secs() as i64 * 1_000_000 };
        self.staged = Some(TpccScript::inputs_of(&self.drawer, self.per_warehouse, op));
    }

    fn run(&mut self, session: &mut dyn Session) -> SqlResult<Committed> {
        let (Some((fixed, several)), Some(inputs)) = (&self.prepared, &self.staged) else {
            return Err(SqlError::wrong("a transaction was run before it was prepared"));
        };
        if let Inputs::Delivery { queued: true, .. } = inputs {
            // Clause 2.7.2: the terminal has its answer as soon as the request is in the queue.
            return Ok(Committed { statements: Statements::default(), hit: true });
        }
        let mut at = Transaction { session, fixed, several, now: self.now, sent: Statements::default() };
        at.session.begin()?;
        let committed = match inputs {
            Inputs::NewOrder { warehouse, district, customer, lines } => {
                at.new_order(*warehouse, *district, *customer, lines)?
            }
            Inputs::Payment { .. } => at.payment(inputs)?,
            Inputs::OrderStatus { warehouse, district, who } => at.order_status(*warehouse, *district, who)?,
            Inputs::Delivery { warehouse, carrier, .. } => at.delivery(*warehouse, *carrier)?,
            Inputs::StockLevel { warehouse, district, threshold } => {
                at.stock_level(*warehouse, *district, *threshold)?
            }
        };
        if committed {
            at.session.commit()?
        } else {
            at.session.rollback()?
        }
        at.sent.other += 2;
        Ok(Committed { statements: at.sent, hit: committed })
    }
}

/// An order's line on its way into the database.
struct Placed {
    line: Line,
    number: usize,
    cents: i64,
    dist: String,
}

use Param::Int;

impl Transaction<'_> {
    fn query(&mut self, statement: Statement, params: &[Param<'_>]) -> SqlResult<Vec<Row>> {
        self.sent.reads += 1;
        self.session.query(statement, params)
    }

    /// The one row that must be there.
    fn row(&mut self, what: &str, statement: Statement, params: &[Param<'_>]) -> SqlResult<Row> {
        let rows = self.query(statement, params)?;
        rows.into_iter().next().ok_or_else(|| SqlError::wrong(format!("{what} is not in the database: {params:?}")))
    }

    fn write(&mut self, statement: Statement, params: &[Param<'_>]) -> SqlResult<u64> {
        self.sent.writes += 1;
        self.session.execute(statement, params)
    }

    /// Writes that need nothing of each other's answers.
    fn write_all(&mut self, all: &[(Statement, &[Param<'_>])]) -> SqlResult<()> {
        self.sent.writes += all.len() as u32;
        self.session.execute_all(all)
    }

    /// Clause 2.4.2.2. False: an item that there is not, so all is rolled back (clause 2.4.2.3).
    fn new_order(&mut self, w: i64, d: i64, c: i64, lines: &[Line]) -> SqlResult<bool> {
        let customer = [Int(w), Int(d), Int(c)];
        self.row("the customer", self.fixed.customer_and_warehouse, &customer)?;
        let district = self.row("the district", self.fixed.next_order, &[Int(w), Int(d)])?;
        let order = district[0].int()?;
        let local = lines.iter().all(|l| l.supply_warehouse == w);
        let (count, now) = (lines.len() as i64, self.now);
        let row = [Int(order), Int(d), Int(w), Int(c), now, Int(count), Int(i64::from(local))];
        self.write_all(&[
            (self.fixed.take_order, &[Int(order + 1), Int(w), Int(d)]),
            (self.fixed.insert_order, &row),
            (self.fixed.insert_new_order, &[Int(order), Int(d), Int(w)]),
        ])?;
        let ids: Vec<Param<'_>> = lines.iter().map(|l| Int(l.item)).collect();
        let items = self.query(self.several.items[ids.len() - 1], &ids)?;
        let mut placed = Vec::with_capacity(lines.len());
        for (number, line) in (1..).zip(lines) {
            let mut price = None;
            for item in &items {
                if item[0].int()? == line.item {
                    price = Some(item[1].units(2)?);
                }
            }
            let Some(price) = price else { return Ok(false) };
            placed.push(Placed { line: *line, number, cents: price * line.quantity, dist: String::new() });
        }
        // In one order for all transactions, so that two seldom wait for each other in a ring.
        placed.sort_by_key(|p| (p.line.supply_warehouse, p.line.item));
        for same in placed.chunk_by_mut(|a, b| a.line.supply_warehouse == b.line.supply_warehouse) {
            self.take_stock(w, d, same)?;
        }
        self.insert_lines(order, w, d, &placed)?;
        Ok(true)
    }

    /// The stock of one warehouse: locked and read at once, then written line by line.
    fn take_stock(&mut self, w: i64, d: i64, placed: &mut [Placed]) -> SqlResult<()> {
        let from = placed[0].line.supply_warehouse;
        let mut params = vec![Int(d), Int(from)];
        params.extend(placed.iter().map(|p| Int(p.line.item)));
        let rows = self.query(self.several.stock[placed.len() - 1], &params)?;
        let mut stock = Vec::with_capacity(rows.len());
        for row in rows {
            stock.push((row[0].int()?, row[1].int()?, row[3].text()?.to_string()));
        }
        let mut written = Vec::with_capacity(placed.len());
        for p in placed {
            let Some((item, quantity, dist)) = stock.iter_mut().find(|(item, ..)| *item == p.line.item) else {
                return Err(SqlError::wrong(format!("item {} has no stock in warehouse {from}", p.line.item)));
            };
            let ordered = p.line.quantity;
            // Clause 2.4.2.2: stock that would fall below 10 is filled up by 91.
            *quantity = if *quantity >= ordered + 10 { *quantity - ordered } else { *quantity - ordered + 91 };
            p.dist.clone_from(dist);
            let remote = i64::from(from != w);
            written.push([Int(*quantity), Int(ordered), Int(1), Int(remote), Int(from), Int(*item)]);
        }
        let each: Vec<_> = written.iter().map(|params| (self.fixed.update_stock, &params[..])).collect();
        self.write_all(&each)
    }

    fn insert_lines(&mut self, order: i64, w: i64, d: i64, placed: &[Placed]) -> SqlResult<()> {
        let mut params = Vec::with_capacity(9 * placed.len());
        for p in placed {
            params.extend([Int(order), Int(d), Int(w), Int(p.number as i64), Int(p.line.item)]);
            params.extend([Int(p.line.supply_warehouse), Int(p.line.quantity)]);
            params.extend([Param::Decimal { units: p.cents, scale: 2 }, Param::Text(&p.dist)]);
        }
        self.write(self.several.insert_lines[placed.len() - 1], &params)?;
        Ok(())
    }

    /// Clause 2.5.2.2.
    fn payment(&mut self, inputs: &Inputs) -> SqlResult<bool> {
        let Inputs::Payment { warehouse, district, customer_warehouse, customer_district, who, cents } = inputs else {
            return Ok(false);
        };
        let (w, d, cw, cd) = (*warehouse, *district, *customer_warehouse, *customer_district);
        let amount = Param::Decimal { units: *cents, scale: 2 };
        self.write_all(&[
            (self.fixed.pay_warehouse, &[amount, Int(w)]),
            (self.fixed.pay_district, &[amount, Int(w), Int(d)]),
        ])?;
        let from = self.row("the warehouse", self.fixed.read_warehouse, &[Int(w)])?;
        let at = self.row("the district", self.fixed.read_district, &[Int(w), Int(d)])?;
        let c = self.customer(cw, cd, who)?;
        let customer = self.row("the customer", self.fixed.lock_customer, &[Int(cw), Int(cd), Int(c)])?;
        let note = format!("{}    {}", from[0].text()?, at[0].text()?);
        let paid = [Int(c), Int(cd), Int(cw), Int(d), Int(w), self.now, amount, Param::Text(&note)];
        let history = (self.fixed.insert_history, &paid[..]);
        if customer[0].text()? == "BC" {
            let old = self.row("the customer", self.fixed.customer_data, &[Int(cw), Int(cd), Int(c)])?;
            let mut data = format!("{c} {cd} {cw} {d} {w} {}|{}", decimal_text(*cents, 2), old[0].text()?);
            data.truncate(DATA);
            let params = [amount, amount, Param::Text(&data), Int(cw), Int(cd), Int(c)];
            self.write_all(&[(self.fixed.pay_bad_customer, &params), history])?;
        } else {
            self.write_all(&[(self.fixed.pay_customer, &[amount, amount, Int(cw), Int(cd), Int(c)]), history])?;
        }
        Ok(true)
    }

    /// By number, or by last name the one in the middle, rounded up (clause 2.5.2.2, case 2).
    fn customer(&mut self, w: i64, d: i64, who: &Who) -> SqlResult<i64> {
        let name = match who {
            Who::Id(id) => return Ok(*id),
            Who::LastName(name) => name,
        };
        let found = self.query(self.fixed.ids_of_name, &[Int(w), Int(d), Param::Text(name)])?;
        match found.get(found.len().saturating_sub(1) / 2) {
            Some(row) => row[0].int(),
            None => Err(SqlError::wrong(format!("no customer of district {d}, warehouse {w} is called {name}"))),
        }
    }

    /// Clause 2.6.2.2.
    fn order_status(&mut self, w: i64, d: i64, who: &Who) -> SqlResult<bool> {
        let c = self.customer(w, d, who)?;
        self.row("the customer", self.fixed.balance, &[Int(w), Int(d), Int(c)])?;
        let order = self.row("the customer's order", self.fixed.last_order, &[Int(w), Int(d), Int(c)])?;
        self.query(self.fixed.lines_of_order, &[Int(w), Int(d), Int(order[0].int()?)])?;
        Ok(true)
    }

    /// Clause 2.7.4.2, all ten districts in one database transaction. A district without a new order is passed over
    /// (clause 2.7.4.2).
    fn delivery(&mut self, w: i64, carrier: i64) -> SqlResult<bool> {
        for d in 1..=10 {
            let oldest = self.query(self.fixed.oldest_new_order, &[Int(w), Int(d)])?;
            let Some(order) = oldest.first().map(|row| row[0].int()).transpose()? else { continue };
            let place = [Int(w), Int(d), Int(order)];
            if self.write(self.fixed.delete_new_order, &place)? == 0 {
                continue;
            }
            self.write_all(&[
                (self.fixed.carry_order, &[Int(carrier), Int(w), Int(d), Int(order)]),
                (self.fixed.deliver_lines, &[self.now, Int(w), Int(d), Int(order)]),
            ])?;
            let c = self.row("the order", self.fixed.customer_of_order, &place)?[0].int()?;
            let cents = self.row("the order's amount", self.fixed.amount_of_order, &place)?[0].units(2)?;
            let amount = Param::Decimal { units: cents, scale: 2 };
            self.write(self.fixed.deliver_customer, &[amount, Int(w), Int(d), Int(c)])?;
        }
        Ok(true)
    }

    /// Clause 2.8.2.2: the last twenty orders.
    fn stock_level(&mut self, w: i64, d: i64, threshold: i64) -> SqlResult<bool> {
        let next = self.row("the district", self.fixed.next_order_id, &[Int(w), Int(d)])?[0].int()?;
        let params = [Int(w), Int(d), Int(next), Int(next - 20), Int(w), Int(threshold)];
        self.row("the stock", self.fixed.low_stock, &params)?;
        Ok(true)
    }
}
