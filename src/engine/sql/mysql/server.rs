//! MariaDB, MySQL or Percona Server, whichever is installed, on a folder of the drive under test.

use std::path::PathBuf;
use std::process::Command;

use super::super::{Product, Settings};
use crate::base::error::{Result, failed};
use crate::lab::server::{Places, program};

/// What is installed.
pub struct Installed {
    server: PathBuf,
    /// MariaDB's tool that makes a data directory; MySQL's server does it itself.
    installer: Option<PathBuf>,
}

pub fn installed() -> Result<Installed> {
    let server = program(&["mariadbd", "mysqld"]).ok_or_else(|| {
        failed(
            "there is no MariaDB or MySQL server here",
            "install one, for example: apt-get install mariadb-server",
        )
    })?;
    let mariadb = server.ends_with("mariadbd");
    let installer =
        if mariadb { program(&["mariadb-install-db", "mysql_install_db"]) } else { None };
    Ok(Installed { server, installer })
}

pub fn socket(places: &Places) -> PathBuf {
    places.run.join("mysql.sock")
}

impl Product for Installed {
    fn accounts(&self) -> &'static [&'static str] {
        &["mysql"]
    }

    fn stop_signal(&self) -> i32 {
        libc::SIGTERM
    }

    fn lay_out(&self, places: &Places) -> Command {
        let mut command = Command::new(self.installer.as_ref().unwrap_or(&self.server));
        command.args(match self.installer {
            Some(_) => {
                &["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"][..]
            }
            None => &["--no-defaults", "--initialize-insecure"],
        });
        command.arg(format!("--datadir={}", places.data.display()));
        command
    }

    fn run(&self, places: &Places, settings: &Settings) -> Command {
        let mut command = Command::new(&self.server);
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
    }
}
