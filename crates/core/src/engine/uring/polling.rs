//! Polling for completions instead of interrupts, and detection of polling queues.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::super::blockfile::BlockFile;
use crate::base::error::{Context, Result, failed};

/// How completions are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    /// The drive interrupts.
    None,
    /// The worker's processor polls for them continuously.
    Iopoll,
    /// The worker first sleeps for half of the usual time.
    Hybrid,
}

impl Poll {
    /// The knob's values, in the order of the variants.
    pub const WORDS: &[&str] = &["none", "iopoll", "hybrid"];

    /// The value set in a plan.
    pub fn named(word: &str) -> Poll {
        match word {
            "iopoll" => Poll::Iopoll,
            "hybrid" => Poll::Hybrid,
            _ => Poll::None,
        }
    }

    /// The knob's value.
    pub fn name(self) -> &'static str {
        Poll::WORDS[self as usize]
    }

    /// Refuses a file or device without polled completions. The kernel would silently wait for
    /// interrupts.
    pub fn check(self, file: &BlockFile) -> Result<()> {
        if self == Poll::None {
            return Ok(());
        }
        if !file.direct {
            return Err(failed(
                "polling for completions needs direct I/O",
                "set `direct = true`, or `poll = \"none\"`",
            ));
        }
        let shown = file.path.display();
        let found = file.file.metadata().with_context(|| format!("looking at {shown}"))?;
        let number = if found.file_type().is_block_device() { found.rdev() } else { found.dev() };
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        let device = format!("/sys/dev/block/{major}:{minor}");
        match polls(Path::new(&device)) {
            Some(true) => Ok(()),
            Some(false) => Err(failed(
                format!("the drive under {shown} has no polling queues (queue/io_poll is 0)"),
                "start the kernel with nvme.poll_queues=N on its command line (NVMe alone has \
                 them), or set `poll = \"none\"`",
            )),
            None => Err(failed(
                format!(
                    "{shown} is not on a single drive with its own queues, so polling is not \
                     possible"
                ),
                "use a filesystem on a single drive, or the drive itself; or set `poll = \"none\"`",
            )),
        }
    }
}

/// Whether a device, or the device of a partition, has polling queues; None if there is no device.
fn polls(device: &Path) -> Option<bool> {
    let read = |queue: &str| fs::read_to_string(device.join(queue)).ok();
    let text = read("queue/io_poll").or_else(|| read("../queue/io_poll"))?;
    Some(text.trim() == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_polls_where_its_queue_says_so_and_a_partition_as_its_device_does() {
        let dir = tempfile::tempdir().expect("a folder");
        let device = dir.path().join("nvme0n1");
        fs::create_dir_all(device.join("queue")).expect("made");
        fs::create_dir_all(device.join("nvme0n1p1")).expect("made");
        assert_eq!(polls(&device), None);
        for (text, polled) in [("0\n", false), ("1\n", true)] {
            fs::write(device.join("queue/io_poll"), text).expect("written");
            assert_eq!(polls(&device), Some(polled));
            assert_eq!(polls(&device.join("nvme0n1p1")), Some(polled));
        }
    }
}
