//! PostgreSQL on a folder of the drive under test.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::Settings;
use crate::base::clock::Clock;
use crate::base::error::{Result, failed};
use crate::lab::data::Folder;
use crate::lab::server::{Limits, Order, Places, Server, program};

const ACCOUNTS: &[&str] = &["postgres"];

/// The superuser that initdb makes; it is reached through the socket alone.
pub const SUPERUSER: &str = "dyno";

/// The folder with `initdb` and `postgres`, which belong together: Debian's newest, or that of the PATH.
fn binaries() -> Result<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = versions.map(|entry| entry.path().join("bin")).filter(|bin| bin.join("initdb").is_file()).max();
    let found = debian.or_else(|| program(&["initdb"]).and_then(|file| file.parent().map(Path::to_path_buf)));
    found.ok_or_else(|| {
        failed("there is no PostgreSQL server here", "install one, for example: apt-get install postgresql")
    })
}

/// Makes an empty data directory in the folder.
pub fn lay_out(folder: &Folder, limits: &Limits, clock: Clock) -> Result<()> {
    let bin = binaries()?;
    let nothing = |_: &Places| Command::new("true");
    Server::lay_out(&order(folder, &nothing, limits, clock), &|places| {
        let mut command = Command::new(bin.join("initdb"));
        command.args(["--username", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C", "-D"]);
        command.arg(&places.data);
        command
    })
}

/// Starts the server on a data directory that was laid out.
pub fn start(
    folder: &Folder,
    settings: &Settings,
    limits: &Limits,
    clock: Clock,
    ready: &mut dyn FnMut(&Places) -> std::result::Result<(), String>,
) -> Result<Server> {
    let bin = binaries()?;
    let command = |places: &Places| {
        let mut command = Command::new(bin.join("postgres"));
        command.arg("-D").arg(&places.data).arg("-k").arg(&places.run).args(["-c", "listen_addresses="]);
        for (name, value) in settings {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command
    };
    Server::start(&order(folder, &command, limits, clock), ready)
}

fn order<'a>(
    folder: &'a Folder,
    command: &'a dyn Fn(&Places) -> Command,
    limits: &'a Limits,
    clock: Clock,
) -> Order<'a> {
    // SIGINT: a fast shutdown, which ends sessions and writes a checkpoint.
    Order { folder, accounts: ACCOUNTS, command, stop_signal: libc::SIGINT, limits, clock }
}
