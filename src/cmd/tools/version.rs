//! `dyno version` and `dyno --version`.

use std::io::Write;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::cmd::json::{self, OutputFormat};
use crate::record::METHOD;

/// The commit of the program. Set by those who build a release (`make install`): if a build script
/// queried git, every commit would recompile the whole library, or a stale value would be shown.
const COMMIT: Option<&str> = option_env!("DYNO_COMMIT");

/// The program's identification.
#[derive(Serialize, JsonSchema)]
pub struct ProgramVersion {
    /// Version of the package.
    dyno: &'static str,
    /// The commit; null if not set by the build.
    commit: Option<&'static str>,
    /// Version of the measuring method: bundles with different versions are not compared.
    method: u32,
    /// The bundled RocksDB; null in a build without it.
    rocksdb: Option<String>,
    /// Its enabled Cargo features.
    features: Vec<&'static str>,
    /// "release", or "debug": without optimisation, so its figures should not be published.
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

/// The text of `--version` after the program's name.
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
