//! An open database: opening, settling, counters and disclosure.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use rocksdb::statistics::StatsLevel;
use rocksdb::{DB, Options, WaitForCompactOptions};

use super::super::{Access, DatasetAccess, DatasetLocation, Target};
use super::counters::RocksCounters;
use super::io_context::{RocksContext, RocksReadWrite};
use super::options;
use crate::base::error::{Result, bail, failed};
use crate::base::units::bytes;
use crate::lab::folder::data::DatasetFolder;
use crate::lab::folder::files;
use crate::measure::{AddressSpace, AnyIoContext};
use crate::plan::Stream;
use crate::record::Fact;
use crate::record::key::engine;

pub fn open(site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
    let DatasetLocation::Folder(folder) = site.home else {
        return Err(failed(
            "RocksDB needs a filesystem",
            "create one on the drive, mount it, and use a directory there as the subject's path",
        ));
    };
    let knobs = site.knobs;
    let manner = RocksReadWrite {
        key_bytes: knobs.int("key_size")? as usize,
        value_bytes: knobs.int("value_size")? as usize,
        // Without a log nothing is lost during a fill: an unfinished fill is restarted.
        wal: knobs.flag("wal")? && site.access != Access::Create,
        sync: knobs.flag("sync")? && site.access != Access::Create,
        compression_ratio: knobs.float("compression_ratio")?,
    };
    if manner.key_bytes == 0 || manner.value_bytes == 0 || manner.value_bytes > 1 << 20 {
        bail!("key_size must be at least 1 byte and value_size between 1 byte and 1 MiB");
    }
    let mut options = options::options(knobs, site.access == Access::Create)?;
    let statistics = knobs.flag("statistics")?;
    if statistics {
        options.enable_statistics();
        options.set_statistics_level(StatsLevel::ExceptHistogramOrTimers);
    }
    // Writes would follow links among its files.
    files::check_all(folder)?;
    let db = Arc::new(database(&options, folder, site.access)?);
    let space = super::space(knobs)?;
    let given = options::string(knobs, false)?;
    let cache = format!("{}, {}", bytes(knobs.int("block_cache")?), knobs.text("cache_type")?);
    Ok(Box::new(RocksTarget {
        db,
        manner,
        space,
        access: site.access,
        given,
        cache,
        options,
        statistics,
        opened: Mutex::new(None),
    }))
}

impl RocksTarget {
    /// How a point's load writes, from the settings of its stream. The dataset's settings apply
    /// only to the fill.
    fn writes(&self) -> Vec<Fact> {
        if self.access == Access::ReadOnly {
            return Vec::new();
        }
        let fact = |name: &str, value: &str| Fact::new("RocksDB", name, value);
        vec![
            fact("Write-ahead log", if self.manner.wal { "on" } else { "off" }),
            fact("Sync", if self.manner.sync { "each write" } else { "no" }),
        ]
    }
}

fn database(options: &Options, folder: &DatasetFolder, access: Access) -> Result<DB> {
    let db = match access {
        Access::ReadOnly => DB::open_for_read_only(options, folder.path(), false),
        Access::Create | Access::ReadWrite => DB::open(options, folder.path()),
    };
    db.map_err(|cause| {
        failed(
            format!("cannot open the database in {}: {cause}", folder.shown().display()),
            "check that no other process has it open; to lay it out again, remove the folder",
        )
    })
}

struct RocksTarget {
    db: Arc<DB>,
    manner: RocksReadWrite,
    space: AddressSpace,
    access: Access,
    /// The options passed to RocksDB.
    given: String,
    cache: String,
    options: Options,
    /// Whether RocksDB counts.
    statistics: bool,
    /// The counters at the start of the measured window.
    opened: Mutex<Option<RocksCounters>>,
}

impl Target for RocksTarget {
    fn space(&self) -> AddressSpace {
        self.space
    }

    fn io_context(&self, _stream: &Stream, thread: u32) -> Result<Box<dyn AnyIoContext>> {
        Ok(Box::new(RocksContext::new(Arc::clone(&self.db), self.manner, thread)))
    }

    fn settle(&self, stop: &AtomicBool) -> Result<()> {
        if self.access == Access::ReadOnly {
            // There is no background work, and a requested flush would be waited for indefinitely.
            return Ok(());
        }
        // In short waits, to react to signals; the first one requests a flush.
        const WAIT_US: u64 = 500_000;
        let mut options = WaitForCompactOptions::default();
        options.set_timeout(WAIT_US);
        options.set_flush(true);
        loop {
            match self.db.wait_for_compact(&options) {
                Ok(()) => return Ok(()),
                Err(_) if stop.load(Relaxed) => return Ok(()),
                Err(e) if e.kind() == rocksdb::ErrorKind::TimedOut => options.set_flush(false),
                Err(e) => {
                    return Err(failed(
                        format!("compaction failed: {e}"),
                        "look at the database's LOG file",
                    ));
                }
            }
        }
    }

    fn sync(&self, _: &AtomicBool) -> Result<()> {
        if self.access == Access::ReadOnly {
            return Ok(());
        }
        self.db
            .flush()
            .map_err(|e| failed(format!("flushing failed: {e}"), "look at the database's LOG file"))
    }

    /// Without `sync`, the log is in the page cache.
    fn write_back(&self, _: &AtomicBool) -> Result<()> {
        if self.access == Access::ReadOnly || !self.manner.wal {
            return Ok(());
        }
        self.db.flush_wal(true).map_err(|e| {
            failed(
                format!("the write-ahead log could not be made durable: {e}"),
                "check `dmesg` for errors reported by the device, and the database's LOG file",
            )
        })
    }

    fn window_opens(&self) {
        *self.opened.lock().unwrap_or_else(|e| e.into_inner()) =
            Some(RocksCounters::read(&self.db, &self.options));
    }

    fn window_closed(&self) -> Vec<Fact> {
        let opened = self.opened.lock().unwrap_or_else(|e| e.into_inner()).take();
        let counted = opened.map(|before| {
            RocksCounters::read(&self.db, &self.options).since(&before).facts(&self.db)
        });
        let mut facts = self.writes();
        facts.extend(counted.unwrap_or_default());
        facts
    }

    fn written(&self) -> Vec<(&'static str, u64)> {
        if self.statistics { RocksCounters::written(&self.options) } else { Vec::new() }
    }

    fn facts(&self) -> Vec<Fact> {
        let fact = |name: &str, value: String| Fact::new("RocksDB", name, value);
        vec![
            fact(engine::VERSION.name, super::version()),
            fact("Keys", crate::base::units::grouped(self.space.keys)),
            fact(
                "Key and value",
                format!("{} + {} bytes", self.space.key_bytes, self.space.value_bytes),
            ),
            fact(engine::BLOCK_CACHE.name, self.cache.clone()),
            fact(engine::OPTIONS.name, self.given.clone()),
        ]
    }
}
