//! RocksDB's options, each by its own name: the plan's are passed to RocksDB's own parser, so Dyno
//! has no list that could become outdated.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use rocksdb::{AsRawPtr, BlockBasedOptions, Cache, Options};

use crate::base::error::{Context, Result, failed};
use crate::plan::Knobs;

/// The options for creating and opening a database.
pub fn options(knobs: &Knobs, create: bool) -> Result<Options> {
    let mut base = Options::default();
    if let Some(cache) = hyper_clock_cache(knobs)? {
        // RocksDB's parser starts from the table options of `base`, because its notation has no
        // name for this cache.
        let mut table = BlockBasedOptions::default();
        table.set_block_cache(&cache);
        base.set_block_based_table_factory(&table);
    }
    let options = Options::default();
    let text = string(knobs, create)?;
    let c_text = CString::new(text).context("a RocksDB option contains a zero byte")?;
    let mut error = std::ptr::null_mut();
    // SAFETY: both option objects live through the call, the string is terminated, and RocksDB
    // copies what it needs.
    unsafe {
        librocksdb_sys::rocksdb_get_options_from_string(
            base.as_raw_ptr(),
            c_text.as_ptr(),
            options.as_raw_ptr(),
            &mut error,
        );
    }
    match take_error(error) {
        None => Ok(options),
        Some(cause) => Err(failed(
            format!("RocksDB does not take these options: {cause}"),
            "use RocksDB's own names and values: those of DBOptions and ColumnFamilyOptions under \
             `options`, those of BlockBasedTableOptions under `table`",
        )),
    }
}

/// The block cache, if its type cannot be expressed in RocksDB's options string.
fn hyper_clock_cache(knobs: &Knobs) -> Result<Option<Cache>> {
    let (kind, bytes) = (knobs.text("cache_type")?, knobs.int("block_cache")?);
    Ok((kind == "hyper_clock_cache" && bytes > 0)
        .then(|| Cache::new_hyper_clock_cache(bytes as usize, 0)))
}

/// RocksDB's error string as ours; frees it.
pub fn take_error(error: *mut libc::c_char) -> Option<String> {
    if error.is_null() {
        return None;
    }
    // SAFETY: RocksDB returned a terminated string that we own and free once.
    unsafe {
        let text = CStr::from_ptr(error).to_string_lossy().into_owned();
        librocksdb_sys::rocksdb_free(error.cast());
        Some(text)
    }
}

/// The knobs in RocksDB's notation; the plan's own options come last and take precedence.
pub fn string(knobs: &Knobs, create: bool) -> Result<String> {
    let direct = knobs.flag("direct")?;
    let mut all = vec![
        ("create_if_missing".to_string(), create.to_string()),
        ("error_if_exists".to_string(), create.to_string()),
        ("use_direct_reads".to_string(), direct.to_string()),
        ("use_direct_io_for_flush_and_compaction".to_string(), direct.to_string()),
    ];
    let mut table = BTreeMap::new();
    match (knobs.int("block_cache")?, knobs.text("cache_type")?) {
        (0, _) => table.insert("no_block_cache".to_string(), "true".to_string()),
        (bytes, "lru_cache") => table.insert("block_cache".to_string(), bytes.to_string()),
        _ => None,
    };
    table.extend(knobs.options("table")?);
    let table: Vec<String> = table.iter().map(|(name, value)| format!("{name}={value}")).collect();
    all.push(("block_based_table_factory".to_string(), format!("{{{}}}", table.join(";"))));
    all.extend(knobs.options("options")?);
    Ok(all.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(";"))
}
