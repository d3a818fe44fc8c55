//! The rows of the nine tables as clause 4.3.3.1 populates them, as text for bulk loading.

use std::fmt::Write;

use super::inputs::{CUSTOMERS, DISTRICTS, ITEMS};
use super::random::*;
use dyno_core::base::rng::{Rng, Seed};

/// The last order that is already delivered after the load: 900 of 3,000 are new.
pub const DELIVERED: u64 = 2_100;

/// Rows of items or stock per batch.
pub const BATCH: u64 = 10_000;

/// Generates rows. They depend only on the seed, the warehouse and the table.
pub struct Population {
    pub seed: Seed,
    /// The date of all dated rows, "2026-01-31 12:00:00".
    pub now: String,
}

/// One table's rows.
pub type TableRows = (&'static str, String);

impl Population {
    fn rng(&self, what: u64, warehouse: u64, part: u64) -> Rng {
        self.seed.at(what << 56 | warehouse << 16 | part)
    }

    /// ITEM, batch `part` of 10.
    pub fn items(&self, part: u64) -> Vec<TableRows> {
        let (mut rng, mut out) = (self.rng(1, 0, part), String::new());
        for id in 1 + part * BATCH..=(part + 1) * BATCH {
            let image = between(&mut rng, 1, 10_000);
            let _ = write!(out, "{id}\t{image}\t");
            push_a_string(&mut rng, 14, 24, &mut out);
            let _ = write!(out, "\t{}\t", cents(between(&mut rng, 100, 10_000)));
            push_data(&mut rng, &mut out);
            out.push('\n');
        }
        vec![("item", out)]
    }

    /// WAREHOUSE and its ten DISTRICTs.
    pub fn warehouse(&self, warehouse: u64) -> Vec<TableRows> {
        let (mut rng, mut one, mut ten) = (self.rng(2, warehouse, 0), String::new(), String::new());
        let _ = write!(one, "{warehouse}\t");
        push_name_and_address(&mut rng, &mut one);
        let _ = writeln!(one, "\t0.{:04}\t300000.00", between(&mut rng, 0, 2000));
        for district in 1..=DISTRICTS {
            let _ = write!(ten, "{district}\t{warehouse}\t");
            push_name_and_address(&mut rng, &mut ten);
            let _ =
                writeln!(ten, "\t0.{:04}\t30000.00\t{}", between(&mut rng, 0, 2000), CUSTOMERS + 1);
        }
        vec![("warehouse", one), ("district", ten)]
    }

    /// STOCK of a warehouse, batch `part` of 10.
    pub fn stock(&self, warehouse: u64, part: u64) -> Vec<TableRows> {
        let (mut rng, mut out) =
            (self.rng(3, warehouse, part), String::with_capacity(BATCH as usize * 330));
        for item in 1 + part * BATCH..=((part + 1) * BATCH).min(ITEMS) {
            let _ = write!(out, "{item}\t{warehouse}\t{}", between(&mut rng, 10, 100));
            for _ in 0..DISTRICTS {
                out.push('\t');
                push_a_string(&mut rng, 24, 24, &mut out);
            }
            out.push_str("\t0\t0\t0\t");
            push_data(&mut rng, &mut out);
            out.push('\n');
        }
        vec![("stock", out)]
    }

    /// CUSTOMER and HISTORY of a district.
    pub fn customers(&self, warehouse: u64, district: u64) -> Vec<TableRows> {
        let (mut rng, mut out, mut history) =
            (self.rng(4, warehouse, district), String::new(), String::new());
        for id in 1..=CUSTOMERS {
            let _ = write!(out, "{id}\t{district}\t{warehouse}\t");
            push_a_string(&mut rng, 8, 16, &mut out);
            out.push_str("\tOE\t");
            // The first thousand have the thousand names; the others' names are drawn.
            let name = if id <= 1000 { id - 1 } else { nurand(&mut rng, 255, C_LAST_LOAD, 0, 999) };
            out.extend(last_name(name));
            out.push('\t');
            push_address(&mut rng, &mut out);
            out.push('\t');
            push_digits(&mut rng, 16, &mut out);
            let credit = if rng.below(10) == 0 { "BC" } else { "GC" };
            let discount = between(&mut rng, 0, 5000);
            let _ = write!(
                out,
                "\t{}\t{credit}\t50000.00\t0.{discount:04}\t-10.00\t10.00\t1\t0\t",
                self.now
            );
            push_a_string(&mut rng, 300, 500, &mut out);
            out.push('\n');
            let _ = write!(
                history,
                "{id}\t{district}\t{warehouse}\t{district}\t{warehouse}\t{}\t10.00\t",
                self.now
            );
            push_a_string(&mut rng, 12, 24, &mut history);
            history.push('\n');
        }
        vec![("customer", out), ("history", history)]
    }

    /// ORDER, NEW-ORDER and ORDER-LINE of a district.
    pub fn orders(&self, warehouse: u64, district: u64) -> Vec<TableRows> {
        let mut rng = self.rng(5, warehouse, district);
        let (mut orders, mut new, mut lines) = (String::new(), String::new(), String::new());
        for (id, customer) in (1..).zip(permutation(&mut rng, CUSTOMERS)) {
            let delivered = id <= DELIVERED;
            let count = between(&mut rng, 5, 15);
            let carrier =
                if delivered { between(&mut rng, 1, 10).to_string() } else { "\\N".into() };
            let _ = writeln!(
                orders,
                "{id}\t{district}\t{warehouse}\t{customer}\t{}\t{carrier}\t{count}\t1",
                self.now
            );
            if !delivered {
                let _ = writeln!(new, "{id}\t{district}\t{warehouse}");
            }
            for number in 1..=count {
                let item = between(&mut rng, 1, ITEMS);
                let (at, amount) = if delivered {
                    (self.now.as_str(), 0)
                } else {
                    ("\\N", between(&mut rng, 1, 999_999))
                };
                let _ = write!(
                    lines,
                    "{id}\t{district}\t{warehouse}\t{number}\t{item}\t{warehouse}\t{at}\t5\t"
                );
                lines.push_str(&cents(amount));
                lines.push('\t');
                push_a_string(&mut rng, 24, 24, &mut lines);
                lines.push('\n');
            }
        }
        vec![("orders", orders), ("new_order", new), ("order_line", lines)]
    }
}

fn cents(amount: u64) -> String {
    format!("{}.{:02}", amount / 100, amount % 100)
}

fn push_name_and_address(rng: &mut Rng, out: &mut String) {
    push_a_string(rng, 6, 10, out);
    out.push('\t');
    push_address(rng, out);
}

/// Two streets, city, state, zip.
fn push_address(rng: &mut Rng, out: &mut String) {
    for _ in 0..3 {
        push_a_string(rng, 10, 20, out);
        out.push('\t');
    }
    (0..2).for_each(|_| out.push(char::from(b'A' + rng.below(26) as u8)));
    out.push('\t');
    push_zip(rng, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::schema::named;

    fn population() -> Population {
        Population { seed: Seed::new(1, 2, 3), now: "2026-01-31 12:00:00".into() }
    }

    #[test]
    fn every_row_has_a_value_for_every_column() {
        let p = population();
        let all = [p.items(9), p.warehouse(7), p.stock(7, 9), p.customers(7, 10), p.orders(7, 10)]
            .concat();
        assert_eq!(all.len(), 9);
        for (table, rows) in all {
            let columns = named(table).column_names().split(',').count();
            assert!(rows.lines().all(|row| row.split('\t').count() == columns), "{table}");
        }
    }

    #[test]
    fn cardinalities_are_those_of_clause_4_3_3_1() {
        let p = population();
        let count = |rows: &[TableRows], table| {
            rows.iter().find(|r| r.0 == table).unwrap().1.lines().count()
        };
        let (customers, orders) = (p.customers(1, 1), p.orders(1, 1));
        assert_eq!((count(&customers, "customer"), count(&customers, "history")), (3000, 3000));
        assert_eq!((count(&orders, "orders"), count(&orders, "new_order")), (3000, 900));
        assert!((29_000..31_000).contains(&count(&orders, "order_line")));
        assert_eq!(count(&p.stock(1, 0), "stock"), 10_000);
        let bad = customers[0].1.lines().filter(|row| row.contains("\tBC\t")).count();
        assert!((240..360).contains(&bad), "{bad} of 3,000 customers have bad credit");
    }
}
