//! The two tables that published briefs open with: the server's hardware, and its software.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::conditions::values;
use crate::analysis::facts::Facts;
use crate::report::html::escape;

pub struct Server;

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

impl Section for Server {
    fn info(&self) -> Info {
        Info { id: "server", title: "Server" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let tables = [("Server hardware", HARDWARE), ("Server software", SOFTWARE)];
        let made = tables.map(|(title, rows)| table(facts, title, rows)).concat();
        (!made.is_empty()).then(|| format!("<div class=groups>\n{made}</div>\n"))
    }
}

fn table(facts: &Facts, title: &str, rows: Rows) -> String {
    let mut body = String::new();
    for (group, name) in rows {
        let found = values(facts, group, name);
        for (whose, value) in &found {
            let name = if *name == "Version" { group } else { name };
            // What all share is said once.
            let label = if found.len() == 1 { name.to_string() } else { format!("{name}, {whose}") };
            let _ = writeln!(body, "<tr><th>{}<td>{}", escape(&label), escape(value));
        }
    }
    if body.is_empty() {
        return body;
    }
    format!("<div class=group><h3>{title}</h3><table class=pairs>\n{body}</table></div>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::conditions::tests::two_drives;

    #[test]
    fn what_all_share_is_said_once_and_what_differs_with_whose_it_is() {
        let page = Server.html(&two_drives()).unwrap();
        assert!(page.contains("<th>Model, A<td>Fast") && page.contains("<th>Model, B<td>Slow"), "{page}");
        assert!(page.contains("<th>Firmware<td>1.0") && page.contains("Server hardware"), "{page}");
    }
}
