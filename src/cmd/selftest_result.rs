//! The self-test's result, stored for this host.

use crate::base::error::{Context, Result};
use crate::base::private;
use crate::lab;
use crate::record::selftest::SelfTest;
use crate::record::setup::HostSetup;

/// Where results are stored, by host.
pub const KEPT: &str = "selftest";

/// Stores the result for this host, in addition to those of others.
pub fn keep(found: &SelfTest) -> Result<()> {
    private::remember(KEPT, &line(found)?);
    Ok(())
}

/// A stored result: a line of JSON, with its key.
pub fn line(found: &SelfTest) -> Result<String> {
    serde_json::to_string(&(host(), found)).context("writing the self-test")
}

/// The newest self-test of this host, kernel, processor and build type.
pub fn kept() -> Option<SelfTest> {
    let own = host();
    let read = |line: &String| serde_json::from_str::<([String; 4], SelfTest)>(line).ok();
    private::recall(KEPT)
        .iter()
        .rev()
        .filter_map(read)
        .find(|(of, _)| *of == own)
        .map(|(_, found)| found)
}

/// The key of a result. An unoptimised build is a different program to measure.
fn host() -> [String; 4] {
    let HostSetup { kernel_release, cpu_model, .. } = lab::machine::host::gather();
    let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default().trim().to_string();
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let [kernel, cpu] = [kernel_release, cpu_model].map(Option::unwrap_or_default);
    [machine, kernel, cpu, build.to_string()]
}
