//! `[powercut]`: where acknowledgements go, and what cuts the power.

use std::path::Path;

use super::fields::{self, Fields};
use super::file::parse_file;
use super::mistakes::Mistakes;
use super::node::Node;

/// More cuts than anyone waits for.
const MOST_CUTS: u32 = 1_000_000;

/// The cuts of a plan. No bundle keeps them: a hook may hold a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerCut {
    /// HOST:PORT of the machine that keeps the acknowledgements.
    pub listener: String,
    /// The command that this machine executes to cut the other's power and give it back.
    pub cut: Vec<String>,
    /// How many cuts.
    pub cuts: u32,
}

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
        let message = format!("'{listener}' is no address");
        log.note(listener_node.at, message, "not HOST:PORT", "as in \"10.0.0.5:7411\"");
        return None;
    }
    let cut: Vec<String> = fields::some_items(cut?, "words of the command", log)
        .iter()
        .filter_map(|word| fields::text(word, log))
        .collect();
    Some(PowerCut { listener, cut, cuts: cuts? })
}

/// What the listener needs of a plan whose drives are those of another machine: its cuts, and the
/// serial numbers that it names.
pub fn elsewhere(path: &Path) -> Result<(PowerCut, Vec<String>), Mistakes> {
    let mut log = Mistakes::default();
    let found = parse_file(path, &mut log).and_then(|tree| {
        let cuts = match tree.get("powercut") {
            Some(node) => powercut(node, &mut log),
            None => {
                let help =
                    "add [powercut] with listener = \"HOST:PORT\" and cut = [\"COMMAND\", …]";
                log.note(tree.at, "the plan cuts no power", "no [powercut]", help);
                None
            }
        }?;
        let subjects = tree.get("subject").map(Node::items).unwrap_or_default();
        let drives = subjects.iter().filter_map(|subject| subject.get("drives"));
        let serials: Vec<String> = drives
            .flat_map(Node::items)
            .filter_map(|drive| drive.get("serial")?.as_text().map(str::to_string))
            .collect();
        if serials.is_empty() {
            let help = "name it as for the host: [[subject]] with drives = [{ device, serial, … }]";
            log.note(tree.at, "the plan names no drive", "no serial number", help);
        }
        Some((cuts, serials))
    });
    match found {
        Some(found) if log.is_empty() => Ok(found),
        _ => Err(log),
    }
}
