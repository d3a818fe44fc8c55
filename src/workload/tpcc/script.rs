//! The five transactions over a session (clauses 2.4.2 to 2.8.2).
//!
//! What needs nothing of another's answer is sent together, so that a transaction waits for few answers. Rows are locked
//! before they are read for writing, and Delivery locks all its new orders before it reads anything unlocked, because a
//! snapshot taken earlier may be older than an order.

use std::time::{SystemTime, UNIX_EPOCH};

use super::inputs::{DISTRICTS, Drawer, Inputs, Line, Who};
use super::statements::{Deliveries, Fixed, Several};
use crate::base::error::{Result, anyhow};
use crate::load::Op;
use crate::load::sql::{
    Batch, Committed, Param, Row, Script, Session, SqlError, SqlResult, Statement, Statements, Value, decimal_text,
    refused,
};

/// Clause 2.5.2.2: C_DATA keeps its first 500 characters.
const DATA: usize = 500;

pub struct TpccScript {
    drawer: Drawer,
    per_warehouse: u64,
    prepared: Option<Prepared>,
    staged: Option<Inputs>,
    now: Param<'static>,
}

struct Prepared {
    fixed: Fixed,
    several: Several,
    deliveries: Deliveries,
}

/// Prepared statements and the session they belong to, while a transaction runs.
struct Transaction<'a> {
    session: &'a mut dyn Session,
    prepared: &'a Prepared,
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
        self.prepared = Some(Prepared {
            fixed: Fixed::prepare(session).map_err(refuse)?,
            several: Several::prepare(session).map_err(refuse)?,
            deliveries: Deliveries::prepare(session).map_err(refuse)?,
        });
        Ok(())
    }

    fn stage(&mut self, op: &Op) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Whole seconds: the columns of all dialects keep those alike.
        self.now = Param::Time { unix_us: since.as_secs() as i64 * 1_000_000 };
        self.staged = Some(TpccScript::inputs_of(&self.drawer, self.per_warehouse, op));
    }

    fn run(&mut self, session: &mut dyn Session) -> SqlResult<Committed> {
        let (Some(prepared), Some(inputs)) = (&self.prepared, &self.staged) else {
            return Err(SqlError::wrong("a transaction was run before it was prepared"));
        };
        if let Inputs::Delivery { queued: true, .. } = inputs {
            // Clause 2.7.2: the terminal has its answer as soon as the request is in the queue.
            return Ok(Committed { statements: Statements::default(), hit: true });
        }
        let mut at = Transaction { session, prepared, now: self.now, sent: Statements::default() };
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
    number: i64,
    /// None: there is no such item.
    cents: Option<i64>,
    dist: String,
}

use Param::Int;

/// The one row that must be there.
fn one(what: &str, rows: Option<Vec<Row>>) -> SqlResult<Row> {
    let row = rows.and_then(|rows| rows.into_iter().next());
    row.ok_or_else(|| SqlError::wrong(format!("{what} is not in the database")))
}

/// By last name it is the one in the middle, rounded up (clause 2.5.2.2, case 2).
fn in_the_middle(found: &[Row]) -> SqlResult<i64> {
    match found.get(found.len().saturating_sub(1) / 2) {
        Some(row) => row[0].int(),
        None => Err(SqlError::wrong("no customer of the district has the name that was drawn")),
    }
}

impl Transaction<'_> {
    /// The rows of each statement.
    fn ask(&mut self, batch: &Batch<'_>) -> SqlResult<std::vec::IntoIter<Vec<Row>>> {
        self.sent += batch.sent();
        Ok(self.session.query_all(batch)?.into_iter())
    }

    fn query(&mut self, statement: Statement, params: &[Param<'_>]) -> SqlResult<Vec<Row>> {
        self.sent.reads += 1;
        self.session.query(statement, params)
    }

    /// Clause 2.4.2.2. False: an item that there is not; all else is carried out and then rolled back (clause 2.4.2.3).
    fn new_order(&mut self, w: i64, d: i64, c: i64, lines: &[Line]) -> SqlResult<bool> {
        let place = |(number, line): (i64, &Line)| Placed { line: *line, number, cents: None, dist: String::new() };
        let mut placed: Vec<Placed> = (1..).zip(lines).map(place).collect();
        // In one order for all transactions, so that two seldom wait for each other in a ring.
        placed.sort_by_key(|p| (p.line.supply_warehouse, p.line.item));
        let mut found = self.look_up(w, d, c, &placed)?;
        one("the customer", found.next())?;
        let order = one("the district", found.next())?[0].int()?;
        price(&mut placed, &found.next().unwrap_or_default())?;
        let mut writes = Batch::default();
        let (count, local) = (lines.len() as i64, lines.iter().all(|l| l.supply_warehouse == w));
        writes.write(self.prepared.fixed.take_order, &[Int(order + 1), Int(w), Int(d)]);
        let row = [Int(order), Int(d), Int(w), Int(c), self.now, Int(count), Int(i64::from(local))];
        writes.write(self.prepared.fixed.insert_order, &row);
        writes.write(self.prepared.fixed.insert_new_order, &[Int(order), Int(d), Int(w)]);
        for (same, stock) in placed.chunk_by_mut(from_one_warehouse).zip(found) {
            self.take_stock(w, same, stock, &mut writes)?;
        }
        placed.retain(|p| p.cents.is_some());
        let mut params = Vec::with_capacity(9 * placed.len());
        for p in &placed {
            params.extend([Int(order), Int(d), Int(w), Int(p.number), Int(p.line.item)]);
            params.extend([Int(p.line.supply_warehouse), Int(p.line.quantity)]);
            params.extend([Param::Decimal { units: p.cents.unwrap_or(0), scale: 2 }, Param::Text(&p.dist)]);
        }
        if let Some(last) = placed.len().checked_sub(1) {
            writes.write(self.prepared.several.insert_lines[last], &params);
        }
        self.ask(&writes)?;
        Ok(placed.len() == lines.len())
    }

    /// The customer, the district's next order (locked), the items, and each warehouse's stock of them (locked).
    fn look_up(&mut self, w: i64, d: i64, c: i64, placed: &[Placed]) -> SqlResult<std::vec::IntoIter<Vec<Row>>> {
        let mut reads = Batch::default();
        reads.read(self.prepared.fixed.customer_and_warehouse, &[Int(w), Int(d), Int(c)]);
        reads.read(self.prepared.fixed.next_order, &[Int(w), Int(d)]);
        let mut params: Vec<Param<'_>> = placed.iter().map(|p| Int(p.line.item)).collect();
        reads.read(self.prepared.several.items[placed.len() - 1], &params);
        for same in placed.chunk_by(from_one_warehouse) {
            params.clear();
            params.extend([Int(d), Int(same[0].line.supply_warehouse)]);
            params.extend(same.iter().map(|p| Int(p.line.item)));
            reads.read(self.prepared.several.stock[same.len() - 1], &params);
        }
        self.ask(&reads)
    }

    /// What one warehouse has left of the lines that it supplies.
    fn take_stock(&self, w: i64, placed: &mut [Placed], rows: Vec<Row>, writes: &mut Batch<'_>) -> SqlResult<()> {
        let from = placed[0].line.supply_warehouse;
        let mut stock = Vec::with_capacity(rows.len());
        for row in &rows {
            stock.push((row[0].int()?, row[1].int()?, row[3].text()?));
        }
        let remote = Int(i64::from(from != w));
        // An item that an order names twice is written twice.
        for once in placed.chunk_by_mut(|a, b| a.line.item != b.line.item) {
            let (mut left, mut taken, mut items) = (Vec::new(), Vec::new(), Vec::new());
            for p in once.iter_mut().filter(|p| p.cents.is_some()) {
                let Some((item, quantity, dist)) = stock.iter_mut().find(|(item, ..)| *item == p.line.item) else {
                    return Err(SqlError::wrong(format!("item {} has no stock in warehouse {from}", p.line.item)));
                };
                let ordered = p.line.quantity;
                // Clause 2.4.2.2: stock that would fall below 10 is filled up by 91.
                *quantity = if *quantity >= ordered + 10 { *quantity - ordered } else { *quantity - ordered + 91 };
                p.dist.push_str(dist);
                left.extend([Int(*item), Int(*quantity)]);
                taken.extend([Int(*item), Int(ordered)]);
                items.push(Int(*item));
            }
            if let Some(last) = items.len().checked_sub(1) {
                let params = [left, taken, vec![remote, Int(from)], items].concat();
                writes.write(self.prepared.several.update_stock[last], &params);
            }
        }
        Ok(())
    }

    /// Clause 2.5.2.2.
    fn payment(&mut self, inputs: &Inputs) -> SqlResult<bool> {
        let Inputs::Payment { warehouse, district, customer_warehouse, customer_district, who, cents } = inputs else {
            return Ok(false);
        };
        let (w, d, cw, cd) = (*warehouse, *district, *customer_warehouse, *customer_district);
        let amount = Param::Decimal { units: *cents, scale: 2 };
        let mut first = Batch::default();
        first.write(self.prepared.fixed.pay_warehouse, &[amount, Int(w)]);
        first.write(self.prepared.fixed.pay_district, &[amount, Int(w), Int(d)]);
        first.read(self.prepared.fixed.read_places, &[Int(w), Int(d)]);
        match who {
            Who::Id(c) => first.read(self.prepared.fixed.lock_customer, &[Int(cw), Int(cd), Int(*c)]),
            Who::LastName(name) => first.read(self.prepared.fixed.ids_of_name, &[Int(cw), Int(cd), Param::Text(name)]),
        }
        let mut answers = self.ask(&first)?.skip(2);
        let places = one("the district", answers.next())?;
        let found = answers.next().unwrap_or_default();
        let (c, customer) = match who {
            Who::Id(c) => (*c, found),
            Who::LastName(_) => {
                let c = in_the_middle(&found)?;
                (c, self.query(self.prepared.fixed.lock_customer, &[Int(cw), Int(cd), Int(c)])?)
            }
        };
        let customer = one("the customer", Some(customer))?;
        let note = format!("{}    {}", places[0].text()?, places[6].text()?);
        let mut writes = Batch::default();
        let data;
        if customer[0].text()? == "BC" {
            let old = self.query(self.prepared.fixed.customer_data, &[Int(cw), Int(cd), Int(c)])?;
            let old = one("the customer", Some(old))?;
            data = bad_credit(&[c, cd, cw, d, w], *cents, old[0].text()?);
            let params = [amount, amount, Param::Text(&data), Int(cw), Int(cd), Int(c)];
            writes.write(self.prepared.fixed.pay_bad_customer, &params);
        } else {
            writes.write(self.prepared.fixed.pay_customer, &[amount, amount, Int(cw), Int(cd), Int(c)]);
        }
        let paid = [Int(c), Int(cd), Int(cw), Int(d), Int(w), self.now, amount, Param::Text(&note)];
        writes.write(self.prepared.fixed.insert_history, &paid);
        self.ask(&writes)?;
        Ok(true)
    }

    /// Clause 2.6.2.2.
    fn order_status(&mut self, w: i64, d: i64, who: &Who) -> SqlResult<bool> {
        let c = match who {
            Who::Id(id) => *id,
            Who::LastName(name) => {
                in_the_middle(&self.query(self.prepared.fixed.ids_of_name, &[Int(w), Int(d), Param::Text(name)])?)?
            }
        };
        let mut reads = Batch::default();
        reads.read(self.prepared.fixed.balance, &[Int(w), Int(d), Int(c)]);
        reads.read(self.prepared.fixed.last_order, &[Int(w), Int(d), Int(c)]);
        let mut answers = self.ask(&reads)?;
        one("the customer", answers.next())?;
        let order = one("the customer's order", answers.next())?;
        self.query(self.prepared.fixed.lines_of_order, &[Int(w), Int(d), Int(order[0].int()?)])?;
        Ok(true)
    }

    /// Clause 2.7.4.2, all ten districts in one database transaction. A district without a new order is passed over.
    fn delivery(&mut self, w: i64, carrier: i64) -> SqlResult<bool> {
        let mut oldest = Batch::default();
        for d in 1..=DISTRICTS as i64 {
            oldest.read(self.prepared.fixed.oldest_new_order, &[Int(w), Int(d)]);
        }
        let mut place = vec![Int(w)];
        for rows in self.ask(&oldest)? {
            place.push(Int(rows.first().map_or(Ok(0), |row| row[0].int())?));
        }
        let (deliveries, mut changes) = (&self.prepared.deliveries, Batch::default());
        changes.write(deliveries.delete_new_orders, &place);
        changes.write(deliveries.carry_orders, &[&[Int(carrier)], &place[..]].concat());
        changes.write(deliveries.deliver_lines, &[&[self.now], &place[..]].concat());
        changes.read(deliveries.customers, &place);
        changes.read(deliveries.amounts, &place);
        let mut answers = self.ask(&changes)?.skip(3);
        let orders = place[1..].iter().filter(|order| **order != Int(0)).count();
        let customers = by_district(answers.next(), orders, |c| c.int().map(Int))?;
        let amounts = by_district(answers.next(), orders, |sum| Ok(Param::Decimal { units: sum.units(2)?, scale: 2 }))?;
        let mut credits = Batch::default();
        credits.write(deliveries.credit, &[&amounts[..], &[Int(w)], &customers].concat());
        self.ask(&credits)?;
        Ok(true)
    }

    /// Clause 2.8.2.2: the last twenty orders.
    fn stock_level(&mut self, w: i64, d: i64, threshold: i64) -> SqlResult<bool> {
        let next = self.query(self.prepared.fixed.next_order_id, &[Int(w), Int(d)])?;
        let next = one("the district", Some(next))?[0].int()?;
        let params = [Int(w), Int(d), Int(next), Int(next - 20), Int(w), Int(threshold)];
        one("the stock", Some(self.query(self.prepared.fixed.low_stock, &params)?))?;
        Ok(true)
    }
}

fn from_one_warehouse(a: &Placed, b: &Placed) -> bool {
    a.line.supply_warehouse == b.line.supply_warehouse
}

/// What each line costs, where there is such an item.
fn price(placed: &mut [Placed], items: &[Row]) -> SqlResult<()> {
    for item in items {
        let (id, cents) = (item[0].int()?, item[1].units(2)?);
        for p in placed.iter_mut().filter(|p| p.line.item == id) {
            p.cents = Some(cents * p.line.quantity);
        }
    }
    Ok(())
}

/// A value for each district that has an order, zero for the others.
fn by_district(
    rows: Option<Vec<Row>>,
    orders: usize,
    value: impl Fn(&Value) -> SqlResult<Param<'static>>,
) -> SqlResult<[Param<'static>; DISTRICTS as usize]> {
    let (mut all, rows) = ([Int(0); DISTRICTS as usize], rows.unwrap_or_default());
    if rows.len() != orders {
        return Err(SqlError::wrong(format!("of {orders} new orders only {} are among the orders", rows.len())));
    }
    for row in rows {
        let district = usize::try_from(row[0].int()? - 1).ok().and_then(|d| all.get_mut(d));
        *district.ok_or_else(|| SqlError::wrong("a district that there is not"))? = value(&row[1])?;
    }
    Ok(all)
}

/// C_DATA of a customer with bad credit: this payment before those of old.
fn bad_credit(numbers: &[i64; 5], cents: i64, old: &str) -> String {
    let [c, cd, cw, d, w] = numbers;
    let mut data = format!("{c} {cd} {cw} {d} {w} {}|{old}", decimal_text(cents, 2));
    data.truncate(DATA);
    data
}
