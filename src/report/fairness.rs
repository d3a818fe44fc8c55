//! Fairness between subjects: what differs between them apart from the drive, and how much that matters.

use super::facts::Facts;
use super::words;
use crate::plan::Order;

/// How much a difference matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The subjects did not do the same, or not to like drives.
    Disqualifying,
    /// It may have changed the numbers.
    Doubtful,
    Harmless,
}

impl Grade {
    pub fn name(self) -> &'static str {
        match self {
            Grade::Disqualifying => "disqualifying",
            Grade::Doubtful => "doubtful",
            Grade::Harmless => "harmless",
        }
    }
}

/// Facts that should be alike: their heading, their name, and how much it matters if they are not.
const ALIKE: &[(&str, &str, Grade)] = &[
    ("Drive", "Logical block size", Grade::Disqualifying),
    ("Drive", "Metadata", Grade::Disqualifying),
    ("Drive", "Filesystem", Grade::Doubtful),
    ("Drive", "Mount options", Grade::Doubtful),
    ("Drive", "Link speed", Grade::Doubtful),
    ("Drive", "Link width", Grade::Doubtful),
    ("Drive", "NUMA node", Grade::Doubtful),
    ("Drive", "Scheduler", Grade::Doubtful),
    ("Drive", "Queue", Grade::Doubtful),
    ("Drive", "Write cache", Grade::Doubtful),
    ("Drive", "Firmware", Grade::Harmless),
    ("Drive", "Capacity", Grade::Harmless),
    ("RocksDB", "Version", Grade::Disqualifying),
    ("RocksDB", "Options", Grade::Disqualifying),
    ("Dyno", "Version", Grade::Doubtful),
    ("Host", "Server", Grade::Disqualifying),
    ("Host", "BIOS", Grade::Doubtful),
    ("CPU", "Model", Grade::Disqualifying),
    ("CPU", "SMT", Grade::Doubtful),
    ("CPU", "Governor", Grade::Doubtful),
    ("CPU", "Mitigations", Grade::Doubtful),
    ("Memory", "Total", Grade::Doubtful),
    ("Kernel", "Release", Grade::Doubtful),
    ("Kernel", "Command line", Grade::Doubtful),
];

/// Something that is not alike.
pub struct Difference {
    pub grade: Grade,
    pub what: String,
    /// "512 bytes (A), 4096 bytes (B)"
    pub values: String,
}

/// Every difference, the worst first.
pub fn differences(facts: &Facts) -> Vec<Difference> {
    let mut all: Vec<Difference> = Vec::new();
    for (group, name, grade) in ALIKE {
        let found = values(facts, group, name);
        if found.len() > 1 {
            let each: Vec<String> = found.iter().map(|(whose, value)| format!("{value} ({whose})")).collect();
            all.push(Difference { grade: *grade, what: format!("{group}: {name}"), values: each.join(", ") });
        }
    }
    if facts.runs.len() > 1 && facts.subjects.len() > 1 {
        let times: Vec<String> = facts.runs.iter().map(|r| words::moment(r.started_unix_ns)).collect();
        let what = "Measured in runs of their own".to_string();
        all.push(Difference { grade: Grade::Doubtful, what, values: times.join(", ") });
    } else if facts.subjects.len() > 1 && facts.runs.iter().any(|r| r.order == Order::Blocked) {
        let what = "Measured one subject after the other".to_string();
        let values = "what changed with time met them unequally".to_string();
        all.push(Difference { grade: Grade::Doubtful, what, values });
    }
    all.sort_by_key(|d| d.grade);
    all
}

/// The distinct values of a fact, each with whose it is: a subject's, a file's, or nobody's in particular.
pub fn values(facts: &Facts, group: &str, name: &str) -> Vec<(String, String)> {
    let mut found: Vec<(Vec<&str>, &str)> = Vec::new();
    let groups = facts.disclosure.iter().filter(|g| {
        let rest = g.name.strip_prefix(group);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": ") || rest.starts_with(" ("))
    });
    for g in groups {
        let whose = g.name[group.len()..].trim_start_matches([':', ' ']);
        for (_, value) in g.rows.iter().filter(|(n, _)| n == name) {
            match found.iter_mut().find(|(_, known)| known == value) {
                Some((all, _)) => all.push(whose),
                None => found.push((vec![whose], value)),
            }
        }
    }
    found.into_iter().map(|(whose, value)| (whose.join(", "), value.to_string())).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::report::facts::Group;

    /// Two drives that differ in their block size and their model, and agree in firmware.
    pub fn two_drives() -> Facts {
        let group = |name: &str, model: &str, block: &str| Group {
            name: name.into(),
            rows: [("Model", model), ("Firmware", "1.0"), ("Logical block size", block)]
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .into(),
        };
        Facts {
            title: String::new(),
            protocol: String::new(),
            source: String::new(),
            runs: Vec::new(),
            subjects: vec!["A".into(), "B".into()],
            drives: Vec::new(),
            steps: Vec::new(),
            prepared: Vec::new(),
            failures: Vec::new(),
            checks: Vec::new(),
            disclosure: vec![
                group("Drive: A", "Fast", "512 bytes"),
                group("Drive: B", "Slow", "4096 bytes"),
                group("Driver", "x", "1 byte"),
            ],
        }
    }

    #[test]
    fn another_block_size_disqualifies_and_another_model_is_what_is_compared() {
        let found = differences(&two_drives());
        let rows: Vec<_> = found.iter().map(|d| (d.grade, d.what.as_str(), d.values.as_str())).collect();
        assert_eq!(rows, [(Grade::Disqualifying, "Drive: Logical block size", "512 bytes (A), 4096 bytes (B)")]);
    }
}
