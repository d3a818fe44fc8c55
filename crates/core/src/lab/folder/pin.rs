//! Drives under test, held by descriptor for the whole run. The plan's name is looked up once; from
//! then on the drive is reached as `/proc/self/fd/N`, which refers to the opened drive, whatever
//! the name means by then.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, exit, exit_code, failed};
use crate::lab::fd::unusable;
pub use crate::lab::fd::{OPEN, shown};
use crate::lab::folder::lock;
use crate::lab::guard;
use crate::lab::guard::disk::Disk;
use crate::plan::{Drive, DrivePlace, Subject};

/// The drives of a run: held, and locked against other runs, until this is dropped.
#[derive(Default)]
pub struct Pins {
    held: Vec<File>,
    /// The locked whole disks; a subject may have several partitions of one.
    locked: Vec<Disk>,
    /// The held devices, each once, however many names the plan has for it.
    devices: Vec<(Disk, PathBuf)>,
    places: HashMap<DrivePlace, DrivePlace>,
}

impl Pins {
    /// Looks up a drive and holds it. Only a directory or a block device is opened.
    pub fn hold(&mut self, drive: &Drive, clock: Clock) -> Result<()> {
        let path = drive.place.path();
        let place = match &drive.place {
            _ if self.places.contains_key(&drive.place) => return Ok(()),
            DrivePlace::Directory(_) => {
                let folder = open(path, libc::O_PATH)?;
                if !folder.metadata()?.is_dir() {
                    let what = format!("{} is not a directory", path.display());
                    return Err(failed(what, "use a directory on the drive to be tested"));
                }
                self.held.extend(lock::directory(&folder, path, clock)?);
                DrivePlace::Directory(self.keep(folder))
            }
            DrivePlace::Device { serial, .. } => {
                let device = block_device(path)?;
                let disk = Disk::of_open(&device)?;
                // If two devices share storage, the first run locks both.
                for whole in guard::sharing(&disk) {
                    if self.locked.contains(&whole) {
                        continue;
                    }
                    match lock::device(&whole, path, clock) {
                        Ok(lock) => self.held.push(lock),
                        // If this user may not open a device, this user's other runs do not write
                        // to it either.
                        Err(error)
                            if whole != disk.whole() && exit_code(&error) != exit::REFUSED => {}
                        Err(error) => return Err(error),
                    }
                    self.locked.push(whole);
                }
                let path = match self.devices.iter().find(|(own, _)| *own == disk) {
                    Some((_, held)) => held.clone(),
                    None => {
                        let held = self.keep(device);
                        self.devices.push((disk, held.clone()));
                        held
                    }
                };
                DrivePlace::Device { path, serial: serial.clone() }
            }
        };
        self.places.insert(drive.place.clone(), place);
        Ok(())
    }

    /// Holds a namespace that was found on a drive.
    pub fn namespace(&mut self, path: &Path) -> Result<PathBuf> {
        let device = block_device(path)?;
        Ok(self.keep(device))
    }

    fn keep(&mut self, file: File) -> PathBuf {
        let path = PathBuf::from(format!("{OPEN}{}", file.as_raw_fd()));
        self.held.push(file);
        path
    }

    /// The held drive.
    pub fn drive(&self, drive: &Drive) -> Drive {
        let place = self.places.get(&drive.place).unwrap_or(&drive.place).clone();
        Drive { place, ..drive.clone() }
    }

    /// The subject with its drives reached through the held descriptors.
    pub fn subject(&self, subject: &Subject) -> Subject {
        let drives = subject.drives.iter().map(|drive| self.drive(drive)).collect();
        Subject { drives, ..subject.clone() }
    }
}

fn open(path: &Path, flags: i32) -> Result<File> {
    let opened = OpenOptions::new().read(true).custom_flags(flags | libc::O_NONBLOCK).open(path);
    opened.map_err(|error| unusable(path, &error))
}

/// Opens a block device read-only, and nothing else, because opening other kinds of file may have
/// side effects.
fn block_device(path: &Path) -> Result<File> {
    let found = open(path, libc::O_PATH)?;
    if !found.metadata().context("examining the opened device")?.file_type().is_block_device() {
        let what = format!("{} is not a block device", path.display());
        return Err(failed(what, "use one in /dev/disk/by-id"));
    }
    open(&Path::new(OPEN).join(found.as_raw_fd().to_string()), 0)
        .with_context(|| format!("opening {}", path.display()))
}
