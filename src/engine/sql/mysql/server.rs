//! MariaDB, MySQL or Percona Server, whichever is installed, on a folder of the drive under test.

use std::path::PathBuf;
use std::process::Command;

use super::super::Settings;
use crate::base::clock::Clock;
use crate::base::error::{Result, failed};
use crate::lab::data::Folder;
use crate::lab::server::{Limits, Order, Places, Server, program};

/// The accounts that the packages make.
const ACCOUNTS: &[&str] = &["mysql"];

/// What is installed.
struct Installed {
    server: PathBuf,
    /// MariaDB's tool that makes a data directory; MySQL's server does it itself.
    installer: Option<PathBuf>,
}

fn installed() -> Result<Installed> {
    let server = program(&["mariadbd", "mysqld"]).ok_or_else(|| {
        failed("there is no MariaDB or MySQL server here", "install one, for example: apt-get install mariadb-server")
    })?;
    let mariadb = server.ends_with("mariadbd");
    let installer = if mariadb { program(&["mariadb-install-db", "mysql_install_db"]) } else { None };
    Ok(Installed { server, installer })
}

pub fn socket(places: &Places) -> PathBuf {
    places.run.join("mysql.sock")
}

/// Makes an empty data directory in the folder.
pub fn lay_out(folder: &Folder, limits: &Limits, clock: Clock) -> Result<()> {
    let installed = installed()?;
    let nothing = |_: &Places| Command::new("true");
    let order = order(folder, &nothing, limits, clock);
    Server::lay_out(&order, &|places| match &installed.installer {
        Some(installer) => {
            let mut command = Command::new(installer);
            command.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
            command.arg(format!("--datadir={}", places.data.display()));
            command
        }
        None => {
            let mut command = Command::new(&installed.server);
            command.args(["--no-defaults", "--initialize-insecure"]);
            command.arg(format!("--datadir={}", places.data.display()));
            command
        }
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
    let installed = installed()?;
    let command = |places: &Places| {
        let mut command = Command::new(&installed.server);
        command.args(["--no-defaults", "--skip-networking", "--skip-name-resolve"]);
        command.arg(format!("--datadir={}", places.data.display()));
        command.arg(format!("--socket={}", socket(places).display()));
        command.arg(format!("--pid-file={}", places.run.join("mysql.pid").display()));
        command.arg(format!("--tmpdir={}", places.data.display()));
        command.args(settings.iter().map(|(name, value)| match value.as_str() {
            "" => format!("--{name}"),
            value => format!("--{name}={value}"),
        }));
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
    Order { folder, accounts: ACCOUNTS, command, stop_signal: libc::SIGTERM, limits, clock }
}
