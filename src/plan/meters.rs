//! Meters in a plan: `meters = ["rapl", { kind = "exec", command = ["…"], class = "drive" }]`, on a subject or for the
//! whole run; `meters = "none"` turns off those that always watch.

use super::Catalogue;
use super::fields;
use super::knobs;
use super::mistakes::Mistakes;
use super::model::Part;
use super::node::{Node, Value};

/// `meters = "none"`
pub fn none(node: &Node) -> bool {
    matches!(&node.value, Value::Text(word) if word == "none")
}

/// Reads a list of meters; none where the plan has none.
pub fn meters(node: Option<&Node>, catalogue: &Catalogue, log: &mut Mistakes) -> Vec<Part> {
    let items = node.map(|n| fields::list(n, "meters, as in [\"rapl\"]", log)).unwrap_or_default();
    let resolve = |item: &Node| {
        let written = knobs::part(item, "meter", &catalogue.meters, &[], log)?;
        Some(knobs::resolve(written.info, &written.given, written.at, log))
    };
    items.iter().filter_map(resolve).collect()
}
