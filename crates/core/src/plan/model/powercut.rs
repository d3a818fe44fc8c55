//! A plan's power cuts, resolved.

/// A plan's power cuts. Not stored in bundles, because a hook may contain a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerCut {
    /// HOST:PORT of the machine that stores the acknowledgements.
    pub listener: String,
    /// The command that this machine executes to cut the other's power and restore it.
    pub cut: Vec<String>,
    /// Number of cuts.
    pub cuts: u32,
}
