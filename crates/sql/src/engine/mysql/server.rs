//! MariaDB, MySQL or Percona Server, whichever is installed, in a folder on the drive under test.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::super::{Product, Settings};
use dyno_core::base::error::{Result, failed};
use dyno_core::lab::server::{ServerPaths, program};

/// The installed product.
pub struct MysqlInstallation {
    server: PathBuf,
    /// MariaDB's tool that creates a data directory; MySQL's server does it itself.
    installer: Option<PathBuf>,
    /// The variables that it supports, as spelled on a command line; empty if unknown.
    known: BTreeSet<String>,
    left_out: Vec<String>,
}

/// The server set in the plan, or the one on the PATH. Its product and supported settings are
/// queried from it.
pub fn installed(named: Option<&str>) -> Result<MysqlInstallation> {
    let server = match named {
        Some(path) => Some(PathBuf::from(path)).filter(|path| path.is_file()).ok_or_else(|| {
            failed(
                format!("there is no server at '{path}', the plan's `program`"),
                "specify the server itself, as in \"/usr/sbin/mysqld\", or leave it out",
            )
        })?,
        None => program(&["mariadbd", "mysqld"]).ok_or_else(|| {
            failed(
                "there is no MariaDB or MySQL server here",
                "install one, for example: apt-get install mariadb-server",
            )
        })?,
    };
    let said = |arguments: &[&str]| {
        let output = Command::new(&server).args(arguments).stdin(Stdio::null()).output().ok();
        output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default()
    };
    let mariadb = said(&["--no-defaults", "--version"]).contains("MariaDB");
    let installer =
        if mariadb { program(&["mariadb-install-db", "mysql_install_db"]) } else { None };
    let known = variables(&said(&["--no-defaults", "--verbose", "--help"]));
    Ok(MysqlInstallation { server, installer, known, left_out: Vec::new() })
}

/// The names in the table of variables that ends a server's help.
fn variables(help: &str) -> BTreeSet<String> {
    let table = help.lines().skip_while(|line| !line.starts_with("Variables (--variable-name"));
    let rows = table.skip_while(|line| !line.starts_with("-----")).skip(1);
    let rows = rows.take_while(|line| !line.trim().is_empty());
    rows.filter_map(|row| Some(row.split_whitespace().next()?.replace('_', "-"))).collect()
}

impl MysqlInstallation {
    /// The settings that this version supports. The others are omitted, and disclosed as such; the
    /// redo log's size uses its name from MySQL 8.0.30 on if that is supported.
    pub fn fit(&mut self, mut settings: Settings) -> Settings {
        if self.known.is_empty() {
            return settings;
        }
        let renamed = "innodb-redo-log-capacity";
        for (name, _) in settings.iter_mut().filter(|(name, _)| name == "innodb-log-file-size") {
            if self.known.contains(renamed) {
                *name = renamed.to_string();
            }
        }
        let known = |name: &str| self.known.contains(name.strip_prefix("skip-").unwrap_or(name));
        let (fit, other): (Settings, Settings) =
            settings.into_iter().partition(|(name, _)| known(name));
        self.left_out = other.into_iter().map(|(name, _)| name).collect();
        fit
    }
}

pub fn socket(places: &ServerPaths) -> PathBuf {
    places.run.join("mysql.sock")
}

impl Product for MysqlInstallation {
    fn accounts(&self) -> &'static [&'static str] {
        &["mysql"]
    }

    fn stop_signal(&self) -> i32 {
        libc::SIGTERM
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }

    fn lay_out(&self, places: &ServerPaths) -> Command {
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

    fn run(&self, places: &ServerPaths, settings: &Settings) -> Command {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of a server's help, as printed by MySQL and MariaDB.
    const HELP: &str = "mysqld  Ver 8.4.0\n  --innodb-x  An option.\n\nVariables \
                        (--variable-name=value)\nand boolean options {FALSE|TRUE}   Value (after \
                        reading options)\n---------------- ---------------\nlocal-infile   \
                        FALSE\nlog-bin        mysql-bin\ninnodb-redo-log-capacity  100\n\nTo see \
                        what values\n";

    fn fitted(help: &str) -> (Vec<String>, Vec<String>) {
        let mut server = MysqlInstallation {
            server: PathBuf::new(),
            installer: None,
            known: variables(help),
            left_out: Vec::new(),
        };
        let asked = ["local-infile", "skip-log-bin", "innodb-log-file-size", "query-cache-type"];
        let settings = asked.map(|name| (name.to_string(), "1".to_string())).to_vec();
        let fit = server.fit(settings).into_iter().map(|(name, _)| name).collect();
        (fit, server.left_out)
    }

    #[test]
    fn settings_that_a_version_does_not_know_are_left_out_and_named() {
        let (fit, left_out) = fitted(HELP);
        assert_eq!(fit, ["local-infile", "skip-log-bin", "innodb-redo-log-capacity"]);
        assert_eq!(left_out, ["query-cache-type"]);
        let older = HELP.replace("innodb-redo-log-capacity", "innodb-log-file-size");
        assert_eq!(fitted(&older).0[2], "innodb-log-file-size");
        let (fit, left_out) = fitted("a server that does not say");
        assert_eq!((fit.len(), left_out.len()), (4, 0));
    }
}
