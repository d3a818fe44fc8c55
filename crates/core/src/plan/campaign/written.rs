//! The plan of one task of a campaign: resolved, for its points and duration, and as the file that
//! `dyno run` reads on the host.

use toml::{Table, Value as Toml};

use super::super::model::{Drive, DrivePlace, Plan, Subject};
use super::{Campaign, Specimen, SpecimenLocation, pinned};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};

impl Campaign {
    /// The plan of a specimen on a host. Its drive is not accessed here.
    pub fn plan_of(&self, specimen: &Specimen, home: &SpecimenLocation) -> Plan {
        let wanted = &self.wanted[specimen.subject].subject;
        let subject = Subject {
            name: specimen.name.clone(),
            drives: vec![home.drive.clone()],
            ..wanted.clone()
        };
        let stated = self.plan.stated.get(&wanted.name).cloned();
        let stated = stated.map(|own| (specimen.name.clone(), own)).into_iter().collect();
        pinned(Plan { subjects: vec![subject], stated, ..self.plan.clone() })
    }

    /// The same as a file; `protocol` is its value of that key.
    pub fn text_of(&self, specimen: &Specimen, home: &SpecimenLocation, protocol: &str) -> String {
        let wanted = &self.wanted[specimen.subject];
        let own = |entry: &&NodeEntry| !["protocol", "drive"].contains(&entry.key.as_str());
        let mut plan = table(self.tree.entries().iter().filter(own));
        plan.insert("protocol".into(), protocol.into());
        let stated = self.tree.get("drive").and_then(|node| node.get(&wanted.subject.name));
        if let Some(stated) = stated {
            let named = Table::from_iter([(specimen.name.clone(), value(stated))]);
            plan.insert("drive".into(), named.into());
        }
        let mut subject = table(wanted.keys.iter());
        subject.insert("name".into(), specimen.name.clone().into());
        subject.insert("drives".into(), Toml::Array(vec![drive(&home.drive).into()]));
        plan.insert("subject".into(), Toml::Array(vec![subject.into()]));
        plan.to_string()
    }
}

fn drive(drive: &Drive) -> Table {
    let mut table = Table::new();
    let text = |path: &std::path::Path| Toml::String(path.display().to_string());
    match &drive.place {
        DrivePlace::Directory(path) => table.insert("path".into(), text(path)),
        DrivePlace::Device { path, serial } => {
            table.insert("serial".into(), serial.clone().into());
            table.insert("device".into(), text(path))
        }
    };
    if drive.erase {
        let erase = match &drive.erase_signatures[..] {
            [] => true.into(),
            kinds => kinds.to_vec().into(),
        };
        table.insert("erase".into(), erase);
    }
    if !drive.connections.is_empty() {
        table.insert("connection".into(), drive.connections.clone().into());
    }
    table
}

fn table<'e>(entries: impl Iterator<Item = &'e NodeEntry>) -> Table {
    entries.map(|entry| (entry.key.clone(), value(&entry.node))).collect()
}

fn value(node: &Node) -> Toml {
    match &node.value {
        NodeValue::Text(text) => text.clone().into(),
        NodeValue::Whole(n) => i64::try_from(*n).unwrap_or(i64::MAX).into(),
        NodeValue::Number(n) => (*n).into(),
        NodeValue::Flag(flag) => (*flag).into(),
        // No key takes a date, so the campaign was already rejected.
        NodeValue::Date => "".into(),
        NodeValue::List(items) => Toml::Array(items.iter().map(value).collect()),
        NodeValue::Table(entries) => Toml::Table(table(entries.iter())),
    }
}
