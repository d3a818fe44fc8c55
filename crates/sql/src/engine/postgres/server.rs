//! PostgreSQL in a folder on the drive under test.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::{Product, Settings};
use dyno_core::base::error::{Result, failed};
use dyno_core::lab::server::{ServerPaths, program};

/// The superuser that initdb creates; reachable only through the socket.
pub const SUPERUSER: &str = "dyno";

/// The folder with `initdb` and `postgres`, which must match: Debian's newest, or the one on the
/// PATH.
pub struct PostgresInstallation(PathBuf);

pub fn installed() -> Result<PostgresInstallation> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = versions
        .map(|entry| entry.path().join("bin"))
        .filter(|bin| bin.join("initdb").is_file())
        .max();
    let found = debian
        .or_else(|| program(&["initdb"]).and_then(|file| file.parent().map(Path::to_path_buf)));
    found.map(PostgresInstallation).ok_or_else(|| {
        failed(
            "there is no PostgreSQL server here",
            "install one, for example: apt-get install postgresql",
        )
    })
}

impl Product for PostgresInstallation {
    fn accounts(&self) -> &'static [&'static str] {
        &["postgres"]
    }

    /// A fast shutdown, which ends sessions and writes a checkpoint.
    fn stop_signal(&self) -> i32 {
        libc::SIGINT
    }

    fn lay_out(&self, places: &ServerPaths) -> Command {
        let mut command = Command::new(self.0.join("initdb"));
        command.args([
            "--username",
            SUPERUSER,
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "-D",
        ]);
        command.arg(&places.data);
        command
    }

    fn run(&self, places: &ServerPaths, settings: &Settings) -> Command {
        let mut command = Command::new(self.0.join("postgres"));
        command
            .arg("-D")
            .arg(&places.data)
            .arg("-k")
            .arg(&places.run)
            .args(["-c", "listen_addresses="]);
        for (name, value) in settings {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command
    }
}
