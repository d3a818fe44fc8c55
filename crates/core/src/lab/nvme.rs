//! nvme-cli, which administers NVMe drives: its arguments, as spelled in versions 2 and 3, and its
//! output.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

use crate::base::error::{Result, failed};

/// An nvme-cli command, as spelled in version 2 and, if different, in version 3.
pub struct Spelling {
    pub two: &'static [&'static str],
    pub three: &'static [&'static str],
}

pub const ID_CTRL: Spelling = Spelling { two: &["id-ctrl"], three: &["id", "ctrl"] };
pub const ID_NS: Spelling = Spelling { two: &["id-ns"], three: &["id", "ns"] };
pub const LIST_NS: Spelling = Spelling { two: &["list-ns"], three: &["id", "ns-list"] };
pub const SMART_LOG: Spelling = Spelling { two: &["smart-log"], three: &["log", "smart"] };

/// nvme-cli in one of its versions: installed, or scripted by a test.
#[derive(Clone, Debug)]
pub struct NvmeCli {
    /// Its search path.
    path: String,
    major: u32,
}

impl NvmeCli {
    /// The one installed where only root installs programs.
    pub fn installed() -> &'static NvmeCli {
        static TOOL: LazyLock<NvmeCli> =
            LazyLock::new(|| NvmeCli::on("/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"));
        &TOOL
    }

    /// The first one in these folders; version 2 if it does not report its version.
    pub fn on(path: &str) -> NvmeCli {
        let tool = NvmeCli { path: path.to_string(), major: 2 };
        let said = tool.command().arg("version").output().ok();
        let major = said.and_then(|o| major(&String::from_utf8_lossy(&o.stdout)));
        NvmeCli { major: major.unwrap_or(2), ..tool }
    }

    fn command(&self) -> Command {
        let mut command = Command::new("nvme");
        command.env("PATH", &self.path).stdin(Stdio::null());
        command
    }

    fn spelled(&self, spelling: &Spelling) -> &'static [&'static str] {
        if self.major >= 3 { spelling.three } else { spelling.two }
    }

    /// The JSON output of a read command; None without the tool or an answer.
    pub fn ask(&self, spelling: &Spelling, node: &Path, options: &[String]) -> Option<Value> {
        let mut command = self.command();
        command.args(self.spelled(spelling)).arg(node).args(options).arg("--output-format=json");
        serde_json::from_slice(&command.output().ok()?.stdout).ok()
    }

    /// A raw log page.
    pub fn log(&self, id: u8, bytes: usize, node: &Path) -> Option<Vec<u8>> {
        let options =
            [format!("--log-id={id:#x}"), format!("--log-len={bytes}"), "--raw-binary".to_string()];
        let output = self.command().arg("get-log").arg(node).args(options).output().ok()?;
        (output.status.success() && output.stdout.len() >= bytes).then_some(output.stdout)
    }

    /// Executes a command that changes something; the tool's own message if it fails.
    pub fn order(&self, spelling: &Spelling, node: &Path, options: &[String]) -> Result<()> {
        let words = self.spelled(spelling);
        let output = self.command().args(words).arg(node).args(options).output();
        let output = output
            .map_err(|e| failed(format!("nvme-cli cannot be started: {e}"), "install nvme-cli"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stderr, output.stdout].concat();
        let said = String::from_utf8_lossy(&said).split_whitespace().collect::<Vec<_>>().join(" ");
        Err(failed(
            format!("`nvme {} {}` failed: {said}", words.join(" "), node.display()),
            "check `dmesg`, and what the drive supports (`nvme id-ctrl`)",
        ))
    }
}

/// The JSON output of the installed tool's read command.
pub fn ask(spelling: &Spelling, node: &Path) -> Option<Value> {
    NvmeCli::installed().ask(spelling, node, &[])
}

/// The output of a read command.
pub fn text(command: &[&str], node: &Path) -> Option<String> {
    let output = NvmeCli::installed().command().args(command).arg(node).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// SMART / Health Information: log page 02h (NVM Express Base Specification 2.3, 5.2.12.1.3), at
/// least its 512 bytes.
pub fn health_log(node: &Path) -> Option<Vec<u8>> {
    NvmeCli::installed().log(0x02, 512, node)
}

/// Executes a command of the installed tool that changes something.
pub fn order(spelling: &Spelling, node: &Path, options: &[String]) -> Result<()> {
    NvmeCli::installed().order(spelling, node, options)
}

/// "nvme version 2.3 (git 2.3)"
fn major(said: &str) -> Option<u32> {
    let after = said.split("version").nth(1)?.trim_start().trim_start_matches('v');
    after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// A controller's capabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Namespaces can be created and deleted.
    pub manages_namespaces: bool,
    pub format: bool,
    pub format_crypto: bool,
    /// A format or its erase affects all namespaces of the controller.
    pub format_hits_all: bool,
    pub sanitize_crypto: bool,
    pub sanitize_block: bool,
    pub sanitize_overwrite: bool,
}

/// Queries the controller; None if it does not answer.
pub fn abilities(node: &Path) -> Option<Abilities> {
    let answer = ask(&ID_CTRL, node)?;
    let number = |name: &str| answer.get(name).and_then(Value::as_u64);
    Some(read(number("oacs")?, number("fna")?, number("sanicap").unwrap_or(0)))
}

/// Whether a namespace guarantees zeroes for deallocated logical blocks; false if it does not
/// answer.
pub fn reads_zeroes_where_deallocated(node: &Path) -> bool {
    let answer = ask(&ID_NS, node);
    answer.and_then(|answer| answer.get("dlfeat")?.as_u64()).is_some_and(promises_zeroes)
}

/// Identify Namespace, DLFEAT (NVM Command Set Specification 1.0, figure 97): bits 2:0 are 001b for
/// zeroes, 010b for ones, 000b without a guarantee.
fn promises_zeroes(dlfeat: u64) -> bool {
    dlfeat & 0b111 == 0b001
}

/// Bits of Identify Controller: OACS 1 (format) and 3 (namespace management); FNA 0 (format) and 1
/// (erase) affect all, 2 has crypto; SANICAP 0, 1 and 2.
fn read(oacs: u64, fna: u64, sanicap: u64) -> Abilities {
    let format = oacs & 0b10 != 0;
    Abilities {
        manages_namespaces: oacs & 0b1000 != 0,
        format,
        format_crypto: format && fna & 0b100 != 0,
        format_hits_all: fna & 0b011 != 0,
        sanitize_crypto: sanicap & 0b001 != 0,
        sanitize_block: sanicap & 0b010 != 0,
        sanitize_overwrite: sanicap & 0b100 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_what_the_tool_says() {
        assert_eq!(major("nvme version 2.3 (git 2.3)\nlibnvme version 1.3"), Some(2));
        assert_eq!(major("nvme version 3.0-rc.1"), Some(3));
        assert_eq!(major("nvme version v3.0"), Some(3));
        assert_eq!(major("something else"), None);
    }

    #[test]
    fn only_a_promise_of_zeroes_is_one() {
        let promised: Vec<u64> = (0..16).filter(|&dlfeat| promises_zeroes(dlfeat)).collect();
        assert_eq!(promised, [0b0001, 0b1001]);
    }

    #[test]
    fn abilities_are_read_from_identify() {
        let none = Abilities::default();
        assert_eq!(read(0, 0, 0), none);
        assert_eq!(read(0b10, 0, 0), Abilities { format: true, ..none });
        assert_eq!(read(0b1000, 0, 0), Abilities { manages_namespaces: true, ..none });
        assert_eq!(
            read(0b10, 0b101, 0),
            Abilities { format: true, format_crypto: true, format_hits_all: true, ..none }
        );
        assert_eq!(
            read(0, 0b100, 0b011),
            Abilities { sanitize_crypto: true, sanitize_block: true, ..none }
        );
    }
}
