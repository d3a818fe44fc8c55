//! The cuts of a plan, as they are resolved.

/// The cuts of a plan. No bundle keeps them: a hook may hold a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerCut {
    /// HOST:PORT of the machine that keeps the acknowledgements.
    pub listener: String,
    /// The command that this machine executes to cut the other's power and give it back.
    pub cut: Vec<String>,
    /// How many cuts.
    pub cuts: u32,
}
