//! The two tables that published briefs open with: the server's hardware, and its software.

use super::Section;
use crate::analysis::conditions::values;
use crate::analysis::facts::Facts;
use crate::brief::block::Block;

pub const SECTION: Section = Section { id: "server", title: "Server", blocks };

/// Group and name of a fact, in the order of the table.
type Rows = &'static [(&'static str, &'static str)];

const HARDWARE: Rows = &[
    ("Host", "Vendor"),
    ("Host", "Server"),
    ("Host", "Board"),
    ("Host", "BIOS"),
    ("Host", "Virtual machine"),
    ("CPU", "Model"),
    ("CPU", "Sockets"),
    ("CPU", "Cores a socket"),
    ("CPU", "Logical processors"),
    ("CPU", "SMT"),
    ("CPU", "Highest frequency"),
    ("CPU", "NUMA nodes"),
    ("Memory", "Total"),
    ("Memory", "Modules"),
    ("Drive", "Model"),
    ("Drive", "Serial"),
    ("Drive", "Firmware"),
    ("Drive", "Capacity"),
    ("Drive", "Logical block size"),
    ("Drive", "Link speed"),
    ("Drive", "Link width"),
    ("Drive", "NUMA node"),
];

const SOFTWARE: Rows = &[
    ("Host", "Operating system"),
    ("Kernel", "Release"),
    ("Kernel", "Command line"),
    ("Kernel", "Driver nvme"),
    ("Kernel", "Driver nvme_core"),
    ("CPU", "Governor"),
    ("CPU", "Frequency driver"),
    ("CPU", "Mitigations"),
    ("Memory", "Transparent huge pages"),
    ("Drive", "Filesystem"),
    ("Drive", "Mount options"),
    ("Drive", "Scheduler"),
    ("Dyno", "Version"),
    ("RocksDB", "Version"),
    ("MySQL", "Version"),
    ("MariaDB", "Version"),
    ("PostgreSQL", "Version"),
    ("SQL Server", "Version"),
];

fn blocks(facts: &Facts) -> Vec<Block> {
    let tables = [("Server hardware", HARDWARE), ("Server software", SOFTWARE)];
    let found = tables.map(|(title, rows)| (title, pairs(facts, rows)));
    let some = found.into_iter().filter(|(_, pairs)| !pairs.is_empty());
    some.map(|(title, pairs)| Block::Pairs(title.to_string(), pairs)).collect()
}

fn pairs(facts: &Facts, rows: Rows) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (group, name) in rows {
        let found = values(facts, group, name);
        for (whose, value) in &found {
            let name = if *name == "Version" { group } else { name };
            // What all share is said once.
            let label = if found.len() == 1 { name.to_string() } else { format!("{name}, {whose}") };
            pairs.push((label, value.clone()));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::conditions::tests::two_drives;

    #[test]
    fn what_all_share_is_said_once_and_what_differs_with_whose_it_is() {
        let made = blocks(&two_drives());
        let [Block::Pairs(title, pairs), ..] = &made[..] else { panic!("{made:?}") };
        let has = |name: &str, value: &str| pairs.contains(&(name.to_string(), value.to_string()));
        assert!(title == "Server hardware" && has("Firmware", "1.0"), "{pairs:?}");
        assert!(has("Model, A", "Fast") && has("Model, B", "Slow"), "{pairs:?}");
    }
}
