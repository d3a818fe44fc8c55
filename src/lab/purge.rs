//! Bringing a drive back to the state in which it left the factory, as far as it can be brought
//! there: NVMe format or sanitize through nvme-cli, or a discard of every block. What the drive can
//! do is asked, never assumed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::exclusive::Exclusive;
use super::guard;
use super::nvme::{self, Abilities, Spelling};
use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed};
use crate::plan::{Drive, Purge};

/// Spelled alike in nvme-cli 2 and 3.
const FORMAT: Spelling = Spelling { two: &["format"], three: &["format"] };
const SANITIZE: Spelling = Spelling { two: &["sanitize"], three: &["sanitize"] };

/// A large drive is formatted in seconds or minutes; longer than the kernel's own minute.
const FORMAT_TIMEOUT_MS: u32 = 3_600_000;

/// Between two looks at a sanitize that goes on.
const LOOK_NS: u64 = 500_000_000;

/// Purges one drive; says what was done. `progress` is given the percent done where the drive
/// reports it.
pub fn purge(
    drive: &Drive,
    asked: Purge,
    clock: Clock,
    stop: &AtomicBool,
    progress: &dyn Fn(u64),
) -> Result<String> {
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
    match way {
        Purge::Discard => held.discard().map(|()| "every block discarded (BLKDISCARD)".to_string()),
        Purge::Format => {
            format(&held.node, 1).map(|()| "NVMe format, user data erased (--ses=1)".to_string())
        }
        Purge::FormatCrypto => {
            format(&held.node, 2).map(|()| "NVMe format, key erased (--ses=2)".to_string())
        }
        Purge::SanitizeBlock => sanitize(&held.node, 2, clock, stop, progress),
        Purge::SanitizeOverwrite => sanitize(&held.node, 3, clock, stop, progress),
        Purge::SanitizeCrypto => sanitize(&held.node, 4, clock, stop, progress),
        Purge::Any => {
            Err(failed("no purge was chosen", "this is a defect of Dyno: please report it"))
        }
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

/// The way that is asked for, if the drive has it; otherwise the ways that it has.
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

fn sanitize(
    node: &Path,
    action: u32,
    clock: Clock,
    stop: &AtomicBool,
    progress: &dyn Fn(u64),
) -> Result<String> {
    nvme::order(&SANITIZE, node, &[format!("--sanact={action}")])?;
    loop {
        clock.sleep_until(clock.now_ns() + LOOK_NS);
        let log = nvme::ask(&["sanitize-log"], node);
        match sanitized(log.as_ref(), node)? {
            Some(percent) => progress(percent),
            None => return Ok(format!("NVMe sanitize (--sanact={action})")),
        }
        if stop.load(Relaxed) {
            return Err(failed(
                "interrupted; the drive goes on with its sanitize",
                "wait for it, then resume",
            ));
        }
    }
}

/// How far a sanitize is, in percent; nothing once it is done (NVMe Base Specification 2.0,
/// Sanitize Status log page, figure 235: SPROG is of 65,536, SSTAT 1 and 4 are done, 2 goes on, 3
/// failed).
fn sanitized(log: Option<&serde_json::Value>, node: &Path) -> Result<Option<u64>> {
    match log.and_then(sanitize_state) {
        Some((2, done)) => Ok(Some(u64::from(done) * 100 / 65_536)),
        Some((1 | 4, _)) => Ok(None),
        Some((3, _)) => Err(failed(
            format!("the sanitize of {} failed", node.display()),
            "look at `nvme sanitize-log`",
        )),
        _ => Err(failed(
            format!("{} does not say how far its sanitize is", node.display()),
            "look at `nvme sanitize-log`; the drive may be gone",
        )),
    }
}

/// (SSTAT's low three bits, SPROG). The log stands under the controller's name.
fn sanitize_state(log: &serde_json::Value) -> Option<(u64, u16)> {
    let log = if log.get("sstat").is_some() { log } else { log.as_object()?.values().next()? };
    let status = log.get("sstat").and_then(|s| s.as_u64().or_else(|| s.get("status")?.as_u64()))?;
    Some((
        status & 0b111,
        log.get("sprog").and_then(serde_json::Value::as_u64).unwrap_or(0).min(65_535) as u16,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// As nvme-cli 2 prints the log of a controller that sanitizes, ends, or fails.
    #[test]
    fn a_sanitize_is_followed_by_its_log_to_its_end() {
        let log = |sprog: u32, status: u32| {
            let sstat = serde_json::json!({ "media_verification_canceled": 0, "status": status });
            serde_json::json!({ "nvme0n1": { "sprog": sprog, "sstat": sstat, "cdw10_info": 2 } })
        };
        let node = Path::new("/dev/nvme0n1");
        let said = |log| sanitized(Some(&log), node);
        let seen = [(0, 2), (16_384, 2), (65_535, 2), (65_535, 1), (65_535, 4)];
        let percent: Vec<_> = seen.map(|(done, status)| said(log(done, status)).unwrap()).into();
        assert_eq!(percent, [Some(0), Some(25), Some(99), None, None]);
        assert!(said(log(4, 3)).unwrap_err().to_string().contains("failed"));
        // Never begun, and no answer at all.
        for nothing in [Some(log(65_535, 0)), None] {
            let error = sanitized(nothing.as_ref(), node).unwrap_err();
            assert!(error.to_string().contains("does not say how far"), "{error}");
        }
    }

    #[test]
    fn the_sanitize_log_is_read_in_both_its_forms() {
        let under_a_name =
            serde_json::json!({ "nvme0": { "sprog": 32768, "sstat": { "status": 2 } } });
        assert_eq!(sanitize_state(&under_a_name), Some((2, 32768)));
        assert_eq!(
            sanitize_state(&serde_json::json!({ "sprog": 65535, "sstat": 257 })),
            Some((1, 65535))
        );
        assert_eq!(sanitize_state(&serde_json::json!({})), None);
    }
}
