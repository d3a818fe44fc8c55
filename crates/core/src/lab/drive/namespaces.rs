//! The namespaces of an NVMe drive: the number that the plan requires, of equal size. Detached ones
//! are attached; if the controller supports it, missing ones are created like the one named in the
//! plan, and surplus or different ones deleted, after the guard. At the end of the run, created
//! namespaces are deleted, and deleted ones created again without their data. The namespace named
//! in the plan is never deleted, because the run holds it.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::clock::Clock;
use crate::base::error::{Context, Error, Result, failed};
use crate::base::units;
use crate::lab::drive::controller::{Controller, Shape};
use crate::lab::drive::exclusive::Exclusive;
use crate::lab::drive::{controller, drives};
use crate::lab::guard;
use crate::lab::guard::disk::{Disk, read};
use crate::lab::nvme::NvmeCli;
use crate::plan::{Drive, DrivePlace};

/// Maximum time until the kernel shows a change, ns.
const PATIENCE_NS: u64 = 20_000_000_000;

/// A drive's namespaces as found or created by a run.
pub struct EqualNamespaces {
    /// In order, by stable paths if available.
    pub paths: Vec<PathBuf>,
    /// The actions taken.
    pub words: String,
    /// The changes to be undone.
    pub changed: Option<NamespacesChanged>,
}

/// Finds or creates the required number of equal namespaces. All must be unused: the plan may name
/// the contents of the named one, the others must be empty.
pub fn equal(
    drive: &Drive,
    count: u32,
    clock: Clock,
    stop: &AtomicBool,
) -> Result<EqualNamespaces> {
    let held = Exclusive::take(drive)?;
    let node = held.node.display();
    if !held.disk.name().starts_with("nvme") {
        return Err(failed(
            format!("{node} is not an NVMe drive and has no namespaces"),
            "leave `namespaces` out",
        ));
    }
    let wait_for = |count: usize| {
        let until_ns = clock.now_ns() + PATIENCE_NS;
        while held.disk.namespaces().len() != count
            && clock.now_ns() < until_ns
            && !stop.load(Relaxed)
        {
            clock.sleep_until(clock.now_ns() + 50_000_000);
        }
    };
    let before = held.disk.namespaces().len();
    let attached = attach(&held, (count as usize).saturating_sub(before))?;
    wait_for(before + attached);
    let mut changed = None;
    if !are_equal(&held.disk.namespaces(), count) {
        changed = Some(rearrange(&held, drive, count)?);
        wait_for(count as usize);
    }
    match free(&held, count) {
        Ok(paths) => {
            let bytes = units::bytes(held.disk.bytes());
            let done = changed.as_ref().map(NamespacesChanged::words).unwrap_or_default();
            let words = format!("{count} namespaces of {bytes}, {attached} of them attached{done}");
            Ok(EqualNamespaces { paths, words, changed })
        }
        Err(error) => Err(match changed.map_or(Ok(()), |changed| changed.put_back()) {
            Ok(()) => error,
            Err(also) => error.context(format!("{also:#}")),
        }),
    }
}

fn are_equal(found: &[Disk], count: u32) -> bool {
    found.len() == count as usize && found.iter().all(|disk| disk.bytes() == found[0].bytes())
}

/// Its number in the subsystem.
fn number(disk: &Disk) -> Option<u64> {
    read(&disk.sysfs.join("nsid")).and_then(|n| n.parse().ok())
}

fn path(disk: &Disk) -> PathBuf {
    Path::new("/dev").join(disk.name())
}

/// The current namespaces: the required number, with none of the others in use.
fn free(held: &Exclusive, count: u32) -> Result<Vec<PathBuf>> {
    let found = held.disk.namespaces();
    if !are_equal(&found, count) {
        return Err(failed(
            format!(
                "the kernel shows namespaces of {} that differ from those requested",
                held.node.display()
            ),
            "look at `nvme list` and at `dmesg`",
        ));
    }
    for namespace in found.iter().filter(|namespace| **namespace != held.disk) {
        guard::obstacle(&path(namespace))
            .context("every namespace of the drive will be written to")?;
    }
    let stable = |disk: &Disk| drives::stable_path(&path(disk)).unwrap_or_else(|| path(disk));
    Ok(found.iter().map(stable).collect())
}

/// Attaches detached namespaces, up to this number; returns how many were attached.
fn attach(held: &Exclusive, missing: usize) -> Result<usize> {
    let found = controller::node_of(&held.disk)
        .filter(|_| missing > 0)
        .and_then(|node| Controller::identify(NvmeCli::installed(), &node).ok());
    let Some(controller) = found else { return Ok(0) };
    let attached = controller.attached();
    let mut idle = controller.all();
    idle.retain(|id| !attached.contains(id));
    idle.truncate(missing);
    idle.iter().try_for_each(|id| controller.attach(*id))?;
    controller.rescan();
    Ok(idle.len())
}

/// Creates and deletes, if the controller supports it and the plan permits it.
fn rearrange(held: &Exclusive, drive: &Drive, count: u32) -> Result<NamespacesChanged> {
    let node = held.node.display().to_string();
    let found = held.disk.namespaces();
    let controller = match controller::node_of(&held.disk) {
        Some(path) => Controller::identify(NvmeCli::installed(), &path)?,
        None => {
            return Err(failed(
                format!(
                    "{node} is reached through several controllers: Dyno creates and deletes \
                     namespaces only if there is one"
                ),
                "create the namespaces yourself, or leave `namespaces` out",
            ));
        }
    };
    able(&controller, &node, found.len(), count)?;
    if let DrivePlace::Device { serial, .. } = &drive.place {
        of_the_drive(&held.disk, serial)?;
    }
    let named = number(&held.disk).unwrap_or(0);
    let mut there = Vec::new();
    for disk in &found {
        let id = number(disk).unwrap_or(0);
        there.push((id, controller.shape(id)?));
    }
    let change = change(&there, named, count, controller.unallocated_bytes)
        .map_err(|short| no_room(&controller, &node, count, short))?;
    // All are claimed before any is deleted: nothing is lost if one of them is in use.
    let mut doomed = Vec::new();
    for disk in found.iter().filter(|d| number(d).is_some_and(|id| change.delete.contains(&id))) {
        let stable = drives::stable_path(&path(disk)).unwrap_or_else(|| path(disk));
        let DrivePlace::Device { serial, .. } = &drive.place else { continue };
        let place = DrivePlace::Device { path: stable, serial: serial.clone() };
        let sibling = Drive { place, ..drive.clone() };
        let taken = Exclusive::take(&sibling);
        doomed.push(taken.context("a namespace that the plan does not name would be deleted")?);
    }
    let shapes = there.into_iter().filter(|(id, _)| change.delete.contains(id)).collect();
    let like = controller.shape(named)?;
    NamespacesChanged::make(controller, shapes, change.create, &like)
}

/// Whether the controller can create and delete namespaces, and has enough numbers.
fn able(controller: &Controller, node: &str, there: usize, count: u32) -> Result<()> {
    let what = format!("the drive of {node} has {there} namespaces, and the plan requires {count}");
    let slices = "leave `namespaces` out: each stream then works on an equal slice of the one that \
                  there is";
    if !controller.manages_namespaces {
        let why = "its controller can neither create nor delete any (OACS bit 3 is not set)";
        return Err(failed(format!("{what} equal ones; {why}"), slices));
    }
    if controller.total_bytes == 0 {
        let why = "its controller claims to manage namespaces (OACS bit 3) but reports no \
            capacity for them (TNVMCAP is 0), like emulated drives";
        return Err(failed(format!("{what} equal ones; {why}"), slices));
    }
    if controller.most < u64::from(count) {
        let most = controller.most;
        return Err(failed(
            format!("{what}; its controller has at most {most} (NN of Identify Controller)"),
            format!("use at most {most}"),
        ));
    }
    Ok(())
}

/// An EUI or NGUID identifies one namespace; others are only deleted if the plan has the drive's
/// serial number.
fn of_the_drive(disk: &Disk, named: &str) -> Result<()> {
    let serial = disk.serial().unwrap_or_default();
    if serial.trim().eq_ignore_ascii_case(named.trim()) {
        return Ok(());
    }
    Err(failed(
        format!(
            "the plan identifies {} by '{named}', which is not the drive's serial number",
            disk.name()
        ),
        format!(
            "use it in the plan, so that other namespaces may be deleted: serial = \"{serial}\""
        ),
    ))
}

/// The namespaces to delete, and the number to create.
#[derive(Debug, PartialEq, Eq)]
struct NamespaceChange {
    delete: Vec<u64>,
    create: usize,
}

/// The requirements of a change.
#[derive(Debug, PartialEq, Eq)]
struct Short {
    /// For each namespace, like the named one.
    each_bytes: u64,
    needed_bytes: u64,
    free_bytes: u64,
}

/// The named namespace stays, with the required number of others of its shape; surplus ones with
/// the largest numbers are deleted.
fn change(
    there: &[(u64, Shape)],
    named: u64,
    count: u32,
    unallocated_bytes: u64,
) -> std::result::Result<NamespaceChange, Short> {
    let like = there.iter().find(|(id, _)| *id == named).map(|(_, shape)| shape);
    let mut wanted = count as usize - 1;
    let (mut delete, mut free_bytes) = (Vec::new(), unallocated_bytes);
    for (id, shape) in there.iter().filter(|(id, _)| *id != named) {
        if wanted > 0 && Some(shape) == like {
            wanted -= 1;
        } else {
            delete.push(*id);
            free_bytes += shape.bytes();
        }
    }
    let each_bytes = like.map_or(0, Shape::bytes);
    let needed_bytes = each_bytes * wanted as u64;
    if needed_bytes > free_bytes {
        return Err(Short { each_bytes, needed_bytes, free_bytes });
    }
    Ok(NamespaceChange { delete, create: wanted })
}

/// Drives usually come with one namespace over the whole capacity.
fn no_room(controller: &Controller, node: &str, count: u32, short: Short) -> Error {
    let each = controller.total_bytes / u64::from(count);
    failed(
        format!(
            "{count} namespaces of {} like {node} need {} more, and {} is unallocated",
            units::bytes(short.each_bytes),
            units::bytes(short.needed_bytes),
            units::bytes(short.free_bytes)
        ),
        format!(
            "the plan's own namespace is never deleted: delete it yourself and create one of \
             {} or less in its place (`nvme delete-ns`, `nvme create-ns`, `nvme attach-ns` on {}; \
             from nvme-cli 3 on `nvme ns delete`, `create`, `attach`); Dyno creates the others",
            units::bytes(each),
            controller.node().display()
        ),
    )
}

/// The changes to a drive's namespaces.
#[derive(Debug)]
pub struct NamespacesChanged {
    controller: Controller,
    created: Vec<u64>,
    deleted: Vec<(u64, Shape)>,
}

impl NamespacesChanged {
    /// Deletes and creates; on an error, completed changes are undone.
    fn make(
        controller: Controller,
        delete: Vec<(u64, Shape)>,
        create: usize,
        like: &Shape,
    ) -> Result<NamespacesChanged> {
        let mut changed =
            NamespacesChanged { controller, created: Vec::new(), deleted: Vec::new() };
        match changed.execute(delete, create, like) {
            Ok(()) => Ok(changed),
            Err(error) => Err(match changed.put_back() {
                Ok(()) => error,
                Err(also) => error.context(format!("{also:#}")),
            }),
        }
    }

    fn execute(&mut self, delete: Vec<(u64, Shape)>, create: usize, like: &Shape) -> Result<()> {
        for (id, shape) in delete {
            self.controller.delete(id)?;
            self.deleted.push((id, shape));
        }
        for _ in 0..create {
            let id = self.controller.create(like)?;
            self.created.push(id);
            self.controller.attach(id)?;
        }
        self.controller.rescan();
        Ok(())
    }

    /// The text for the bundle.
    fn words(&self) -> String {
        let numbers = |ids: Vec<u64>| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let created = numbers(self.created.clone());
        let deleted = numbers(self.deleted.iter().map(|(id, _)| *id).collect());
        let mut words = String::new();
        if !created.is_empty() {
            words += &format!("; created: {created}");
        }
        if !deleted.is_empty() {
            words += &format!("; deleted, to be created again without their data: {deleted}");
        }
        words
    }

    /// Deletes the created namespaces, unless they are in use by now, and creates the deleted ones
    /// again. Tries all of it; the error lists what was not restored.
    pub fn put_back(&self) -> Result<()> {
        let mut troubles = Vec::new();
        for id in &self.created {
            let done = self.unused(*id).and_then(|()| self.controller.delete(*id));
            if let Err(error) = done {
                troubles.push(format!("namespace {id} that the run created stays: {error:#}"));
            }
        }
        for (id, shape) in &self.deleted {
            let done = self.controller.create(shape).and_then(|new| self.controller.attach(new));
            if let Err(error) = done {
                let size = units::bytes(shape.bytes());
                troubles.push(format!("namespace {id} of {size} is not there again: {error:#}"));
            }
        }
        self.controller.rescan();
        if troubles.is_empty() {
            return Ok(());
        }
        Err(failed(
            format!(
                "{} is not as it was: {}",
                self.controller.node().display(),
                troubles.join("; ")
            ),
            "look at `nvme list-ns --all` (from nvme-cli 3 on `nvme id ns-list --all`)",
        ))
    }

    /// It may have been formatted or opened by someone else.
    fn unused(&self, id: u64) -> Result<()> {
        let of_ours = |disk: &Disk| {
            disk.name().starts_with("nvme")
                && controller::node_of(disk).as_deref() == Some(self.controller.node())
                && number(disk) == Some(id)
        };
        Disk::listed().find(of_ours).map_or(Ok(()), |disk| guard::obstacle(&path(&disk)))
    }
}

#[cfg(test)]
#[path = "tests_namespaces.rs"]
mod tests;
