//! The version of the measuring method: it rises when a sample's meaning changes (what a latency is
//! taken between, which ops count, what a meter's reading is of), not with the program. Points of
//! different methods are not compared.

use crate::plan::MethodVersion;

/// Today's. Bundles that do not say are of the first.
pub const METHOD: MethodVersion = MethodVersion(1);
