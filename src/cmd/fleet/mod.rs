//! `dyno fleet`: many drives of a model; a file for each command.

mod accept;

use std::io::Write;

use clap::Subcommand;

use crate::base::error::Result;

pub use accept::Accepted;

/// What is done with a fleet.
#[derive(Subcommand)]
pub enum FleetCommand {
    /// Which delivered drives do not behave like a reference sample of their model; exit code 0:
    /// none is rejected, 1: some are, 2: of some nothing can be said
    Accept(accept::AcceptArgs),
}

/// Does it; the exit code.
pub fn fleet(command: &FleetCommand, out: &mut dyn Write) -> Result<u8> {
    match command {
        FleetCommand::Accept(args) => accept::accept(args, out),
    }
}
