//! The five transactions on a session (clauses 2.4.2 to 2.8.2).
//!
//! Statements that do not depend on each other's results are sent together, to reduce round trips.
//! Rows are locked before they are read for writing, and Delivery locks all its new orders before
//! any unlocked read, because an earlier snapshot may be older than an order.

use std::time::{SystemTime, UNIX_EPOCH};

use arrayvec::ArrayVec;

use super::found::{LONGEST_NOTE, bad_credit, by_district, in_the_middle, one, written};
use super::inputs::{CustomerChoice, DISTRICTS, Drawer, MOST_LINES, OrderLine, TpccInputs};
use super::placed::{Placed, from_one_warehouse, price};
use super::statements::{Deliveries, Fixed, Several};
use dyno_core::base::error::{Result, anyhow};
use dyno_core::measure::Op;
use dyno_core::measure::sql::answers::{AnswerRow, Answers};
use dyno_core::measure::sql::{
    Committed, Param, SqlError, SqlResult, SqlSession, StatementBatch, StatementId, Statements,
    TransactionScript, refused,
};

/// Positions in the results of a New-Order's queries.
const CUSTOMER: usize = 0;
const DISTRICT: usize = 1;
const ITEMS: usize = 2;
const FIRST_STOCK: usize = 3;

pub struct TpccScript {
    drawer: Drawer,
    per_warehouse: u64,
    prepared: Option<TpccStatements>,
    staged: Option<TpccInputs>,
    now: Param<'static>,
    found: Answers,
    done: Answers,
    batch: StatementBatch<'static>,
}

struct TpccStatements {
    fixed: Fixed,
    several: Several,
    deliveries: Deliveries,
}

/// Prepared statements and their session, while a transaction runs.
struct TpccTransaction<'a> {
    session: &'a mut dyn SqlSession,
    prepared: &'a TpccStatements,
    now: Param<'static>,
    sent: Statements,
    /// Results that are not read.
    done: &'a mut Answers,
    /// Its capacity is reused by consecutive batches.
    batch: &'a mut StatementBatch<'static>,
}

impl TpccScript {
    pub fn new(drawer: Drawer, per_warehouse: u64) -> TpccScript {
        TpccScript {
            drawer,
            per_warehouse,
            prepared: None,
            staged: None,
            now: Param::Null,
            found: Answers::with_room(),
            done: Answers::with_room(),
            batch: StatementBatch::with_room(),
        }
    }
}

impl TransactionScript for TpccScript {
    fn remedy(&self) -> &'static str {
        "check that the database has TPC-C's nine tables with as many warehouses as the workload, \
         and check the server's log and the disk's free space"
    }

    fn prepare(&mut self, session: &mut dyn SqlSession) -> Result<()> {
        let refuse = |error: SqlError| {
            refused("preparing TPC-C's statements (are its tables there?)", &error)
        };
        let loaded = session.rows("SELECT COUNT(*) FROM warehouse").map_err(refuse)?;
        let loaded = loaded.first(0).map(|row| row.at(0).int()).transpose().map_err(refuse)?;
        if loaded != Some(self.drawer.warehouses as i64) {
            let (there, wanted) = (loaded.unwrap_or(0), self.drawer.warehouses);
            return Err(anyhow!(
                "the database has {there} warehouses, but the workload uses {wanted}"
            ));
        }
        session.always_in_transaction().map_err(refuse)?;
        self.prepared = Some(TpccStatements {
            fixed: Fixed::prepare(session).map_err(refuse)?,
            several: Several::prepare(session).map_err(refuse)?,
            deliveries: Deliveries::prepare(session).map_err(refuse)?,
        });
        Ok(())
    }

    fn stage(&mut self, op: &Op) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Whole seconds, which the columns of all dialects store alike.
        self.now = Param::Time { unix_us: since.as_secs() as i64 * 1_000_000 };
        self.staged = Some(TpccScript::inputs_of(&self.drawer, self.per_warehouse, op));
    }

    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed> {
        let TpccScript {
            prepared: Some(prepared),
            staged: Some(inputs),
            found,
            done,
            batch,
            now,
            ..
        } = self
        else {
            return Err(SqlError::wrong("a transaction was run before it was prepared"));
        };
        if let TpccInputs::Delivery { queued: true, .. } = inputs {
            // Clause 2.7.2: the terminal receives its answer as soon as the request is queued.
            return Ok(Committed { statements: Statements::default(), hit: true });
        }
        let mut at = TpccTransaction {
            session,
            prepared,
            now: *now,
            sent: Statements::default(),
            done,
            batch,
        };
        at.session.begin()?;
        let committed = match inputs {
            TpccInputs::NewOrder { warehouse, district, customer, lines } => {
                let of = CustomerKey { w: *warehouse, d: *district, c: *customer };
                at.new_order(of, lines, found)?
            }
            TpccInputs::Payment { .. } => at.payment(inputs, found)?,
            TpccInputs::OrderStatus { warehouse, district, who } => {
                at.order_status(*warehouse, *district, who, found)?
            }
            TpccInputs::Delivery { warehouse, carrier, .. } => {
                at.delivery(*warehouse, *carrier, found)?
            }
            TpccInputs::StockLevel { warehouse, district, threshold } => {
                at.stock_level(*warehouse, *district, *threshold, found)?
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

/// A customer's key: warehouse, district and number in it.
#[derive(Clone, Copy)]
struct CustomerKey {
    w: i64,
    d: i64,
    c: i64,
}

use Param::Int;

impl TpccTransaction<'_> {
    fn batch<'q>(&mut self) -> StatementBatch<'q> {
        std::mem::take(self.batch)
    }

    fn ask(&mut self, batch: StatementBatch<'_>, found: &mut Answers) -> SqlResult<()> {
        self.sent += batch.sent();
        let answered = self.session.query_all(&batch, found);
        *self.batch = batch.emptied();
        answered
    }

    fn ask_one<const N: usize>(
        &mut self,
        of: StatementId,
        params: [Param<'_>; N],
        found: &mut Answers,
    ) -> SqlResult<()> {
        let mut batch = self.batch();
        batch.read(of, params);
        self.ask(batch, found)
    }

    /// The last batch of a transaction that will be committed.
    fn ask_last(&mut self, batch: StatementBatch<'_>, found: &mut Answers) -> SqlResult<()> {
        self.session.commits_next();
        self.ask(batch, found)
    }

    /// The last batch; its results are not needed.
    fn change_last(&mut self, batch: StatementBatch<'_>) -> SqlResult<()> {
        self.session.commits_next();
        self.change(batch)
    }

    /// Results are not needed.
    fn change(&mut self, batch: StatementBatch<'_>) -> SqlResult<()> {
        let mut done = std::mem::take(self.done);
        let answered = self.ask(batch, &mut done);
        *self.done = done;
        answered
    }

    /// Clause 2.4.2.2. False if an item does not exist; everything else is executed and then rolled
    /// back (clause 2.4.2.3).
    fn new_order(
        &mut self,
        of: CustomerKey,
        lines: &[OrderLine],
        found: &mut Answers,
    ) -> SqlResult<bool> {
        let CustomerKey { w, d, c } = of;
        let place = |(number, line): (i64, &OrderLine)| Placed {
            line: *line,
            number,
            cents: None,
            dist: "",
        };
        let mut placed: ArrayVec<Placed<'_>, MOST_LINES> = (1..).zip(lines).map(place).collect();
        // In the same order in all transactions, so that cyclic waits are rare.
        placed.sort_by_key(|p| (p.line.supply_warehouse, p.line.item));
        self.look_up(of, &placed, found)?;
        let found = &*found;
        one("the customer", found, CUSTOMER)?;
        let order = one("the district", found, DISTRICT)?.at(0).int()?;
        price(&mut placed, found.of(ITEMS))?;
        let mut writes = self.batch();
        let (count, local) = (lines.len() as i64, lines.iter().all(|l| l.supply_warehouse == w));
        let statements = &self.prepared.fixed;
        writes.write(statements.take_order, [Int(order + 1), Int(w), Int(d)]);
        let row = [Int(order), Int(d), Int(w), Int(c), self.now, Int(count), Int(i64::from(local))];
        writes.write(statements.insert_order, row);
        writes.write(statements.insert_new_order, [Int(order), Int(d), Int(w)]);
        for (same, statement) in placed.chunk_by_mut(from_one_warehouse).zip(FIRST_STOCK..) {
            self.take_stock(w, same, found.of(statement), &mut writes)?;
        }
        placed.retain(|p| p.cents.is_some());
        if let Some(last) = placed.len().checked_sub(1) {
            writes.write(
                self.prepared.several.insert_lines[last],
                placed.iter().flat_map(|p| p.row(order, d, w)),
            );
        }
        if placed.len() < lines.len() {
            return self.change(writes).map(|()| false);
        }
        self.change_last(writes).map(|()| true)
    }

    /// The customer, the district's next order (locked), the items, and each warehouse's stock of
    /// them (locked).
    fn look_up(
        &mut self,
        CustomerKey { w, d, c }: CustomerKey,
        placed: &[Placed<'_>],
        found: &mut Answers,
    ) -> SqlResult<()> {
        let (fixed, several) = (&self.prepared.fixed, &self.prepared.several);
        let mut reads = self.batch();
        reads.read(fixed.customer_and_warehouse, [Int(w), Int(d), Int(c)]);
        reads.read(fixed.next_order, [Int(w), Int(d)]);
        let item = |p: &Placed<'_>| Int(p.line.item);
        reads.read(several.items[placed.len() - 1], placed.iter().map(item));
        for same in placed.chunk_by(from_one_warehouse) {
            let place = [Int(d), Int(same[0].line.supply_warehouse)];
            reads.read(
                several.stock[same.len() - 1],
                place.into_iter().chain(same.iter().map(item)),
            );
        }
        self.ask(reads, found)
    }

    /// A warehouse's stock after the lines that it supplies; `rows` are its stock rows.
    fn take_stock<'f>(
        &self,
        w: i64,
        placed: &mut [Placed<'f>],
        rows: impl Iterator<Item = AnswerRow<'f>>,
        writes: &mut StatementBatch<'_>,
    ) -> SqlResult<()> {
        let from = placed[0].line.supply_warehouse;
        let mut stock: ArrayVec<_, MOST_LINES> = ArrayVec::new();
        for row in rows {
            let left = (row.at(0).int()?, row.at(1).int()?, row.at(3).text()?);
            stock.try_push(left).map_err(|_| SqlError::wrong("more stock than expected"))?;
        }
        let mut taken: ArrayVec<_, MOST_LINES> = ArrayVec::new();
        // An item that occurs twice in an order is written twice.
        for once in placed.chunk_by_mut(|a, b| a.line.item != b.line.item) {
            taken.clear();
            for p in once.iter_mut().filter(|p| p.cents.is_some()) {
                let Some((item, quantity, dist)) =
                    stock.iter_mut().find(|(item, ..)| *item == p.line.item)
                else {
                    return Err(SqlError::wrong(format!(
                        "item {} has no stock in warehouse {from}",
                        p.line.item
                    )));
                };
                let ordered = p.line.quantity;
                // Clause 2.4.2.2: stock that would fall below 10 is increased by 91.
                *quantity = if *quantity >= ordered + 10 {
                    *quantity - ordered
                } else {
                    *quantity - ordered + 91
                };
                p.dist = dist;
                taken.push((Int(*item), Int(*quantity), Int(ordered)));
            }
            if let Some(last) = taken.len().checked_sub(1) {
                let left = taken.iter().flat_map(|(item, left, _)| [*item, *left]);
                let ordered = taken.iter().flat_map(|(item, _, ordered)| [*item, *ordered]);
                let (place, items) =
                    ([Int(i64::from(from != w)), Int(from)], taken.iter().map(|(item, ..)| *item));
                let params = left.chain(ordered).chain(place).chain(items);
                writes.write(self.prepared.several.update_stock[last], params);
            }
        }
        Ok(())
    }

    /// Clause 2.5.2.2.
    fn payment(&mut self, inputs: &TpccInputs, found: &mut Answers) -> SqlResult<bool> {
        let TpccInputs::Payment {
            warehouse,
            district,
            customer_warehouse,
            customer_district,
            who,
            cents,
        } = inputs
        else {
            return Ok(false);
        };
        let (w, d, cw, cd) = (*warehouse, *district, *customer_warehouse, *customer_district);
        let (amount, statements) =
            (Param::Decimal { units: *cents, scale: 2 }, &self.prepared.fixed);
        let mut first = self.batch();
        first.write(statements.pay_warehouse, [amount, Int(w)]);
        first.write(statements.pay_district, [amount, Int(w), Int(d)]);
        first.read(statements.read_places, [Int(w), Int(d)]);
        match who {
            CustomerChoice::Id(c) => {
                first.read(statements.lock_customer, [Int(cw), Int(cd), Int(*c)])
            }
            CustomerChoice::LastName(name) => {
                first.read(statements.ids_of_name, [Int(cw), Int(cd), Param::Text(name)])
            }
        }
        self.ask(first, found)?;
        let places = one("the district", found, 2)?;
        let (warehouse, district) = (places.at(0).text()?, places.at(6).text()?);
        let note = written::<LONGEST_NOTE>(format_args!("{warehouse}    {district}"))?;
        let (c, customer) = match who {
            CustomerChoice::Id(c) => (*c, 3),
            CustomerChoice::LastName(_) => {
                let c = in_the_middle(found.of(3))?;
                self.ask_one(statements.lock_customer, [Int(cw), Int(cd), Int(c)], found)?;
                (c, 0)
            }
        };
        let mut data = None;
        if one("the customer", found, customer)?.at(0).text()? == "BC" {
            self.ask_one(statements.customer_data, [Int(cw), Int(cd), Int(c)], found)?;
            data = Some(bad_credit(
                &[c, cd, cw, d, w],
                *cents,
                one("the customer", found, 0)?.at(0).text()?,
            )?);
        }
        let mut writes = self.batch();
        let (paid, who) = ([amount, amount], [Int(cw), Int(cd), Int(c)]);
        match &data {
            Some(data) => writes.write(
                statements.pay_bad_customer,
                paid.into_iter().chain([Param::Text(data)]).chain(who),
            ),
            None => writes.write(statements.pay_customer, paid.into_iter().chain(who)),
        }
        let row = [Int(c), Int(cd), Int(cw), Int(d), Int(w), self.now, amount, Param::Text(&note)];
        writes.write(statements.insert_history, row);
        self.change_last(writes).map(|()| true)
    }

    /// Clause 2.6.2.2.
    fn order_status(
        &mut self,
        w: i64,
        d: i64,
        who: &CustomerChoice,
        found: &mut Answers,
    ) -> SqlResult<bool> {
        let statements = &self.prepared.fixed;
        let c = match who {
            CustomerChoice::Id(id) => *id,
            CustomerChoice::LastName(name) => {
                self.ask_one(statements.ids_of_name, [Int(w), Int(d), Param::Text(name)], found)?;
                in_the_middle(found.of(0))?
            }
        };
        let mut reads = self.batch();
        reads.read(statements.balance, [Int(w), Int(d), Int(c)]);
        reads.read(statements.last_order, [Int(w), Int(d), Int(c)]);
        self.ask(reads, found)?;
        one("the customer", found, 0)?;
        let order = one("the customer's order", found, 1)?.at(0).int()?;
        let mut lines = self.batch();
        lines.read(statements.lines_of_order, [Int(w), Int(d), Int(order)]);
        self.ask_last(lines, found).map(|()| true)
    }

    /// Clause 2.7.4.2, all ten districts in one database transaction. Districts without a new order
    /// are skipped.
    fn delivery(&mut self, w: i64, carrier: i64, found: &mut Answers) -> SqlResult<bool> {
        let mut oldest = self.batch();
        for d in 1..=DISTRICTS as i64 {
            oldest.read(self.prepared.fixed.oldest_new_order, [Int(w), Int(d)]);
        }
        self.ask(oldest, found)?;
        let mut place = [Int(w); 1 + DISTRICTS as usize];
        for (d, order) in place[1..].iter_mut().enumerate() {
            *order = Int(found.first(d).map_or(Ok(0), |row| row.at(0).int())?);
        }
        let (deliveries, mut changes) = (&self.prepared.deliveries, self.batch());
        changes.write(deliveries.delete_new_orders, place);
        changes.write(deliveries.carry_orders, [Int(carrier)].into_iter().chain(place));
        changes.write(deliveries.deliver_lines, [self.now].into_iter().chain(place));
        changes.read(deliveries.customers, place);
        changes.read(deliveries.amounts, place);
        self.ask(changes, found)?;
        let orders = place[1..].iter().filter(|order| **order != Int(0)).count();
        let money = |units| Param::Decimal { units, scale: 2 };
        let customers = by_district(found.of(3), orders, Int(0), |c| c.int().map(Int))?;
        let amounts = by_district(found.of(4), orders, money(0), |sum| sum.units(2).map(money))?;
        let mut credits = self.batch();
        credits.write(deliveries.credit, amounts.into_iter().chain([Int(w)]).chain(customers));
        self.change_last(credits).map(|()| true)
    }

    /// Clause 2.8.2.2: the last twenty orders.
    fn stock_level(
        &mut self,
        w: i64,
        d: i64,
        threshold: i64,
        found: &mut Answers,
    ) -> SqlResult<bool> {
        self.ask_one(self.prepared.fixed.next_order_id, [Int(w), Int(d)], found)?;
        let next = one("the district", found, 0)?.at(0).int()?;
        let params = [Int(w), Int(d), Int(next), Int(next - 20), Int(w), Int(threshold)];
        let mut stock = self.batch();
        stock.read(self.prepared.fixed.low_stock, params);
        self.ask_last(stock, found)?;
        one("the stock", found, 0)?;
        Ok(true)
    }
}
