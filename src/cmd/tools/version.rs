//! `dyno version` and `dyno --version`.

use std::io::Write;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::cmd::json::{self, OutputFormat};
use crate::record::METHOD;

/// The commit that the program was built from. Those who build a release set it (`make install`):
/// were it asked of git by a build script, every commit would compile the whole library anew, or a
/// stale answer would be shown.
const COMMIT: Option<&str> = option_env!("DYNO_COMMIT");

/// Which program this is.
#[derive(Serialize, JsonSchema)]
pub struct ProgramVersion {
    /// Version of the package.
    dyno: &'static str,
    /// The commit it was built from; null where the build did not name it.
    commit: Option<&'static str>,
    /// Version of the measuring method: bundles of different ones are not compared.
    method: u32,
    /// The bundled RocksDB; null in a build without it.
    rocksdb: Option<String>,
    /// Cargo's features that are in it.
    features: Vec<&'static str>,
    /// "release", or "debug": one without optimisation, whose figures are not to be published.
    build: &'static str,
    /// Processor architecture and operating system.
    target: String,
}

#[cfg(feature = "rocksdb")]
fn rocksdb() -> Option<String> {
    Some(crate::engine::rocksdb::version())
}

#[cfg(not(feature = "rocksdb"))]
fn rocksdb() -> Option<String> {
    None
}

impl ProgramVersion {
    fn new() -> ProgramVersion {
        ProgramVersion {
            dyno: env!("CARGO_PKG_VERSION"),
            commit: COMMIT.filter(|commit| !commit.is_empty()),
            method: METHOD.0,
            rocksdb: rocksdb(),
            features: if cfg!(feature = "rocksdb") { vec!["rocksdb"] } else { vec![] },
            build: if cfg!(debug_assertions) { "debug" } else { "release" },
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        }
    }

    fn in_words(&self) -> String {
        let none = || "none".to_string();
        let features = if self.features.is_empty() { none() } else { self.features.join(", ") };
        format!(
            "{}\ncommit    {}\nmethod    {}\nRocksDB   {}\nfeatures  {features}\nbuild     {}, {}",
            self.dyno,
            self.commit.unwrap_or("not recorded by the build"),
            self.method,
            self.rocksdb.clone().unwrap_or_else(none),
            self.build,
            self.target,
        )
    }
}

/// What `--version` prints after the program's name.
pub fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| ProgramVersion::new().in_words());
    &LONG
}

/// Prints it as text or as JSON.
pub fn version(format: OutputFormat, out: &mut dyn Write) -> Result<()> {
    if format.json {
        return json::print(&ProgramVersion::new(), out);
    }
    writeln!(out, "dyno {}", long())?;
    Ok(())
}
