//! Campaigns: what a plan of one says, what it refuses, and campaigns on a Slurm of four nodes on
//! this machine.

mod disturbed;
mod planned;
mod slurm;
mod submitted;

/// In the environment of whoever submits, and nowhere else.
const SECRET: &str = "geheim-4711";
