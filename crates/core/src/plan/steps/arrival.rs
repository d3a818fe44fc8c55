//! `arrival = "poisson"`, or `{ bursts = 8, length = "100ms", every = "1s" }`.

use crate::plan::model::{Arrival, BurstArrivals};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::{Node, NodeValue};

/// Arrivals that have no settings.
pub const ARRIVALS: &[&str] = &["fixed", "poisson", "refill"];

/// Reads a stream's arrivals.
pub fn arrival(node: &Node, log: &mut Mistakes) -> Option<Arrival> {
    if let NodeValue::Table(_) = node.value {
        return bursts(node, log).map(Arrival::Bursts);
    }
    fields::choice(node, ARRIVALS, log).map(|word| match word {
        "poisson" => Arrival::Poisson,
        "refill" => Arrival::Refill,
        _ => Arrival::Fixed,
    })
}

fn bursts(node: &Node, log: &mut Mistakes) -> Option<BurstArrivals> {
    let mut table = Fields::of(node, "arrivals with bursts", log)?;
    let factor = table.need("bursts", "8", log);
    let length = table.need("length", "\"100ms\"", log);
    let every = table.need("every", "\"1s\"", log);
    table.finish(log);
    let (least, most) = BurstArrivals::FACTORS;
    let factor = fields::number(factor?, least, most, log);
    let (length_ns, every_ns) =
        (fields::some_time_ns(length?, log), fields::some_time_ns(every?, log));
    let found = BurstArrivals { factor: factor?, length_ns: length_ns?, every_ns: every_ns? };
    if found.length_ns >= found.every_ns {
        let help = "let 'length' be below 'every', the mean time from one burst to the next";
        log.note(node.at, "bursts do not end before the next begins", "here", help);
        return None;
    }
    Some(found)
}
