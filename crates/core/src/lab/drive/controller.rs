//! An NVMe controller's namespaces: listing, their properties, and creating, attaching, detaching
//! and deleting them through nvme-cli (NVM Express Base Specification 2.0, sections 5.15 and 5.23).

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::error::{Result, failed};
use crate::lab::guard::disk::{Disk, name};
use crate::lab::nvme::{self, NvmeCli, Spelling};

const CREATE: Spelling = Spelling { two: &["create-ns"], three: &["ns", "create"] };
const DELETE: Spelling = Spelling { two: &["delete-ns"], three: &["ns", "delete"] };
const ATTACH: Spelling = Spelling { two: &["attach-ns"], three: &["ns", "attach"] };
const DETACH: Spelling = Spelling { two: &["detach-ns"], three: &["ns", "detach"] };

/// A controller and its capabilities (Identify Controller).
#[derive(Clone, Debug)]
pub struct Controller {
    tool: NvmeCli,
    /// Its character device: nvme-cli 3 cannot attach through a namespace's device.
    node: PathBuf,
    id: u64,
    /// OACS bit 3: namespaces can be created and deleted.
    pub manages_namespaces: bool,
    /// NN: the maximum namespace number.
    pub most: u64,
    /// TNVMCAP; 0 if not reported.
    pub total_bytes: u64,
    /// UNVMCAP.
    pub unallocated_bytes: u64,
}

/// The parameters of a new namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// NSZE and NCAP, in blocks.
    pub size: u64,
    pub capacity: u64,
    pub block_bytes: u64,
    /// FLBAS, DPS and NMIC as in Identify Namespace.
    pub format: u64,
    pub protection: u64,
    pub sharing: u64,
}

impl Shape {
    /// Its share of the drive's capacity.
    pub fn bytes(&self) -> u64 {
        self.capacity * self.block_bytes
    }
}

/// The character device of a namespace's only controller; None if there are several.
pub fn node_of(disk: &Disk) -> Option<PathBuf> {
    let body = disk.body();
    let is_controller = |name: &str| {
        name.strip_prefix("nvme").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
    };
    if is_controller(&name(&body)) {
        return Some(Path::new("/dev").join(name(&body)));
    }
    let entries = std::fs::read_dir(&body).ok()?.flatten();
    let mut names = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| is_controller(name));
    names.next().filter(|_| names.next().is_none()).map(|name| Path::new("/dev").join(name))
}

impl Controller {
    /// Queries its capabilities.
    pub fn identify(tool: &NvmeCli, node: &Path) -> Result<Controller> {
        let answer = tool.ask(&nvme::ID_CTRL, node, &[]);
        let number = |name: &str| number(answer.as_ref()?.get(name)?);
        let (Some(id), Some(commands)) = (number("cntlid"), number("oacs")) else {
            return Err(failed(
                format!("{} does not identify itself", node.display()),
                "look at `nvme id-ctrl` (from nvme-cli 3 on `nvme id ctrl`)",
            ));
        };
        Ok(Controller {
            tool: tool.clone(),
            node: node.to_path_buf(),
            id,
            manages_namespaces: commands & 0b1000 != 0,
            most: number("nn").unwrap_or(0),
            total_bytes: number("tnvmcap").unwrap_or(0),
            unallocated_bytes: number("unvmcap").unwrap_or(0),
        })
    }

    pub fn node(&self) -> &Path {
        &self.node
    }

    /// The subsystem's namespaces, attached or not.
    pub fn all(&self) -> Vec<u64> {
        self.listed(&["--all".to_string()])
    }

    /// Namespaces attached to this controller.
    pub fn attached(&self) -> Vec<u64> {
        self.listed(&[])
    }

    fn listed(&self, options: &[String]) -> Vec<u64> {
        let answer = self.tool.ask(&nvme::LIST_NS, &self.node, options);
        answer.map(|list| ids(&list)).unwrap_or_default()
    }

    /// The parameters of an attached namespace.
    pub fn shape(&self, namespace: u64) -> Result<Shape> {
        let answer = self.tool.ask(&nvme::ID_NS, &self.node, &[of(namespace)]);
        answer.as_ref().and_then(shape).ok_or_else(|| {
            failed(
                format!("{} does not describe its namespace {namespace}", self.node.display()),
                "look at `nvme id-ns` (from nvme-cli 3 on `nvme id ns`)",
            )
        })
    }

    /// Creates a namespace; returns its number, which nvme-cli 3 does not print.
    pub fn create(&self, shape: &Shape) -> Result<u64> {
        let before = self.all();
        let options = [
            format!("--nsze={}", shape.size),
            format!("--ncap={}", shape.capacity),
            format!("--flbas={}", shape.format),
            format!("--dps={}", shape.protection),
            format!("--nmic={}", shape.sharing),
        ];
        self.tool.order(&CREATE, &self.node, &options)?;
        let mut new = self.all().into_iter().filter(|id| !before.contains(id));
        match (new.next(), new.next()) {
            (Some(id), None) => Ok(id),
            _ => Err(failed(
                format!("{} created a namespace and does not list one more", self.node.display()),
                "look at `nvme list-ns --all` (from nvme-cli 3 on `nvme id ns-list --all`)",
            )),
        }
    }

    pub fn attach(&self, namespace: u64) -> Result<()> {
        self.tool.order(&ATTACH, &self.node, &[of(namespace), self.by_id()])
    }

    /// Deletes a namespace with all its data.
    pub fn delete(&self, namespace: u64) -> Result<()> {
        if self.attached().contains(&namespace) {
            self.tool.order(&DETACH, &self.node, &[of(namespace), self.by_id()])?;
        }
        self.tool.order(&DELETE, &self.node, &[of(namespace)])
    }

    fn by_id(&self) -> String {
        format!("--controllers={}", self.id)
    }

    /// Makes the kernel rescan namespaces, in case the drive did not report a change.
    pub fn rescan(&self) {
        let path = Path::new("/sys/class/nvme").join(name(&self.node)).join("rescan_controller");
        // The drive should report it; if a namespace is still missing, the caller waits for it and
        // reports it.
        let _ = std::fs::write(path, "1");
    }
}

fn of(namespace: u64) -> String {
    format!("--namespace-id={namespace}")
}

/// Versions print 128-bit capacities as whole numbers, as decimals, or as text.
fn number(value: &Value) -> Option<u64> {
    let real = || value.as_f64().filter(|real| *real >= 0.0).map(|real| real as u64);
    value.as_u64().or_else(real).or_else(|| value.as_str()?.trim().parse().ok())
}

/// `{"nsid_list":[{"nsid":1},…]}`; some versions write `NSID`.
fn ids(list: &Value) -> Vec<u64> {
    let items = list.get("nsid_list").and_then(Value::as_array);
    let id = |item: &Value| item.get("nsid").or_else(|| item.get("NSID"))?.as_u64();
    items.into_iter().flatten().filter_map(id).collect()
}

/// Parses Identify Namespace; the format's number is bits 3:0 of FLBAS and, above them, bits 6:5.
fn shape(answer: &Value) -> Option<Shape> {
    let field = |name: &str| number(answer.get(name)?);
    let format = field("flbas")?;
    let index = (format & 0xf) | (format >> 1 & 0x30);
    let in_use = answer.get("lbafs")?.get(index as usize)?;
    Some(Shape {
        size: field("nsze").filter(|size| *size > 0)?,
        capacity: field("ncap")?,
        block_bytes: 1u64.checked_shl(number(in_use.get("ds")?)? as u32)?,
        format,
        protection: field("dps")?,
        sharing: field("nmic")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From nvme-cli's sources (nvme-print-json.c of 2.1, 2.8 and 3.0), not from a drive.
    #[test]
    fn capacities_and_lists_are_read_in_all_their_forms() {
        let read = |text: &str| number(&serde_json::from_str(text).unwrap());
        for text in ["3840755982336", "3840755982336.000000", "\"3840755982336\""] {
            assert_eq!(read(text), Some(3_840_755_982_336), "{text}");
        }
        assert_eq!((read("-1"), read("\"1,000\"")), (None, None));
        for list in
            [r#"{"nsid_list":[{"nsid":1},{"nsid":7}]}"#, r#"{"nsid_list":[{"NSID":1},{"NSID":7}]}"#]
        {
            assert_eq!(ids(&serde_json::from_str(list).unwrap()), [1, 7]);
        }
    }

    #[test]
    fn the_format_in_use_says_how_large_a_block_is() {
        let formats: Vec<Value> = (0..18)
            .map(|i| serde_json::json!({ "ms": 0, "ds": if i == 17 { 12 } else { 9 } }))
            .collect();
        let answer = |format: u64| {
            serde_json::json!({ "nsze": 800, "ncap": 800, "flbas": format, "dps": 0, "nmic": 1,
                "lbafs": formats })
        };
        assert_eq!(shape(&answer(0)).unwrap().bytes(), 800 * 512);
        // Format 17: bits 6:5 are 01b, bits 3:0 are 0001b.
        assert_eq!(shape(&answer(0b010_0001)).unwrap().bytes(), 800 * 4096);
        // A detached namespace is described by zeroes.
        assert_eq!(shape(&serde_json::json!({ "nsze": 0, "flbas": 0, "lbafs": formats })), None);
    }
}
