//! The version of the measuring method: it rises when the meaning of a sample changes (the end
//! points of a latency, which ops count, the scope of a meter's reading), not with the program.
//! Points of different methods are not compared.

use crate::plan::MethodVersion;

/// The current version. Bundles without it have version 1. Since version 2, rates are of
/// completions inside the window, and ops of an open loop that were never submitted count in its
/// latencies.
pub const METHOD: MethodVersion = MethodVersion(2);
