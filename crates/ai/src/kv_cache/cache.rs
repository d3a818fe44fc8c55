//! The cache described by the knobs.

use std::path::PathBuf;

use super::models;
use super::s3_fifo::LEAST_BLOCKS;
use super::sessions::Spread;
use dyno_core::base::error::{Result, failed};
use dyno_core::base::units;
use dyno_core::measure::AddressSpace;
use dyno_core::plan::Knobs;

/// Offsets and lengths of direct I/O are multiples of this.
const UNIT: u64 = 4096;
/// Maximum block size, bytes: the largest request that can be replayed.
const MOST_BYTES: u64 = 256 << 20;

/// A cache, and the recording whose requests it serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// File of the recording, as written in the plan.
    pub file: PathBuf,
    /// The model's name.
    pub model: String,
    /// Tokens per block.
    pub tokens: u64,
    /// Bytes per block.
    pub block_bytes: u64,
    /// Capacity on the drive, blocks.
    pub blocks: u64,
    /// Additional capacity in memory, blocks.
    pub memory: u64,
    /// Name of its eviction policy.
    pub eviction: String,
    /// Bytes per token of the model.
    pub token_bytes: u64,
    /// Rate at which the model computes blocks, tokens per second.
    pub prefill: u64,
    /// Computation time of a block in the time of the recording: a faster replay does not make the
    /// model faster. Nanoseconds.
    pub computed_ns: u64,
    /// The last block of a request is accessed first.
    pub tail_first: bool,
    /// Distribution of times that are recorded in steps.
    pub spread: Spread,
}

impl Cache {
    /// Reads the cache from the knobs.
    pub fn of(knobs: &Knobs) -> Result<Cache> {
        let (tokens, blocks) = (knobs.int("tokens")?, knobs.int("blocks")?);
        let model = knobs.text("model")?.to_string();
        let token_bytes = models::find(&model).map_or(0, models::Model::token_bytes);
        let own = knobs.get("block_size").and_then(serde_json::Value::as_u64);
        let block_bytes = own.unwrap_or((token_bytes * tokens).next_multiple_of(UNIT));
        let valid = (UNIT..=MOST_BYTES).contains(&block_bytes);
        if !valid || !block_bytes.is_multiple_of(UNIT) {
            let what = format!("a block of {block_bytes} bytes cannot be read and written");
            let most = units::bytes(MOST_BYTES);
            let help = format!(
                "set `block_size` to a multiple of {UNIT} bytes up to {most}, or lower `tokens`"
            );
            return Err(failed(what, help));
        }
        let eviction = knobs.text("eviction")?.to_string();
        if eviction == "s3-fifo" && blocks < LEAST_BLOCKS {
            return Err(failed(
                format!("s3-fifo divides a cache of {blocks} blocks into less than one block"),
                format!("set `blocks` to {LEAST_BLOCKS} or more"),
            ));
        }
        let prefill = knobs.int("prefill")?;
        let scale = if knobs.text("pace")? == "asap" { 1.0 } else { knobs.float("scale")? };
        let computed_ns = (tokens as f64 * 1e9 / prefill as f64 * scale) as u64;
        Ok(Cache {
            file: PathBuf::from(knobs.text("file")?),
            model,
            tokens,
            block_bytes,
            blocks,
            memory: knobs.int("memory_blocks")?,
            eviction,
            token_bytes,
            prefill,
            computed_ns,
            tail_first: knobs.text("touch")? == "tail",
            spread: Spread::of(knobs.text("spread")?),
        })
    }

    /// Refuses a range that is smaller than the cache.
    pub fn check(&self, space: AddressSpace) -> Result<()> {
        let needed = self.blocks * self.block_bytes;
        if needed <= space.bytes {
            return Ok(());
        }
        let (bytes, there) = (units::bytes(self.block_bytes), units::bytes(space.bytes));
        Err(failed(
            format!(
                "{} blocks of {bytes} take {}, and the range under test has {there}",
                self.blocks,
                units::bytes(needed)
            ),
            format!(
                "set `blocks` to {} or less, or use a larger drive or dataset (its `size`)",
                space.bytes / self.block_bytes
            ),
        ))
    }
}
