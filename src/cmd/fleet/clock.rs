//! `dyno fleet clock`: the offset of this host's clock from others', or this host's clock as a
//! reference for others.

use std::io::Write;
use std::net::{Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::atomic::Ordering::Relaxed;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, OutputFormat};
use super::super::signals::Signals;
use crate::base::error::{Context, Result, exit};
use crate::base::stderr::note;
use crate::base::units;
use crate::cmd::measure::run_start::{LIMIT_NS, duration};
use crate::lab::machine::clocks;

/// The clocks to compare, or where to serve the time.
#[derive(Args)]
pub struct ClockArgs {
    /// Hosts to compare this host's clock with: an NTP server (HOST:123), or a host that runs
    /// `dyno fleet clock --serve` (HOST, port 7123)
    #[arg(value_name = "HOST[:PORT]", required_unless_present = "serve")]
    host: Vec<String>,
    /// Serve this host's time until interrupted [default address: [::]:7123, every address of this
    /// host]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true,
          conflicts_with = "host")]
    serve: Option<Option<SocketAddr>>,
    /// Largest acceptable offset [default: 10ms]
    #[arg(long, value_name = "DURATION")]
    limit: Option<String>,
    #[command(flatten)]
    format: OutputFormat,
}

/// A clock with which this host's was compared.
#[derive(Serialize, JsonSchema)]
pub struct ComparedClock {
    /// As named by the user.
    pub host: String,
    /// The correction to this host's clock, nanoseconds.
    pub offset_ns: i64,
    /// The maximum error of the correction: half the shortest round trip.
    pub bound_ns: u64,
    /// The limit.
    pub limit_ns: u64,
    /// Whether they are certainly within the limit.
    pub within_limit: bool,
}

/// Compares or serves; exit code 1 if a clock may be beyond the limit.
pub fn clock(args: &ClockArgs, out: &mut dyn Write) -> Result<u8> {
    if let Some(address) = args.serve {
        let address = address.unwrap_or((Ipv6Addr::UNSPECIFIED, clocks::PORT).into());
        let socket = UdpSocket::bind(address)
            .with_context(|| format!("listening at {address} for those who ask the time"))?;
        let signals = Signals::catch()?;
        note(&format!("Serving this host's time at {}.", socket.local_addr().unwrap_or(address)));
        clocks::serve(&socket, &|| signals.stop.load(Relaxed))?;
        return Ok(signals.exit_code());
    }
    let limit_ns = args.limit.as_deref().map_or(Ok(LIMIT_NS), duration)?;
    let mut compared = Vec::new();
    for host in &args.host {
        let offset = clocks::compare(host)?;
        compared.push(ComparedClock {
            host: host.clone(),
            offset_ns: offset.offset_ns,
            bound_ns: offset.bound_ns,
            limit_ns,
            within_limit: offset.most_ns() <= limit_ns,
        });
        if !args.format.json {
            let limit = units::latency(limit_ns as f64);
            let verdict = if offset.most_ns() <= limit_ns { "within" } else { "beyond" };
            writeln!(out, "{host}: {}, {verdict} the limit of {limit}", offset.text())?;
        }
    }
    if args.format.json {
        json::print(&compared, out)?;
    }
    Ok(if compared.iter().all(|one| one.within_limit) { 0 } else { exit::WORSE })
}
