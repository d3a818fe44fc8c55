//! The namespaces of an NVMe drive, as many and as equal as the plan asks for. Those that exist are
//! attached where they are not. None are created or deleted: no drive was at hand on which that
//! could be tried, and to delete one is to lose its data.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde_json::Value;

use super::drives;
use super::exclusive::Exclusive;
use super::guard::{self, disk::Disk};
use super::nvme::{self, Spelling};
use crate::base::clock::Clock;
use crate::base::error::{Context, Error, Result, failed};
use crate::base::units;
use crate::plan::Drive;

const ATTACH: Spelling = Spelling { two: &["attach-ns"], three: &["ns", "attach"] };

/// How long the kernel may take to show a namespace that was attached.
const PATIENCE_NS: u64 = 20_000_000_000;

/// The drive's namespaces in their order, by stable paths where there are such, and what was done.
/// All are free: what is on the named one the plan may name, on the others there must be nothing.
pub fn equal(
    drive: &Drive,
    count: u32,
    clock: Clock,
    stop: &AtomicBool,
) -> Result<(Vec<PathBuf>, String)> {
    let held = Exclusive::take(drive)?;
    let node = held.node.display();
    if !held.disk.name().starts_with("nvme") {
        return Err(failed(
            format!("{node} is no NVMe drive and has no namespaces"),
            "leave `namespaces` out",
        ));
    }
    let before = held.disk.namespaces().len();
    if before < count as usize {
        attach(&held, count, clock, stop)?;
    }
    let found = held.disk.namespaces();
    if found.len() != count as usize {
        let can = nvme::abilities(&held.node).unwrap_or_default();
        return Err(another_number(&node.to_string(), found.len(), count, can.manages_namespaces));
    }
    let path = |disk: &Disk| Path::new("/dev").join(disk.name());
    for namespace in found.iter().filter(|namespace| **namespace != held.disk) {
        guard::obstacle(&path(namespace))
            .context("every namespace of the drive will be written to")?;
    }
    let bytes: Vec<u64> = found.iter().map(Disk::bytes).collect();
    if bytes.iter().any(|b| *b != bytes[0]) {
        let sizes = bytes.iter().map(|b| units::bytes(*b)).collect::<Vec<_>>().join(", ");
        return Err(failed(
            format!("the namespaces of {node} are not equal: {sizes}"),
            "create them alike",
        ));
    }
    let words = format!(
        "{count} namespaces of {}, {} of them attached",
        units::bytes(bytes[0]),
        found.len() - before
    );
    let stable = |disk: &Disk| drives::stable_path(&path(disk)).unwrap_or_else(|| path(disk));
    Ok((found.iter().map(stable).collect(), words))
}

/// What stands against as many namespaces as the plan asks for: asked of the controller first,
/// since many have one namespace for good.
fn another_number(node: &str, there: usize, count: u32, can: bool) -> Error {
    let what = format!("the drive of {node} has {there} namespaces, and the plan asks for {count}");
    if can {
        return failed(
            what,
            "create and attach them (`nvme create-ns`, `nvme attach-ns`; from nvme-cli 3 on \
             `nvme ns create`, `nvme ns attach`), or delete those that are too many",
        );
    }
    failed(
        format!("{what}; its controller can neither create nor delete any (OACS bit 3 is not set)"),
        "leave `namespaces` out: each stream then works on an equal slice of the one that there is",
    )
}

fn attach(held: &Exclusive, count: u32, clock: Clock, stop: &AtomicBool) -> Result<()> {
    let id = nvme::ask(&["id-ctrl"], &held.node)
        .and_then(|answer| answer.get("cntlid").and_then(Value::as_u64));
    let Some(controller) = id else { return Ok(()) };
    let listed = |all: &[&str]| {
        nvme::ask(&[&["list-ns"], all].concat(), &held.node).map(|l| ids(&l)).unwrap_or_default()
    };
    let active = listed(&[]);
    for namespace in listed(&["--all"]).into_iter().filter(|id| !active.contains(id)) {
        let options =
            [format!("--namespace-id={namespace}"), format!("--controllers={controller}")];
        nvme::order(&ATTACH, &held.node, &options)?;
    }
    let until_ns = clock.now_ns() + PATIENCE_NS;
    while held.disk.namespaces().len() < count as usize
        && clock.now_ns() < until_ns
        && !stop.load(Relaxed)
    {
        clock.sleep_until(clock.now_ns() + 50_000_000);
    }
    Ok(())
}

/// `{"nsid_list":[{"nsid":1},…]}`
fn ids(list: &Value) -> Vec<u64> {
    let items = list.get("nsid_list").and_then(Value::as_array);
    items
        .into_iter()
        .flatten()
        .filter_map(|item| item.get("nsid").and_then(Value::as_u64))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_that_cannot_create_namespaces_is_said_to_be_one() {
        let said = |can| format!("{:?}", another_number("/dev/nvme0n1", 1, 6, can));
        assert!(said(false).contains("OACS bit 3 is not set"), "{}", said(false));
        assert!(said(false).contains("an equal slice"), "{}", said(false));
        for command in ["`nvme create-ns`", "`nvme ns create`"] {
            assert!(said(true).contains(command), "{}", said(true));
        }
    }
}
