//! `[powercut]`: the destination of acknowledgements, and the command that cuts the power.

use crate::plan::model::PowerCut;
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::Node;

/// More cuts than anyone waits for.
const MOST_CUTS: u32 = 1_000_000;

/// Reads the table.
pub fn powercut(node: &Node, log: &mut Mistakes) -> Option<PowerCut> {
    let mut table = Fields::of(node, "[powercut]", log)?;
    let listener = table.need("listener", "\"10.0.0.5:7411\"", log);
    let cut = table.need("cut", "[\"ipmitool\", \"-H\", \"bmc\", \"power\", \"cycle\"]", log);
    let cuts = table.get("cuts").map_or(Some(1), |n| fields::count(n, MOST_CUTS, log));
    table.finish(log);
    let listener_node = listener?;
    let listener = fields::text(listener_node, log)?;
    if !listener
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    {
        let message = format!("'{listener}' is not an address");
        log.note(listener_node.at, message, "not HOST:PORT", "as in \"10.0.0.5:7411\"");
        return None;
    }
    let cut: Vec<String> = fields::some_items(cut?, "words of the command", log)
        .iter()
        .filter_map(|word| fields::text(word, log))
        .collect();
    Some(PowerCut { listener, cut, cuts: cuts? })
}
