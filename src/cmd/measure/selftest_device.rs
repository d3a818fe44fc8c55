//! A bare device in a self-test. It is named as in a plan, by its serial number and with `erase`,
//! and becomes a plan file: permission to erase is decided by the same rules, in the same place, as
//! for `dyno run`.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::lab::guard::{self, UNKNOWN};
use crate::plan::{self, Plan, Subject};

/// A device as named by the user.
#[derive(Clone)]
pub struct NamedDevice {
    pub path: PathBuf,
    /// `serial` and `erase`, as written.
    keys: Vec<(String, String)>,
    /// A run of this self-test has already written to it: its unnamed contents are the self-test's
    /// own.
    ours: bool,
    /// The folder of the plan.
    folder: PathBuf,
}

const FORM: &str = "write DEVICE,serial=SERIAL,erase=true, as the plan of a run would name it; \
                    `dyno drives` lists serials";

impl NamedDevice {
    /// A device from "/dev/disk/by-id/nvme-X,serial=1234,erase=true"; None if the path is not a
    /// device's.
    pub fn named(written: &str, folder: &Path) -> Result<Option<NamedDevice>> {
        let (path, keys) = match written.find(",serial=").or_else(|| written.find(",erase=")) {
            Some(end) => (&written[..end], &written[end + 1..]),
            None => (written, ""),
        };
        let is_device =
            std::fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device());
        if !is_device && !keys.is_empty() {
            return Err(failed(
                format!("{path} is not a block device"),
                "serial and erase apply only to bare devices",
            ));
        }
        if !is_device {
            return Ok(None);
        }
        let pair = |text: &str| {
            let known = text.split_once('=').filter(|(key, _)| ["serial", "erase"].contains(key));
            known.map(|(key, value)| (key.to_string(), value.to_string()))
        };
        let keys: Option<Vec<_>> = keys.split(',').filter(|k| !k.is_empty()).map(pair).collect();
        let keys = keys.ok_or_else(|| {
            failed(format!("'{written}' is not a device with serial and erase"), FORM)
        })?;
        let path = std::path::absolute(path).with_context(|| format!("looking for {path}"))?;
        Ok(Some(NamedDevice { path, keys, ours: false, folder: folder.to_path_buf() }))
    }

    /// The same, after a run of this self-test has written to it.
    pub fn again(&self) -> NamedDevice {
        NamedDevice { ours: true, ..self.clone() }
    }

    fn key(&self, name: &str) -> Option<&str> {
        self.keys.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Two subjects on this one device.
    pub fn plan(&self, protocol: &str, set: &[(String, String)]) -> Result<Plan> {
        let quoted = |text: &str| serde_json::to_string(text).context("writing a plan");
        let mut text = format!(
            "protocol = {}\nmeters = \"none\"\nsame_device = true\n[override]\n",
            quoted(protocol)?
        );
        for (path, value) in set {
            let is_plain = value.parse::<bool>().is_ok() || value.parse::<u64>().is_ok();
            let value = if is_plain { value.clone() } else { quoted(value)? };
            text += &format!("{} = {value}\n", quoted(path)?);
        }
        let mut drive = format!("device = {}", quoted(&self.path.display().to_string())?);
        if let Some(serial) = self.key("serial") {
            drive += &format!(", serial = {}", quoted(serial)?);
        }
        match self.key("erase") {
            Some("true") if self.ours => drive += &format!(", erase = [{}]", quoted(UNKNOWN)?),
            Some(kind) if self.ours && kind != "false" => {
                drive += &format!(", erase = [{}, {}]", quoted(kind)?, quoted(UNKNOWN)?);
            }
            Some(flag @ ("true" | "false")) => drive += &format!(", erase = {flag}"),
            Some(kind) => drive += &format!(", erase = {}", quoted(kind)?),
            None => {}
        }
        text += &format!("[[subject]]\nname = \"one\"\ndrives = [{{ {drive} }}]\n");
        let file = self.folder.join("device.toml");
        std::fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
        let mut plan = plan::load(&file, &crate::plan_catalogue())?;
        // A plan may not name a drive twice, except in a self-test. The second subject finds the
        // contents written by the first, for which the guard was consulted.
        let second = plan.subjects.first().map(|one| {
            let mut two = Subject { name: "two".to_string(), ..one.clone() };
            two.drives
                .iter_mut()
                .for_each(|drive| drive.erase_signatures.push(UNKNOWN.to_string()));
            two
        });
        plan.subjects.extend(second);
        Ok(plan)
    }

    /// Consults the guard, as the run will again, before spending minutes on other measurements.
    pub fn may_be_erased(&self) -> Result<()> {
        let plan = self.plan("ceiling", &[])?;
        plan.subjects
            .iter()
            .take(1)
            .flat_map(|s| &s.drives)
            .try_for_each(|drive| guard::pass(drive, true))
    }
}
