//! The cost of writes: the bytes written by each layer for a load, the drive's write amplification,
//! its life at this load, and energy and money for the work. docs/write-cost.md has the formulas.

pub mod life;
pub mod work;
