//! A terminal's input: the inputs of the five transactions (clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1,
//! 2.8.1).

use arrayvec::{ArrayString, ArrayVec};

use super::profile::Profile;
use super::random::{Constants, between, last_name, nurand};
use dyno_core::base::rng::Rng;

/// An item that does not exist: the last line of a New-Order that will be rolled back (clause
/// 2.4.1.5).
pub const UNUSED_ITEM: i64 = 100_001;

/// Clause 4.3.2.3: three syllables of five letters at most.
const LONGEST_NAME: usize = 15;

pub const ITEMS: u64 = 100_000;
pub const CUSTOMERS: u64 = 3_000;
pub const DISTRICTS: u64 = 10;

/// Clause 2.4.1.3: an order has 5 to 15 lines.
pub const MOST_LINES: usize = 15;

/// A terminal's location: its warehouse, and for Stock-Level its district, are fixed for the whole
/// run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TpccTerminal {
    pub warehouse: i64,
    pub district: i64,
}

impl TpccTerminal {
    pub fn new(number: u64, per_warehouse: u64) -> TpccTerminal {
        let place = number % per_warehouse;
        TpccTerminal {
            warehouse: (number / per_warehouse + 1) as i64,
            district: (place % DISTRICTS + 1) as i64,
        }
    }
}

/// One line of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderLine {
    pub item: i64,
    pub supply_warehouse: i64,
    pub quantity: i64,
}

/// Identification of a customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CustomerChoice {
    Id(i64),
    LastName(ArrayString<LONGEST_NAME>),
}

// A box would be allocated for each transaction; each terminal holds one of these.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TpccInputs {
    NewOrder {
        warehouse: i64,
        district: i64,
        customer: i64,
        lines: ArrayVec<OrderLine, MOST_LINES>,
    },
    Payment {
        warehouse: i64,
        district: i64,
        customer_warehouse: i64,
        customer_district: i64,
        who: CustomerChoice,
        cents: i64,
    },
    OrderStatus {
        warehouse: i64,
        district: i64,
        who: CustomerChoice,
    },
    /// Queued (clause 2.7.2), or executed.
    Delivery {
        warehouse: i64,
        carrier: i64,
        queued: bool,
    },
    StockLevel {
        warehouse: i64,
        district: i64,
        threshold: i64,
    },
}

/// Draws inputs.
#[derive(Clone, Copy, Debug)]
pub struct Drawer {
    pub warehouses: u64,
    pub constants: Constants,
}

impl Drawer {
    pub fn draw(&self, kind: Profile, at: TpccTerminal, rng: &mut Rng) -> TpccInputs {
        let warehouse = at.warehouse;
        match kind {
            Profile::Payment => self.payment(warehouse, rng),
            Profile::OrderStatus => {
                TpccInputs::OrderStatus { warehouse, district: one_of_ten(rng), who: self.who(rng) }
            }
            Profile::Delivery => TpccInputs::Delivery { warehouse, carrier: 0, queued: true },
            Profile::DeferredDelivery => {
                TpccInputs::Delivery { warehouse, carrier: one_of_ten(rng), queued: false }
            }
            Profile::StockLevel => {
                // Clause 2.8.1.2: the threshold is in 10 … 20.
                TpccInputs::StockLevel {
                    warehouse,
                    district: at.district,
                    threshold: between(rng, 10, 20) as i64,
                }
            }
            _ => self.new_order(warehouse, rng),
        }
    }

    /// Clause 2.4.1: 5 … 15 lines, 1 % of them from another warehouse, 1 % of orders to be rolled
    /// back.
    fn new_order(&self, warehouse: i64, rng: &mut Rng) -> TpccInputs {
        let district = one_of_ten(rng);
        let customer = self.customer(rng);
        let count = between(rng, 5, MOST_LINES as u64);
        let rollback = between(rng, 1, 100) == 1;
        let line = |number| {
            let item = nurand(rng, 8191, self.constants.item, 1, ITEMS) as i64;
            let remote = between(rng, 1, 100) == 1;
            OrderLine {
                item: if rollback && number == count { UNUSED_ITEM } else { item },
                supply_warehouse: if remote { self.another(warehouse, rng) } else { warehouse },
                quantity: one_of_ten(rng),
            }
        };
        TpccInputs::NewOrder {
            warehouse,
            district,
            customer,
            lines: (1..=count).map(line).collect(),
        }
    }

    /// Clause 2.5.1: 85 % pay at home, 15 % elsewhere; 1.00 … 5,000.00.
    fn payment(&self, warehouse: i64, rng: &mut Rng) -> TpccInputs {
        let district = one_of_ten(rng);
        let (customer_warehouse, customer_district) =
            if between(rng, 1, 100) <= 85 || self.warehouses == 1 {
                (warehouse, district)
            } else {
                (self.another(warehouse, rng), one_of_ten(rng))
            };
        let who = self.who(rng);
        let cents = between(rng, 100, 500_000) as i64;
        TpccInputs::Payment {
            warehouse,
            district,
            customer_warehouse,
            customer_district,
            who,
            cents,
        }
    }

    /// Clauses 2.5.1.2 and 2.6.1.2: 60 % by last name, 40 % by number.
    fn who(&self, rng: &mut Rng) -> CustomerChoice {
        if between(rng, 1, 100) > 60 {
            return CustomerChoice::Id(self.customer(rng));
        }
        let mut name = ArrayString::new();
        last_name(nurand(rng, 255, self.constants.last, 0, 999))
            .iter()
            .for_each(|part| name.push_str(part));
        CustomerChoice::LastName(name)
    }

    fn customer(&self, rng: &mut Rng) -> i64 {
        nurand(rng, 1023, self.constants.customer, 1, CUSTOMERS) as i64
    }

    /// A warehouse other than this one, if there is one.
    fn another(&self, warehouse: i64, rng: &mut Rng) -> i64 {
        if self.warehouses == 1 {
            return warehouse;
        }
        let other = between(rng, 1, self.warehouses - 1) as i64;
        other + i64::from(other >= warehouse)
    }
}

fn one_of_ten(rng: &mut Rng) -> i64 {
    between(rng, 1, 10) as i64
}

#[cfg(test)]
mod tests {
    use super::super::cards::card;
    use super::*;
    use dyno_core::base::rng::Seed;

    const MANY: u64 = 100_000;

    fn inputs() -> Vec<(Profile, TpccInputs)> {
        let seed = Seed::new(1, 2, 3);
        let drawer = Drawer { warehouses: 100, constants: Constants::of_run(&mut seed.at(0)) };
        let terminal = TpccTerminal::new(77, 10);
        (0..MANY)
            .map(|n| (card(seed, n), seed.at(n)))
            .map(|(kind, mut rng)| (kind, drawer.draw(kind, terminal, &mut rng)))
            .collect()
    }

    #[track_caller]
    fn share(what: &str, part: usize, of: usize, low: f64, high: f64) {
        let percent = 100.0 * part as f64 / of as f64;
        assert!((low..=high).contains(&percent), "{what}: {percent} %, not within {low} … {high}");
    }

    #[test]
    fn the_mix_lies_above_the_specifications_least_shares() {
        let all = inputs();
        let of = |kind| all.iter().filter(|(k, _)| *k == kind).count();
        share("Payment", of(Profile::Payment), all.len(), 43.0, 44.0);
        for kind in [Profile::OrderStatus, Profile::Delivery, Profile::StockLevel] {
            share("each other", of(kind), all.len(), 4.0, 4.7);
        }
    }

    #[test]
    fn new_orders_lie_within_clause_5_5_2_bounds() {
        let (mut orders, mut rolled_back, mut lines, mut remote) = (0, 0, 0, 0);
        for (_, inputs) in inputs() {
            let TpccInputs::NewOrder { warehouse, district, customer, lines: of } = inputs else {
                continue;
            };
            assert!(
                (1..=10).contains(&district)
                    && (1..=3000).contains(&customer)
                    && (5..=15).contains(&of.len())
            );
            assert!(
                of.iter()
                    .all(|l| (1..=10).contains(&l.quantity)
                        && (1..=100).contains(&l.supply_warehouse))
            );
            assert!(of[..of.len() - 1].iter().all(|l| (1..=100_000).contains(&l.item)));
            orders += 1;
            rolled_back += usize::from(of[of.len() - 1].item == UNUSED_ITEM);
            lines += of.len();
            remote += of.iter().filter(|l| l.supply_warehouse != warehouse).count();
        }
        share("rollbacks", rolled_back, orders, 0.9, 1.1);
        share("lines an order", lines, orders, 950.0, 1050.0);
        share("remote lines", remote, lines, 0.95, 1.05);
    }

    #[test]
    fn payments_lie_within_clause_5_5_2_bounds() {
        let (mut payments, mut remote, mut named) = (0, 0, 0);
        for (_, inputs) in inputs() {
            let TpccInputs::Payment { warehouse, customer_warehouse, who, cents, .. } = inputs
            else {
                continue;
            };
            assert!((100..=500_000).contains(&cents));
            payments += 1;
            remote += usize::from(customer_warehouse != warehouse);
            named += usize::from(matches!(who, CustomerChoice::LastName(_)));
        }
        share("remote", remote, payments, 14.0, 16.0);
        share("by last name", named, payments, 57.0, 63.0);
    }

    #[test]
    fn one_warehouse_has_nothing_remote() {
        let seed = Seed::new(1, 2, 3);
        let drawer = Drawer { warehouses: 1, constants: Constants::of_run(&mut seed.at(0)) };
        for n in 0..5000 {
            match drawer.draw(card(seed, n), TpccTerminal::new(0, 10), &mut seed.at(n)) {
                TpccInputs::NewOrder { lines, .. } => {
                    assert!(lines.iter().all(|l| l.supply_warehouse == 1))
                }
                TpccInputs::Payment { customer_warehouse, .. } => assert_eq!(customer_warehouse, 1),
                _ => {}
            }
        }
    }
}
