//! A block device in sysfs: its name, its identities, and its users.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::base::error::{Context, Result, failed};
use crate::lab::fd::{shown, unusable};

/// A whole device, a partition, or a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Its folder in /sys.
    pub sysfs: PathBuf,
}

impl Disk {
    /// All whole devices of this host, also those hidden by the kernel.
    pub fn listed() -> impl Iterator<Item = Disk> {
        linked(Path::new("/sys/block"))
    }

    /// The device of a path, following links. An NVMe namespace's generic character device
    /// (`/dev/ng0n1`) is represented by the namespace: users of one use the other.
    pub fn of(path: &Path) -> Result<Disk> {
        let found = fs::metadata(path).map_err(|error| unusable(path, &error))?;
        let kind = found.file_type();
        if kind.is_block_device() {
            return Disk::numbered(found.rdev())
                .with_context(|| format!("looking for {}", shown(path).display()));
        }
        let generic = kind.is_char_device().then(|| namespace_of_generic(found.rdev())).flatten();
        generic.ok_or_else(|| {
            failed(
                format!("{} is not a block device", shown(path).display()),
                "use one in /dev/disk/by-id",
            )
        })
    }

    /// The device of a file descriptor, whatever its path refers to by now.
    pub fn of_open(file: &File) -> Result<Disk> {
        let found = file.metadata().context("looking at an open device")?;
        if !found.file_type().is_block_device() {
            return Err(failed(
                "what was opened is not a block device",
                "use one in /dev/disk/by-id",
            ));
        }
        Disk::numbered(found.rdev())
    }

    /// The device with this number (major and minor, as in `st_rdev`); an error if sysfs has none.
    pub fn numbered(number: u64) -> Result<Disk> {
        let link =
            format!("/sys/dev/block/{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
        let sysfs = fs::canonicalize(&link).with_context(|| format!("looking into {link}"))?;
        Ok(Disk { sysfs })
    }

    /// "nvme0n1".
    pub fn name(&self) -> String {
        name(&self.sysfs)
    }

    /// The kernel's own name for it in /dev, where only root changes names.
    pub fn node(&self) -> PathBuf {
        Path::new("/dev").join(self.name())
    }

    /// The disk of a partition; otherwise itself.
    pub fn whole(&self) -> Disk {
        match self.sysfs.parent() {
            Some(parent) if self.sysfs.join("partition").exists() => {
                Disk { sysfs: parent.to_path_buf() }
            }
            _ => self.clone(),
        }
    }

    /// All identities of the device, as the device or the kernel reports them: the serial number
    /// first, then NGUID, EUI-64, UUID and WWID. A loop device's is its backing file.
    pub fn identities(&self) -> Vec<String> {
        let disk = self.whole().sysfs;
        let places = [
            "device/serial",
            "serial",
            "loop/backing_file",
            "nguid",
            "eui",
            "uuid",
            "wwid",
            "device/wwid",
            "md/uuid",
        ];
        let found = places.iter().filter_map(|place| read(&disk.join(place)));
        found.filter(|text| text.chars().any(|c| !matches!(c, '0' | '-' | ' '))).collect()
    }

    /// The serial number that the drive reports.
    pub fn serial(&self) -> Option<String> {
        self.identities().into_iter().next()
    }

    /// Whether the plan's serial number, EUI or NGUID is this device's.
    pub fn is(&self, named: &str) -> bool {
        let plain = |text: &str| {
            let text = text.trim().to_ascii_lowercase();
            let text = text.strip_prefix("eui.").or(text.strip_prefix("uuid.")).unwrap_or(&text);
            text.split([' ', '-']).collect::<String>()
        };
        !named.trim().is_empty() && self.identities().iter().any(|own| plain(own) == plain(named))
    }

    /// Its size; 0 if not in sysfs.
    pub fn bytes(&self) -> u64 {
        read(&self.sysfs.join("size")).and_then(|s| s.parse::<u64>().ok()).unwrap_or(0) * 512
    }

    /// The size of a logical block; 512 if the kernel does not report it.
    pub fn logical_block_bytes(&self) -> u32 {
        let size = read(&self.whole().sysfs.join("queue/logical_block_size"));
        size.and_then(|size| size.parse().ok()).unwrap_or(512)
    }

    /// Its partitions, in the order of their numbers.
    pub fn partitions(&self) -> Vec<Disk> {
        let entries =
            fs::read_dir(&self.sysfs).map(|e| e.flatten().map(|e| e.path()).collect::<Vec<_>>());
        let found =
            entries.unwrap_or_default().into_iter().filter(|p| p.join("partition").exists());
        let mut found: Vec<Disk> = found.map(|sysfs| Disk { sysfs }).collect();
        found.sort_by(|a, b| a.sysfs.cmp(&b.sysfs));
        found
    }

    /// The namespaces of the same controller or subsystem, itself included, in order. Those hidden
    /// by the kernel are paths to others.
    pub fn namespaces(&self) -> Vec<Disk> {
        let body = self.body();
        let seen = |d: &Disk| {
            d.body() == body && read(&d.sysfs.join("hidden")).is_none_or(|hidden| hidden == "0")
        };
        let mut found: Vec<Disk> = Disk::listed().filter(seen).collect();
        found.sort_by_key(|d| read(&d.sysfs.join("nsid")).and_then(|n| n.parse::<u32>().ok()));
        found
    }

    /// The device and its partitions.
    pub fn all(&self) -> Vec<Disk> {
        let mut all = vec![self.clone()];
        all.extend(self.partitions());
        all
    }

    /// "259:0".
    pub fn number(&self) -> Option<String> {
        read(&self.sysfs.join("dev"))
    }

    /// The number as `st_rdev`.
    pub fn device_number(&self) -> Option<u64> {
        device_number(&self.number()?)
    }

    /// The device, and those that contain all or some of its bytes: a disk's partitions, and a
    /// partition's disk.
    pub fn overlapping(&self) -> Vec<Disk> {
        let mut all = self.all();
        let whole = self.whole();
        if whole != *self {
            all.push(whole);
        }
        all
    }

    /// The position of a partition on its disk; None for other devices.
    pub fn start_bytes(&self) -> Option<u64> {
        let start = self.sysfs.join("partition").exists().then(|| self.sysfs.join("start"))?;
        Some(read(&start)?.parse::<u64>().ok()? * 512)
    }

    /// The device numbers of the disk and its partitions.
    pub fn numbers(&self) -> Vec<String> {
        self.all().iter().filter_map(Disk::number).collect()
    }

    /// Character devices that pass commands to the device: NVMe's generic one, SCSI's.
    pub fn command_devices(&self) -> Vec<u64> {
        let whole = self.whole();
        let generic = whole.name().strip_prefix("nvme").map(|rest| format!("ng{rest}"));
        let generic = generic.map(|name| Path::new("/sys/class/nvme-generic").join(name));
        let scsi = fs::read_dir(whole.sysfs.join("device/scsi_generic")).into_iter().flatten();
        let scsi = scsi.flatten().map(|entry| entry.path());
        let numbers = generic.into_iter().chain(scsi);
        numbers.filter_map(|folder| device_number(&read(&folder.join("dev"))?)).collect()
    }

    /// Kernel devices built on the device, a partition of it or the disk of a partition: dm, md,
    /// bcache; without those for which `known`.
    pub fn holder(&self, known: &dyn Fn(&str) -> bool) -> Option<String> {
        let all = self.overlapping();
        let holders = all.iter().filter_map(|d| fs::read_dir(d.sysfs.join("holders")).ok());
        let names = holders.flatten().flatten();
        let names = names.map(|e| e.file_name().to_string_lossy().into_owned());
        let bcache =
            || all.iter().any(|d| d.sysfs.join("bcache").exists()).then(|| "bcache".to_string());
        let mut names: Vec<String> = names.collect();
        let registered = names.is_empty();
        names.retain(|name| !known(name));
        let first = names.into_iter().next();
        first
            .or_else(|| if registered { bcache() } else { None })
            .or_else(|| self.in_a_stack(known))
    }

    /// Devices that list this one among their parts, by its number: multipath, and stacks that are
    /// recorded on one side only.
    fn in_a_stack(&self, known: &dyn Fn(&str) -> bool) -> Option<String> {
        let numbers: Vec<String> = self.overlapping().iter().filter_map(Disk::number).collect();
        let is_part = |part: Disk| part.number().is_some_and(|n| numbers.contains(&n));
        let mut stacks = Disk::listed().filter(|stack| !known(&stack.name()));
        stacks.find(|stack| stack.members().any(is_part)).map(|stack| stack.name())
    }

    /// The devices of which an md, dm or bcache device consists, as the kernel lists them; none
    /// for other devices.
    pub fn members(&self) -> impl Iterator<Item = Disk> {
        linked(&self.sysfs.join("slaves"))
    }

    /// The disks of which this one consists, itself included: a logical volume's physical ones.
    pub fn foundations(&self) -> Vec<Disk> {
        let mut found = vec![self.whole()];
        let mut next = 0;
        while let Some(disk) = found.get(next).cloned() {
            next += 1;
            for below in disk.members().map(|member| member.whole()) {
                if !found.contains(&below) {
                    found.push(below);
                }
            }
        }
        found
    }

    /// The resource that two drives must not share: the controller of an NVMe namespace, otherwise
    /// the disk itself.
    pub fn body(&self) -> PathBuf {
        let disk = self.whole().sysfs;
        let nvme = name(&disk).starts_with("nvme");
        let controller = nvme.then(|| disk.join("device").canonicalize().ok()).flatten();
        controller.unwrap_or(disk)
    }
}

/// The devices to which the links in a folder of sysfs lead.
pub fn linked(folder: &Path) -> impl Iterator<Item = Disk> + use<> {
    let links = fs::read_dir(folder).into_iter().flatten().flatten();
    links.filter_map(|link| Some(Disk { sysfs: link.path().canonicalize().ok()? }))
}

/// The namespace of `/dev/ng0n1`, whose sysfs entry is next to the block device's.
fn namespace_of_generic(number: u64) -> Option<Disk> {
    let link = format!("/sys/dev/char/{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
    let generic = name(&fs::canonicalize(link).ok()?);
    let namespace = format!("nvme{}", generic.strip_prefix("ng")?);
    let sysfs = fs::canonicalize(Path::new("/sys/block").join(namespace)).ok()?;
    Some(Disk { sysfs })
}

/// "259:0" as `st_rdev`.
pub fn device_number(text: &str) -> Option<u64> {
    let (major, minor) = text.split_once(':')?;
    Some(rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// The last component of a path.
pub fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A file of sysfs or procfs; None if missing or empty.
pub fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_string();
    (!text.is_empty()).then_some(text)
}
