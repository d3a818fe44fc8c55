//! An order's lines between the terminal and the database: their cost and their ORDER_LINE rows.

use super::inputs::OrderLine;
use dyno_core::measure::sql::Param::{self, Int};
use dyno_core::measure::sql::SqlResult;
use dyno_core::measure::sql::answers::AnswerRow;

/// An order's line before it is stored.
pub struct Placed<'f> {
    pub line: OrderLine,
    pub number: i64,
    /// None: the item does not exist.
    pub cents: Option<i64>,
    pub dist: &'f str,
}

impl<'f> Placed<'f> {
    /// Its ORDER_LINE row, without the delivery date, which is set later.
    pub fn row(&self, order: i64, d: i64, w: i64) -> [Param<'f>; 9] {
        let cost = Param::Decimal { units: self.cents.unwrap_or(0), scale: 2 };
        let (item, supply, quantity) =
            (Int(self.line.item), Int(self.line.supply_warehouse), Int(self.line.quantity));
        [
            Int(order),
            Int(d),
            Int(w),
            Int(self.number),
            item,
            supply,
            quantity,
            cost,
            Param::Text(self.dist),
        ]
    }
}

/// Whether two lines are supplied by the same warehouse.
pub fn from_one_warehouse(a: &Placed<'_>, b: &Placed<'_>) -> bool {
    a.line.supply_warehouse == b.line.supply_warehouse
}

/// The cost of each line from the ITEM rows found, if the item exists.
pub fn price<'a>(
    placed: &mut [Placed<'_>],
    items: impl Iterator<Item = AnswerRow<'a>>,
) -> SqlResult<()> {
    for item in items {
        let (id, cents) = (item.at(0).int()?, item.at(1).units(2)?);
        for p in placed.iter_mut().filter(|p| p.line.item == id) {
            p.cents = Some(cents * p.line.quantity);
        }
    }
    Ok(())
}
