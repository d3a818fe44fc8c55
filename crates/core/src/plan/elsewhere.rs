//! Reads a plan on a machine that does not have its drives: the listener of `dyno powercut`.

use std::path::Path;

use crate::plan::file::parse_file;
use crate::plan::model::PowerCut;
use crate::plan::steps::powercut::powercut;
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::Node;

/// The parts of a plan that the listener needs if the drives are on another machine: its cuts, and
/// the serial numbers.
pub fn cuts_elsewhere(path: &Path) -> Result<(PowerCut, Vec<String>), Mistakes> {
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
            log.note(tree.at, "the plan has no drive", "no serial number", help);
        }
        Some((cuts, serials))
    });
    match found {
        Some(found) if log.is_empty() => Ok(found),
        _ => Err(log),
    }
}
