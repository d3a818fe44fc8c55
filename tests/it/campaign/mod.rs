//! Campaigns: the output of `fleet plan`, refusals, and campaigns on a four-node Slurm cluster on
//! this machine.

mod bench;
mod disturbed;
mod lab;
mod planned;
mod queued;
mod requeued;
mod slurm;
mod submitted;

/// Only in the environment of the submitter.
const SECRET: &str = "geheim-4711";

/// Two values and three repeats: six points per task, each taking a third of a second.
const MIXED: &str = r#"
title = "Mixed"
source = "test"
[dataset.d]
engine = { kind = "psync", size = "1MiB" }
fill = { kind = "sequential", read = 0 }
[[step]]
name = "mixed"
duration = "300ms"
sweep = { axis = "io.threads", values = [1, 2] }
[[step.stream]]
name = "io"
dataset = "d"
engine = "psync"
workload = { kind = "random", read = 70 }
rate = "200/s"
"#;
