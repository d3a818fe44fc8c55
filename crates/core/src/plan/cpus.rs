//! The processors of a stream's workers: `cpus = "local"`, a list such as "0-3,8", or "none".

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::plan::syntax::fields;
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::Node;

/// More processors than any machine has.
const MOST: u32 = 4096;

/// The processors of a stream's workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Cpus {
    /// Placed by the scheduler.
    Unpinned,
    /// One each on the processors local to the drive, if it is a block device.
    Local,
    /// One each on these.
    List(BTreeSet<u32>),
}

impl TryFrom<String> for Cpus {
    type Error = String;

    fn try_from(written: String) -> Result<Cpus, String> {
        match written.as_str() {
            "none" => Ok(Cpus::Unpinned),
            "local" => Ok(Cpus::Local),
            list => read_list(list)
                .filter(|all| !all.is_empty())
                .map(Cpus::List)
                .ok_or_else(|| format!("'{written}' is not a list of processors")),
        }
    }
}

impl From<Cpus> for String {
    fn from(cpus: Cpus) -> String {
        match cpus {
            Cpus::Unpinned => "none".to_string(),
            Cpus::Local => "local".to_string(),
            Cpus::List(all) => shown_list(&all),
        }
    }
}

/// Reads "0-3,8"; None if it is not such a list.
pub fn read_list(text: &str) -> Option<BTreeSet<u32>> {
    let mut all = BTreeSet::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= MOST {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

/// "0-3,8"
pub fn shown_list(all: &BTreeSet<u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in all {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let shown = |&(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.iter().map(shown).collect::<Vec<_>>().join(",")
}

/// Reads a stream's `cpus`.
pub fn cpus(node: &Node, log: &mut Mistakes) -> Option<Cpus> {
    let written = fields::text(node, log)?;
    match Cpus::try_from(written) {
        Ok(cpus) => Some(cpus),
        Err(message) => {
            let help = "write \"local\", \"none\", or processors as in \"0-3,8\"";
            log.note(node.at, message, "not processors", help);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_reads_as_the_kernel_writes_it_and_is_shown_in_short() {
        for (written, shown) in [("0-3,8", "0-3,8"), ("8, 0,1, 2,3", "0-3,8"), ("5", "5")] {
            let cpus = Cpus::try_from(written.to_string()).expect(written);
            assert_eq!(String::from(cpus), shown);
        }
        for wrong in ["", "a", "3-1", "-1", "0-9999", "1;2"] {
            assert!(Cpus::try_from(wrong.to_string()).is_err(), "{wrong}");
        }
    }
}
