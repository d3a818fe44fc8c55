//! The next transaction: cards from a shuffled deck (clause 5.2.4.2).
//!
//! A deck of ten New-Orders, ten Payments and one of each other kind gives 43.5 % Payments and 4.3
//! % of each other kind, above the minimum of clause 5.2.3 (43 and 4 %).

use super::profile::Profile;
use dyno_core::base::rng::Seed;

pub const DECK: usize = 23;

/// Card `n` of a terminal's endless sequence of shuffled decks.
pub fn card(seed: Seed, n: u64) -> Profile {
    let mut deck = [Profile::NewOrder; DECK];
    deck[10..20].fill(Profile::Payment);
    (deck[20], deck[21], deck[22]) = (Profile::OrderStatus, Profile::Delivery, Profile::StockLevel);
    let mut rng = seed.at(n / DECK as u64);
    for i in (1..DECK).rev() {
        deck.swap(i, rng.below(i as u64 + 1) as usize);
    }
    deck[(n % DECK as u64) as usize]
}
