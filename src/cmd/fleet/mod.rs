//! `dyno fleet`: many drives of a model, on many hosts; a file for each command.

mod accept;
mod clock;
mod collect;
mod layout;
mod plan;
mod status;
mod submit;
mod task;
mod together;
mod words;

use std::io::Write;

use clap::Subcommand;

use crate::base::error::Result;

pub use accept::Accepted;
pub use clock::Compared;
pub use collect::Collected;
pub use plan::Planned;
pub use status::Status;
pub use together::Brought;

/// What is done with a fleet.
#[derive(Subcommand)]
pub enum FleetCommand {
    /// Which delivered drives do not behave like a reference sample of their model; exit code 0:
    /// none is rejected, 1: some are, 2: of some nothing can be said
    Accept(accept::AcceptArgs),
    /// Check a campaign and print which task measures which drive on which host; runs nothing
    Plan(plan::PlanArgs),
    /// Submit a campaign's tasks to Slurm; again: what is neither measured nor in the queue
    Submit(submit::SubmitArgs),
    /// How a campaign stands: tasks, points, time left, failures with their cause
    Status(status::StatusArgs),
    /// Check a campaign's bundles and copy them into one folder; exit code 2: something is missing
    Collect(collect::CollectArgs),
    /// Run one task of a campaign on its host, as a job's script does
    #[command(hide = true)]
    Task(task::TaskArgs),
    /// How far this host's clock lies from others'; exit code 1: one may lie beyond the limit
    Clock(clock::ClockArgs),
    /// Sums and merges what hosts that began at one time did; exit code 2: some point has no sum
    Together(together::TogetherArgs),
}

/// Does it; the exit code.
pub fn fleet(command: &FleetCommand, out: &mut dyn Write) -> Result<u8> {
    match command {
        FleetCommand::Accept(args) => accept::accept(args, out),
        FleetCommand::Plan(args) => plan::plan(args, out).map(|()| 0),
        FleetCommand::Submit(args) => submit::submit(args, out).map(|()| 0),
        FleetCommand::Status(args) => status::status(args, out).map(|()| 0),
        FleetCommand::Collect(args) => collect::collect(args, out),
        FleetCommand::Task(args) => task::task(args),
        FleetCommand::Clock(args) => clock::clock(args, out),
        FleetCommand::Together(args) => together::together(args, out),
    }
}
