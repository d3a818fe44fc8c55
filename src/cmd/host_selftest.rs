//! The self-test that is kept of this host: in the user's own state directory, by host, kernel, processor and kind of build.

use crate::base::error::{Context, Result};
use crate::base::private;
use crate::lab;
use crate::record::Fact;
use crate::record::selftest::SelfTest;

/// Where results are kept, by host.
const KEPT: &str = "selftest";

/// Keeps a result of this host.
pub fn keep(found: &SelfTest) -> Result<()> {
    let line = serde_json::to_string(&(host(), found)).context("writing the self-test")?;
    private::remember(KEPT, &line);
    Ok(())
}

/// The newest self-test of this host, kernel, processor and kind of build.
pub fn kept() -> Option<SelfTest> {
    let own = host();
    let read = |line: &String| serde_json::from_str::<([String; 4], SelfTest)>(line).ok();
    private::recall(KEPT).iter().rev().filter_map(read).find(|(of, _)| *of == own).map(|(_, found)| found)
}

/// The same as facts, for a bundle.
pub fn facts() -> Vec<Fact> {
    kept().map(|found| found.to_facts()).unwrap_or_default()
}

/// What a result is of. A build without optimisation measures another Dyno.
fn host() -> [String; 4] {
    let facts = lab::facts::gather(&[]);
    let fact = |group: &str, name: &str| {
        let found = facts.iter().find(|f| f.group == group && f.name == name);
        found.map(|f| f.value.clone()).unwrap_or_default()
    };
    let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default().trim().to_string();
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    [machine, fact("Kernel", "Release"), fact("CPU", "Model"), build.to_string()]
}
