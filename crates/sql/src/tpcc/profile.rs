//! TPC-C's transaction profiles (clauses 2.4 to 2.8): its classes of op, in the order of the
//! specification.

use dyno_core::measure::{Op, OpKind};
use dyno_core::record::Class;

/// The transactions that a terminal sends, and the execution of a queued Delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    NewOrder,
    Payment,
    OrderStatus,
    /// As seen by its terminal: queued.
    Delivery,
    /// The queued part, executed.
    DeferredDelivery,
    StockLevel,
}

const ALL: [(Profile, Class); 6] = [
    (Profile::NewOrder, Class::new("new-order")),
    (Profile::Payment, Class::new("payment")),
    (Profile::OrderStatus, Class::new("order-status")),
    (Profile::Delivery, Class::new("delivery")),
    (Profile::DeferredDelivery, Class::new("deferred-delivery")),
    (Profile::StockLevel, Class::new("stock-level")),
];

/// The workload's declaration; its result is about New-Orders.
pub fn classes() -> Vec<Class> {
    ALL.iter().map(|(_, class)| *class).collect()
}

impl Profile {
    /// Sent from terminal number `at`; its inputs are derived from `salt`.
    pub fn op(self, at: u64, salt: u64) -> Op {
        Op { kind: OpKind::Transaction, class: self as u8, len: 0, at, salt }
    }

    pub fn of(op: &Op) -> Profile {
        ALL[usize::from(op.class)].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_is_of_the_class_of_its_profile() {
        for (place, (profile, class)) in ALL.into_iter().enumerate() {
            let op = profile.op(7, 1);
            assert_eq!((usize::from(op.class), Profile::of(&op)), (place, profile));
            assert_eq!(classes()[usize::from(op.class)], class);
        }
    }
}
