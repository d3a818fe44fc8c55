//! `dyno fleet`: many drives of a model on many hosts. One file per command.

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
pub use clock::ComparedClock;
pub use collect::Collected;
pub use plan::PlannedCampaign;
pub use status::FleetStatus;
pub use together::Brought;

/// The commands.
#[derive(Subcommand)]
pub enum FleetCommand {
    /// Find delivered drives that do not behave like a reference sample of their model
    ///
    /// Exit code 0: no drive is rejected; 1: some are; 2: none is, but some could not be judged.
    Accept(accept::AcceptArgs),
    /// Check a campaign and print its tasks with their drives and hosts
    Plan(plan::PlanArgs),
    /// Submit the campaign's tasks that are neither measured nor queued to Slurm
    Submit(submit::SubmitArgs),
    /// Print a campaign's status: tasks, points, time left, failures and their causes
    Status(status::StatusArgs),
    /// Check a campaign's bundles and copy them into one folder
    ///
    /// Exit code 2: a point is missing.
    Collect(collect::CollectArgs),
    /// Run one task of a campaign on its host, as a job's script does
    #[command(hide = true)]
    Task(task::TaskArgs),
    /// Compare this host's clock with those of other hosts
    ///
    /// Exit code 1: an offset may exceed the limit.
    Clock(clock::ClockArgs),
    /// Combine the bundles of hosts that started at the same time
    ///
    /// Sums their ops and merges their latency histograms. Exit code 2: some point has no sum.
    Together(together::TogetherArgs),
}

/// Executes it; returns the exit code.
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
