//! `rocksdb`: embedded RocksDB, in the version that the crate bundles, so that it can be disclosed.
//! Its knobs are defined here and always available; code that links RocksDB is in the other files
//! of this folder, behind the feature `rocksdb`.

#[cfg(feature = "rocksdb")]
mod counters;
#[cfg(feature = "rocksdb")]
mod io_context;
#[cfg(feature = "rocksdb")]
mod layout;
#[cfg(feature = "rocksdb")]
mod options;
#[cfg(feature = "rocksdb")]
mod target;

use super::{DatasetAccess, Engine, Target};
use crate::base::error::Result;
use crate::measure::AddressSpace;
use crate::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};

/// RocksDB's own defaults (include/rocksdb/options.h, advanced_options.h).
const WRITE_BUFFER_BYTES: u64 = 64 << 20;
const WRITE_BUFFERS: u64 = 2;

/// The engine `rocksdb`.
pub struct RocksDb;

static INFO: Info = Info {
    name: "rocksdb",
    summary: "RocksDB embedded, any of its options by name",
    family: RequestFamily::KeyValue,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[
        Knob {
            name: "keys",
            kind: KnobKind::Int { min: 1, max: u64::MAX / 2 },
            default: DefaultValue::Is("1000000"),
            doc: "Keys in the database, numbered from 0 (db_bench: num).",
        },
        Knob {
            name: "key_size",
            kind: KnobKind::Bytes,
            default: DefaultValue::Is("16"),
            doc: "Bytes of a key; 8 or more to distinguish large numbers.",
        },
        Knob {
            name: "value_size",
            kind: KnobKind::Bytes,
            default: DefaultValue::Is("100"),
            doc: "Bytes of a value.",
        },
        Knob {
            name: "block_cache",
            kind: KnobKind::Bytes,
            default: DefaultValue::Is("\"32MiB\""),
            doc: "RocksDB's own cache of blocks (db_bench: cache_size); 0 for none.",
        },
        Knob {
            name: "cache_type",
            kind: KnobKind::Choice(&["hyper_clock_cache", "lru_cache"]),
            default: DefaultValue::Is("\"hyper_clock_cache\""),
            doc: "Type of block cache, with db_bench's names and default.",
        },
        Knob {
            name: "direct",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("false"),
            doc: "Read, flush and compact with O_DIRECT, bypassing the page cache.",
        },
        Knob {
            name: "wal",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Write the write-ahead log; fills do not.",
        },
        Knob {
            name: "sync",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("false"),
            doc: "Make each write durable before it is acknowledged.",
        },
        Knob {
            name: "compression_ratio",
            kind: KnobKind::Float { min: 0.01, max: 1.0 },
            default: DefaultValue::Is("0.5"),
            doc: "Compressed size of values as a share, as in db_bench.",
        },
        Knob {
            name: "statistics",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Record block-cache hits and other statistics (RocksDB's tickers); disabling it \
                makes ops slightly cheaper.",
        },
        Knob {
            name: "options",
            kind: KnobKind::Options,
            default: DefaultValue::Absent,
            doc: "RocksDB's DB and column-family options, by RocksDB's names.",
        },
        Knob {
            name: "table",
            kind: KnobKind::Options,
            default: DefaultValue::Absent,
            doc: "RocksDB's block-based table options, by RocksDB's names.",
        },
    ],
    source: "facebook/rocksdb, as bundled by the rocksdb crate",
};

impl Engine for RocksDb {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// The block cache and the memtables: if `db_write_buffer_size` is set, it limits both
    /// together.
    fn memory_bytes(&self, knobs: &Knobs) -> u64 {
        let options = knobs.options("options").unwrap_or_default();
        let option = |name: &str| options.get(name).and_then(|value| value.parse::<u64>().ok());
        let buffers = option("max_write_buffer_number").unwrap_or(WRITE_BUFFERS);
        let buffer = option("write_buffer_size").unwrap_or(WRITE_BUFFER_BYTES);
        let together = option("db_write_buffer_size").filter(|bytes| *bytes > 0);
        let memtables = together.unwrap_or(buffer.saturating_mul(buffers));
        knobs.int("block_cache").unwrap_or(0).saturating_add(memtables)
    }

    fn planned_space(&self, knobs: &Knobs) -> Option<AddressSpace> {
        space(knobs).ok()
    }

    #[cfg(not(feature = "rocksdb"))]
    fn check_build(&self) -> Result<()> {
        Err(not_built())
    }

    #[cfg(feature = "rocksdb")]
    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        target::open(site)
    }

    #[cfg(not(feature = "rocksdb"))]
    fn open(&self, _site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        Err(not_built())
    }
}

#[cfg(not(feature = "rocksdb"))]
fn not_built() -> crate::base::error::Error {
    crate::base::error::failed(
        "this dyno was built without RocksDB",
        "build it with its default features: `cargo build --release`",
    )
}

/// The address space of a database with these knobs.
fn space(knobs: &Knobs) -> Result<AddressSpace> {
    Ok(AddressSpace {
        from: 0,
        keys: knobs.int("keys")?,
        key_bytes: knobs.int("key_size")? as u32,
        value_bytes: knobs.int("value_size")? as u32,
        ..AddressSpace::default()
    })
}

/// The bundled RocksDB's version: the part of the binding's version after the plus.
pub fn version() -> String {
    if cfg!(not(feature = "rocksdb")) {
        return "not built in".to_string();
    }
    let lock = include_str!("../../../../../Cargo.lock");
    let found =
        lock.split("name = \"librocksdb-sys\"").nth(1).and_then(|rest| rest.split('"').nth(1));
    found
        .and_then(|v| v.split_once('+'))
        .map_or("unknown".to_string(), |(_, rocksdb)| rocksdb.to_string())
}
