//! Returns a drive to its factory state as far as possible: NVMe format or sanitize through
//! nvme-cli, or a discard of every block. Capabilities are queried, never assumed.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed};
use crate::lab::drive::exclusive::Exclusive;
use crate::lab::nvme::{Abilities, NvmeCli, Spelling};
use crate::lab::{guard, nvme};
use crate::plan::{Drive, Purge};

/// Spelled identically in nvme-cli 2 and 3.
const FORMAT: Spelling = Spelling { two: &["format"], three: &["format"] };
const SANITIZE: Spelling = Spelling { two: &["sanitize"], three: &["sanitize"] };

/// Formatting a large drive takes seconds or minutes, longer than the kernel's default of a minute.
const FORMAT_TIMEOUT_MS: u32 = 3_600_000;

/// The raw Sanitize Status log page: the JSON form differs between versions of nvme-cli, and most
/// print the state as text.
const STATUS_LOG: u8 = 0x81;
const STATUS_BYTES: usize = 20;

/// Interval between queries during a sanitize.
const LOOK_NS: u64 = 500_000_000;

/// Parameters of the wait for a lengthy purge.
pub struct PurgeWait<'a> {
    /// The clock.
    pub clock: Clock,
    /// Set by a signal; it ends the wait, not the purge.
    pub stop: &'a AtomicBool,
    /// Called with the percentage completed, if the drive reports it.
    pub progress: &'a dyn Fn(u64),
}

/// Purges one drive; returns what was done.
pub fn purge(drive: &Drive, asked: Purge, wait: &PurgeWait<'_>) -> Result<String> {
    let held = Exclusive::take(drive)?;
    let is_nvme = held.disk.name().starts_with("nvme");
    let can = if is_nvme { nvme::abilities(&held.node) } else { None };
    let discards = guard::disk::read(&held.disk.sysfs.join("queue/discard_max_bytes"));
    let discards = discards.is_some_and(|bytes| bytes != "0");
    let way = choose(asked, can.unwrap_or_default(), discards).map_err(|has| {
        let has = if has.is_empty() {
            "it has none".to_string()
        } else {
            format!("it has {}", has.join(", "))
        };
        failed(
            format!("{} cannot be purged as the plan asks: {has}", held.node.display()),
            "choose one that it has",
        )
    })?;
    if can.unwrap_or_default().reaches_all(way) {
        for sibling in held.siblings() {
            let why = || format!("this purge would erase {} too", sibling.display());
            guard::obstacle(&sibling).with_context(why)?;
        }
    }
    let tool = NvmeCli::installed();
    match way {
        Purge::Discard => held.discard().map(|()| "every block discarded (BLKDISCARD)".to_string()),
        Purge::Format => {
            format(&held.node, 1).map(|()| "NVMe format, user data erased (--ses=1)".to_string())
        }
        Purge::FormatCrypto => {
            format(&held.node, 2).map(|()| "NVMe format, key erased (--ses=2)".to_string())
        }
        Purge::SanitizeBlock => sanitize(tool, &held.node, 2, wait),
        Purge::SanitizeOverwrite => sanitize(tool, &held.node, 3, wait),
        Purge::SanitizeCrypto => sanitize(tool, &held.node, 4, wait),
        Purge::Any => Err(failed("no purge was chosen", "this is a bug in Dyno: please report it")),
    }
}

impl Abilities {
    /// Sanitize always erases the whole drive.
    fn reaches_all(self, way: Purge) -> bool {
        match way {
            Purge::Format | Purge::FormatCrypto => self.format_hits_all,
            Purge::SanitizeBlock | Purge::SanitizeCrypto | Purge::SanitizeOverwrite => true,
            Purge::Any | Purge::Discard => false,
        }
    }
}

/// The requested method, if the drive supports it; otherwise an error with the supported ones.
fn choose(
    asked: Purge,
    can: Abilities,
    discards: bool,
) -> std::result::Result<Purge, Vec<&'static str>> {
    let ways = [
        (Purge::Format, "format", can.format),
        (Purge::SanitizeBlock, "sanitize-block", can.sanitize_block),
        (Purge::SanitizeCrypto, "sanitize-crypto", can.sanitize_crypto),
        (Purge::Discard, "discard", discards),
        (Purge::FormatCrypto, "format-crypto", can.format_crypto),
        (Purge::SanitizeOverwrite, "sanitize-overwrite", can.sanitize_overwrite),
    ];
    let mut has = ways.iter().filter(|way| way.2);
    let found = has
        .clone()
        .find(|way| asked == way.0 || (asked == Purge::Any && way.0 != Purge::SanitizeOverwrite));
    found.map(|way| way.0).ok_or_else(|| has.by_ref().map(|way| way.1).collect())
}

fn format(node: &Path, erase: u32) -> Result<()> {
    let options =
        [format!("--ses={erase}"), format!("--timeout={FORMAT_TIMEOUT_MS}"), "--force".to_string()];
    nvme::order(&FORMAT, node, &options)
}

fn sanitize(tool: &NvmeCli, node: &Path, action: u32, wait: &PurgeWait<'_>) -> Result<String> {
    tool.order(&SANITIZE, node, &[format!("--sanact={action}")])?;
    loop {
        wait.clock.sleep_until(wait.clock.now_ns() + LOOK_NS);
        let log = tool.log(STATUS_LOG, STATUS_BYTES, node);
        match sanitized(log.as_deref(), node)? {
            Some(percent) => (wait.progress)(percent),
            None => return Ok(format!("NVMe sanitize (--sanact={action})")),
        }
        if wait.stop.load(Relaxed) {
            return Err(failed(
                "interrupted; the drive continues its sanitize",
                "wait for it, then resume",
            ));
        }
    }
}

/// Progress of a sanitize, in percent; None once it is complete (NVM Express Base Specification
/// 2.0, Sanitize Status log page, figure 235: SPROG, bytes 0 and 1, is out of 65,536; the low three
/// bits of SSTAT, bytes 2 and 3, are 1 or 4 when complete, 2 while running, 3 if it failed).
fn sanitized(log: Option<&[u8]>, node: &Path) -> Result<Option<u64>> {
    let half = |at: usize| Some(u16::from_le_bytes(log?.get(at..at + 2)?.try_into().ok()?));
    match half(2).map(|status| status & 0b111) {
        Some(2) => Ok(Some(u64::from(half(0).unwrap_or(0)) * 100 / 65_536)),
        Some(1 | 4) => Ok(None),
        Some(3) => Err(failed(
            format!("the sanitize of {} failed", node.display()),
            "look at `nvme sanitize-log`",
        )),
        _ => Err(failed(
            format!("{} does not say how far its sanitize is", node.display()),
            "look at `nvme sanitize-log`; the drive may be gone",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::lab::scripted::Scripted;

    #[test]
    fn the_purge_is_the_one_asked_for_or_the_best_that_the_drive_has() {
        let none = Abilities::default();
        let nvme = Abilities { format: true, sanitize_crypto: true, ..none };
        assert_eq!(choose(Purge::Any, nvme, true), Ok(Purge::Format));
        assert_eq!(
            choose(Purge::Any, Abilities { sanitize_crypto: true, ..none }, true),
            Ok(Purge::SanitizeCrypto)
        );
        assert_eq!(choose(Purge::Any, none, true), Ok(Purge::Discard));
        assert_eq!(choose(Purge::Discard, nvme, true), Ok(Purge::Discard));
        assert_eq!(
            choose(Purge::FormatCrypto, nvme, false),
            Err(vec!["format", "sanitize-crypto"])
        );
        assert_eq!(choose(Purge::Any, none, false), Err(Vec::new()));
    }

    /// The drive's answers follow the specification, and nvme-cli's arguments its sources; neither
    /// was recorded from a drive.
    #[test]
    fn a_sanitize_is_followed_by_its_log_to_its_end_with_nvme_cli_2_and_3() {
        for major in [2, 3] {
            let nvme = Scripted::new(major, &[]);
            let node = Path::new("/dev/nvme9n1");
            let sanitize = |log: &[(u16, u16)]| {
                nvme.sanitizes(log);
                let seen = RefCell::new(Vec::new());
                let (stop, progress) = (AtomicBool::new(false), |p| seen.borrow_mut().push(p));
                let wait =
                    PurgeWait { clock: Clock::simulated(), stop: &stop, progress: &progress };
                let done = sanitize(&nvme.tool(), node, 2, &wait);
                (done.map_err(|error| format!("{error:#}")), seen.into_inner())
            };
            // With and without deallocation; bit 8 of the status: nothing written since.
            for end in [0x101, 4] {
                let (done, seen) = sanitize(&[(0, 2), (16_384, 2), (65_535, 2), (65_535, end)]);
                assert_eq!(
                    (done.unwrap().as_str(), seen),
                    ("NVMe sanitize (--sanact=2)", vec![0, 25, 99])
                );
            }
            let (failed, seen) = sanitize(&[(4, 2), (4, 3)]);
            assert!(failed.unwrap_err().contains("/dev/nvme9n1 failed"));
            assert_eq!(seen, [0]);
            // Never started, and no answer.
            for nothing in [&[(65_535, 0)][..], &[]] {
                assert!(sanitize(nothing).0.unwrap_err().contains("does not say how far"));
            }
            assert_eq!(
                nvme.commands()[..2],
                [
                    "sanitize /dev/nvme9n1 --sanact=2",
                    "get-log /dev/nvme9n1 --log-id=0x81 --log-len=20 --raw-binary"
                ]
            );
        }
    }
}
