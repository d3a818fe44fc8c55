//! The live page of a run, served by a separate process (`dyno serve` for that bundle), so that
//! viewers cost the run nothing. The process ends with the run, has the lowest priority, and uses
//! only processors that no worker is pinned to.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed};
use crate::base::stderr::note;
use crate::lab::machine::processors::{self, Processors};
use crate::plan::Plan;
use crate::run::unused_processors;

/// The lowest priority of ordinary scheduling (nice(2)).
const NICE: i32 = 19;
/// How long it continues after the run, so that viewers see the result.
const AFTERWARDS: Duration = Duration::from_millis(500);

/// The serving process; it ends when dropped.
pub struct ServeProcess(Child);

impl ServeProcess {
    /// Starts it, and prints its address.
    pub fn start(listen: SocketAddr, bundle: &Path, plans: &[Plan]) -> Result<ServeProcess> {
        let mut of_each = plans.iter().map(unused_processors);
        let mut free = of_each.next().unwrap_or_else(|| Ok(Processors::new()))?;
        for other in of_each {
            free = &free & &other?;
        }
        let mut command = Command::new(std::env::current_exe().context("finding this program")?);
        command.arg("serve").arg(bundle).arg("--listen").arg(listen.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        // SAFETY: between fork and exec only system calls are made.
        unsafe { command.pre_exec(move || yielding(&free)) };
        let mut child = ServeProcess(command.spawn().context("starting `dyno serve`")?);
        let mut address = String::new();
        if let Some(out) = child.0.stdout.take() {
            BufReader::new(out).read_line(&mut address).context("querying its address")?;
        }
        if address.trim().is_empty() {
            return Err(failed(
                format!("cannot serve at {listen}"),
                "use another address or port, as in --serve=127.0.0.1:7071",
            ));
        }
        note(&format!("Live at {}live", address.trim()));
        Ok(child)
    }
}

/// Executed by the new process before exec.
fn yielding(free: &Processors) -> std::io::Result<()> {
    // It is started by the run's main thread, which lives as long as the run.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let _ = rustix::process::nice(NICE);
    if !free.is_empty() {
        let _ = processors::pin(free);
    }
    Ok(())
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        let clock = Clock::for_pauses();
        clock.sleep_until(clock.now_ns() + AFTERWARDS.as_nanos() as u64);
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
