//! The namespaces of an NVMe drive, as many and as equal as the plan asks for. Those that exist are
//! attached where they are not; where the controller can, missing ones are created like the one
//! that the plan names, and those that are too many or of another shape are deleted, past the
//! guard. When the run ends, what it created is deleted and what it deleted is created again,
//! without its data. The namespace that the plan names is never deleted: it is what the run holds.

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

/// How long the kernel may take to show what was changed.
const PATIENCE_NS: u64 = 20_000_000_000;

/// A drive's namespaces as a run found or made them.
pub struct Divided {
    /// In their order, by stable paths where there are such.
    pub paths: Vec<PathBuf>,
    /// What was done.
    pub words: String,
    /// What the run has to undo.
    pub changed: Option<NamespacesChanged>,
}

/// Finds as many equal namespaces as asked for, or makes them. All are free: what is on the named
/// one the plan may name, on the others there must be nothing.
pub fn equal(drive: &Drive, count: u32, clock: Clock, stop: &AtomicBool) -> Result<Divided> {
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
            Ok(Divided { paths, words, changed })
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

/// Its number within the subsystem.
fn number(disk: &Disk) -> Option<u64> {
    read(&disk.sysfs.join("nsid")).and_then(|n| n.parse().ok())
}

fn path(disk: &Disk) -> PathBuf {
    Path::new("/dev").join(disk.name())
}

/// The namespaces as they now are: as many as asked for, and none of the others in use.
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

/// Attaches existing namespaces that are detached, up to this number; returns how many it was.
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

/// Creates and deletes, where the controller can and the plan may.
fn rearrange(held: &Exclusive, drive: &Drive, count: u32) -> Result<NamespacesChanged> {
    let node = held.node.display().to_string();
    let found = held.disk.namespaces();
    let controller = match controller::node_of(&held.disk) {
        Some(path) => Controller::identify(NvmeCli::installed(), &path)?,
        None => {
            return Err(failed(
                format!(
                    "{node} is reached through several controllers: Dyno creates and deletes \
                         namespaces where there is one"
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
    // All are held before any is deleted: nothing is lost where one of them is in use.
    let mut doomed = Vec::new();
    for disk in found.iter().filter(|d| number(d).is_some_and(|id| change.delete.contains(&id))) {
        let stable = drives::stable_path(&path(disk)).unwrap_or_else(|| path(disk));
        let DrivePlace::Device { serial, .. } = &drive.place else { continue };
        let place = DrivePlace::Device { path: stable, serial: serial.clone() };
        let sibling = Drive { place, ..drive.clone() };
        let taken = Exclusive::take(&sibling);
        doomed.push(taken.context("a namespace that is not asked for would be deleted")?);
    }
    let shapes = there.into_iter().filter(|(id, _)| change.delete.contains(id)).collect();
    let like = controller.shape(named)?;
    NamespacesChanged::make(controller, shapes, change.create, &like)
}

/// Whether the controller creates and deletes namespaces at all, and has numbers enough.
fn able(controller: &Controller, node: &str, there: usize, count: u32) -> Result<()> {
    let what = format!("the drive of {node} has {there} namespaces, and the plan asks for {count}");
    let slices = "leave `namespaces` out: each stream then works on an equal slice of the one that \
                  there is";
    if !controller.manages_namespaces {
        let why = "its controller can neither create nor delete any (OACS bit 3 is not set)";
        return Err(failed(format!("{what} equal ones; {why}"), slices));
    }
    if controller.total_bytes == 0 {
        let why = "its controller claims to manage namespaces (OACS bit 3) and reports no capacity \
                   to make them of (TNVMCAP is 0), as emulated drives do";
        return Err(failed(format!("{what} equal ones; {why}"), slices));
    }
    if controller.most < u64::from(count) {
        let most = controller.most;
        return Err(failed(
            format!("{what}; its controller has at most {most} (NN of Identify Controller)"),
            format!("ask for at most {most}"),
        ));
    }
    Ok(())
}

/// An EUI or NGUID names one namespace; others are deleted only by the drive's own serial number.
fn of_the_drive(disk: &Disk, named: &str) -> Result<()> {
    let serial = disk.serial().unwrap_or_default();
    if serial.trim().eq_ignore_ascii_case(named.trim()) {
        return Ok(());
    }
    Err(failed(
        format!(
            "the plan names {} by '{named}', which is not the drive's serial number",
            disk.name()
        ),
        format!("name the drive by it, so that other namespaces may go: serial = \"{serial}\""),
    ))
}

/// What is to be deleted, and how many are to be created.
#[derive(Debug, PartialEq, Eq)]
struct NamespaceChange {
    delete: Vec<u64>,
    create: usize,
}

/// What is missing for a change.
#[derive(Debug, PartialEq, Eq)]
struct Short {
    /// Of each namespace, as the named one is.
    each_bytes: u64,
    needed_bytes: u64,
    free_bytes: u64,
}

/// The named namespace stays, with as many others of its shape as are wanted; of those that are too
/// many the ones with the largest numbers go.
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

/// A drive is usually sold with one namespace over all of it.
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
            "the one that the plan names is never deleted: delete it yourself and create one of \
             {} or less in its place (`nvme delete-ns`, `nvme create-ns`, `nvme attach-ns` on {}; \
             from nvme-cli 3 on `nvme ns delete`, `create`, `attach`); Dyno creates the others",
            units::bytes(each),
            controller.node().display()
        ),
    )
}

/// What a run did to a drive's namespaces.
#[derive(Debug)]
pub struct NamespacesChanged {
    controller: Controller,
    created: Vec<u64>,
    deleted: Vec<(u64, Shape)>,
}

impl NamespacesChanged {
    /// Deletes and creates; what was done until an error is undone.
    fn make(
        controller: Controller,
        delete: Vec<(u64, Shape)>,
        create: usize,
        like: &Shape,
    ) -> Result<NamespacesChanged> {
        let mut changed =
            NamespacesChanged { controller, created: Vec::new(), deleted: Vec::new() };
        match changed.carry_out(delete, create, like) {
            Ok(()) => Ok(changed),
            Err(error) => Err(match changed.put_back() {
                Ok(()) => error,
                Err(also) => error.context(format!("{also:#}")),
            }),
        }
    }

    fn carry_out(&mut self, delete: Vec<(u64, Shape)>, create: usize, like: &Shape) -> Result<()> {
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

    /// For the bundle.
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

    /// Deletes what the run created, unless somebody uses it by now, and creates again what it
    /// deleted. All of it is tried; the error says what is not as it was.
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

    /// Somebody else may have put a filesystem on it, or have it open.
    fn unused(&self, id: u64) -> Result<()> {
        let blocks = std::fs::read_dir("/sys/block").into_iter().flatten().flatten();
        let mut disks =
            blocks.filter_map(|e| e.path().canonicalize().ok()).map(|sysfs| Disk { sysfs });
        let of_ours = |disk: &Disk| {
            disk.name().starts_with("nvme")
                && controller::node_of(disk).as_deref() == Some(self.controller.node())
                && number(disk) == Some(id)
        };
        disks.find(of_ours).map_or(Ok(()), |disk| guard::obstacle(&path(&disk)))
    }
}

#[cfg(test)]
#[path = "tests_namespaces.rs"]
mod tests;
