//! Keying and think times (clauses 5.2.5.2, 5.2.5.4 and 5.2.5.7), and the terminals that follow
//! them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cards::card;
use super::profile::Profile;
use dyno_core::base::rng::{Rng, Seed};
use dyno_core::measure::{Cycles, Op};

const SECOND_NS: u64 = 1_000_000_000;

/// Simulated time before the load starts: about a dozen cycles.
const HISTORY_NS: u64 = 240 * SECOND_NS;

/// Clause 5.2.5.7: keying time, mean think time.
fn times_s(kind: Profile) -> (u64, u64) {
    match kind {
        Profile::NewOrder => (18, 12),
        Profile::Payment => (3, 12),
        Profile::OrderStatus => (2, 10),
        _ => (2, 5),
    }
}

pub fn keying_ns(kind: Profile) -> u64 {
    times_s(kind).0 * SECOND_NS
}

/// Clause 5.2.5.4: −ln(u) × mean, at most ten times the mean.
pub fn think_ns(kind: Profile, rng: &mut Rng) -> u64 {
    let mean_ns = (times_s(kind).1 * SECOND_NS) as f64;
    (rng.exponential().min(10.0) * mean_ns) as u64
}

/// A terminal's next transaction, or the execution of a queued Delivery. Ordered by time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at_ns: u64,
    terminal: u32,
    deferred: bool,
}

/// One worker's terminals. Each waits for its answer, thinks, keys in the next transaction, and
/// sends it: 15,000 of them take a few hundred bytes each and no threads of their own.
pub struct Terminals {
    /// The stream's seed: a terminal's cards and times do not depend on its worker.
    seed: Seed,
    due: BinaryHeap<Reverse<Due>>,
    /// Number of transactions started, by index in this worker's list.
    cards: Vec<u64>,
    first: u32,
    running: Option<(Due, Profile)>,
    queued: u64,
}

impl Terminals {
    /// Terminals `first .. first + count`.
    pub fn new(seed: Seed, first: u32, count: u32) -> Terminals {
        // A terminal has at most one transaction due, and its own queued Deliveries.
        let due = BinaryHeap::with_capacity(4 * count as usize + 64);
        Terminals { seed, due, cards: vec![0; count as usize], first, running: None, queued: 0 }
    }

    fn own(&self, terminal: u32) -> Seed {
        Seed::new(self.seed.at(u64::from(terminal)).draw(), 0, 0)
    }

    fn kind(&self, terminal: u32) -> Profile {
        card(self.own(terminal), self.cards[(terminal - self.first) as usize])
    }

    fn random(&self, terminal: u32) -> Rng {
        Seed::new(self.seed.at(u64::from(terminal)).draw(), 1, 0)
            .at(self.cards[(terminal - self.first) as usize])
    }

    /// From a terminal's answer to its next transaction: think time, next card, keying time.
    fn pause_ns(&mut self, terminal: u32, answered: Profile) -> u64 {
        let mut rng = self.random(terminal);
        let _inputs = rng.draw();
        let think_ns = think_ns(answered, &mut rng);
        self.cards[(terminal - self.first) as usize] += 1;
        think_ns + keying_ns(self.kind(terminal))
    }
}

impl Cycles for Terminals {
    /// Terminals start as if they had already run for some minutes, each from a different time:
    /// they do not start together, kinds with short cycles do not come first, and the mix is right
    /// from the first second.
    fn start(&mut self, start_ns: u64) {
        for place in 0..self.cards.len() as u32 {
            let terminal = self.first + place;
            let mut at_ns = self.random(terminal).below(HISTORY_NS / 2);
            while at_ns < HISTORY_NS {
                at_ns += self.pause_ns(terminal, self.kind(terminal));
            }
            self.due.push(Reverse(Due {
                at_ns: start_ns + at_ns - HISTORY_NS,
                terminal,
                deferred: false,
            }));
        }
    }

    fn due_ns(&self) -> u64 {
        self.due.peek().map_or(u64::MAX, |Reverse(due)| due.at_ns)
    }

    fn overdue(&self, now_ns: u64) -> u64 {
        self.due.iter().filter(|Reverse(due)| due.at_ns <= now_ns).count() as u64
    }

    fn next(&mut self) -> Op {
        let Some(Reverse(due)) = self.due.pop() else {
            // `due_ns` has returned that nothing will become due; a further call returns a harmless
            // value.
            return Profile::OrderStatus.op(u64::from(self.first), 0);
        };
        let kind = if due.deferred { Profile::DeferredDelivery } else { self.kind(due.terminal) };
        self.running = Some((due, kind));
        let salt = if due.deferred {
            self.queued += 1;
            mix_of(self.seed, due.terminal, self.queued)
        } else {
            self.random(due.terminal).draw()
        };
        kind.op(u64::from(due.terminal), salt)
    }

    fn completed(&mut self, completed_ns: u64) {
        let Some((due, kind)) = self.running.take() else { return };
        if due.deferred {
            return;
        }
        if kind == Profile::Delivery {
            self.due.push(Reverse(Due { at_ns: completed_ns, deferred: true, ..due }));
        }
        let at_ns = completed_ns + self.pause_ns(due.terminal, kind);
        self.due.push(Reverse(Due { at_ns, ..due }));
    }
}

fn mix_of(seed: Seed, terminal: u32, n: u64) -> u64 {
    Seed::new(seed.at(u64::from(terminal)).draw(), 2, 0).at(n).draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn think_times_have_the_mean_and_are_capped_at_ten_times_it() {
        let seed = Seed::new(1, 2, 3);
        let times: Vec<u64> =
            (0..200_000).map(|n| think_ns(Profile::NewOrder, &mut seed.at(n))).collect();
        let mean_s = times.iter().sum::<u64>() as f64 / times.len() as f64 / 1e9;
        assert!((mean_s - 12.0).abs() < 0.1, "{mean_s}");
        assert!(times.iter().all(|t| *t <= 120 * SECOND_NS));
    }

    #[test]
    fn fifteen_thousand_terminals_make_the_rate_that_their_cycles_allow() {
        let mut terminals = Terminals::new(Seed::new(1, 2, 3), 0, 15_000);
        terminals.start(0);
        let (mut ops, mut new_orders, mut early, until_ns) = (0, 0, (0, 0), 600 * SECOND_NS);
        while terminals.due_ns() < until_ns {
            let due_ns = terminals.due_ns();
            let op = terminals.next();
            ops += u64::from(Profile::of(&op) != Profile::DeferredDelivery);
            new_orders += u64::from(Profile::of(&op) == Profile::NewOrder);
            if due_ns < 20 * SECOND_NS {
                early = (ops, new_orders);
            }
            terminals.completed(due_ns + 1_000_000);
        }
        let a_warehouse_and_minute = new_orders as f64 / 10.0 / 1500.0;
        assert!(
            (12.5..12.7).contains(&a_warehouse_and_minute),
            "{a_warehouse_and_minute}: 23 cards take 476 s, of which 10 are New-Orders: 12.6"
        );
        let early = early.1 as f64 / early.0 as f64;
        assert!(
            (0.42..0.45).contains(&early),
            "{early} New-Orders in the first 20 s: the mix is right from the start"
        );
        assert!(
            (700.0..730.0).contains(&(ops as f64 / 600.0)),
            "{} transactions/s",
            ops as f64 / 600.0
        );
    }
}
