//! `dyno trace generate`: a synthetic trace whose parameters are known.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::base::error::{Result, failed};
use crate::base::output::Output;
use crate::base::units::{self, Rate};
use crate::trace::Synthetic;

/// The parameters of a synthetic trace.
#[derive(Args)]
pub struct GenerateArgs {
    /// Trace to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Length of the trace
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Mean arrivals
    #[arg(long, value_name = "RATE", default_value = "2000/s")]
    rate: String,
    /// How many times as fast requests arrive in bursts of 100 ms, a tenth of the time; 1 for none
    #[arg(long, value_name = "FACTOR", default_value_t = 8.0)]
    burst: f64,
    /// Percent of reads; the rest are writes
    #[arg(long, value_name = "PERCENT", default_value_t = 70.0)]
    read: f64,
    /// Bytes that are accessed
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    span: String,
    /// Exponent of the popularity of 4 KiB blocks; 0 for uniform
    #[arg(long, value_name = "THETA", default_value_t = 0.9)]
    theta: f64,
    /// Size of every request [default: 70 % 4 KiB, 20 % 16 KiB, 10 % 64 KiB]
    #[arg(long, value_name = "SIZE")]
    block: Option<String>,
}

/// Writes the trace and prints its summary.
pub fn generate(args: &GenerateArgs, out: &mut dyn Write) -> Result<()> {
    let wrong = |what: &str, why: String| failed(format!("--{what}: {why}"), "see --help");
    let size = |what: &str, text: &str| {
        let bytes = units::parse_bytes(text).map_err(|why| wrong(what, why))?;
        if bytes == 0 || bytes % 4096 != 0 {
            return Err(wrong(what, format!("{text} is not a multiple of 4 KiB")));
        }
        Ok(bytes)
    };
    let rate = match units::parse_rate(&args.rate).map_err(|why| wrong("rate", why))? {
        Rate::OpsPerSec(rate) => rate,
        Rate::BytesPerSec(_) => {
            return Err(wrong("rate", "give requests per second, as in 2000/s".to_string()));
        }
    };
    let mut synthetic = Synthetic {
        seed: args.seed,
        seconds: args.seconds,
        rate,
        burst: args.burst,
        read: args.read / 100.0,
        span: size("span", &args.span)?,
        theta: args.theta,
        ..Synthetic::default()
    };
    if let Some(block) = &args.block {
        let bytes = u32::try_from(size("block", block)?);
        let bytes = bytes.map_err(|_| wrong("block", format!("{block} is beyond 4 GiB")))?;
        synthetic.sizes = vec![(bytes, 1.0)];
    }
    let (written, summary) = synthetic.write(Output::begin(&args.output, &[])?)?;
    written.finish(&[])?;
    let requests = units::plural(summary.requests as usize, "request");
    writeln!(out, "{}: {requests}", args.output.display())?;
    Ok(())
}
