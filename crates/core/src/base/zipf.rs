//! The zipfian distribution: the popularity of rank r, from 1 on, is the integral of t^−theta from
//! r to r + 1, which is exact enough for any number of ranks (Gray and others, "Quickly generating
//! billion-record synthetic databases", SIGMOD 1994, use the same form).

/// ∫₁ˣ t^−theta dt
pub fn integral(theta: f64, x: f64) -> f64 {
    if (theta - 1.0).abs() < 1e-9 { x.ln() } else { (x.powf(1.0 - theta) - 1.0) / (1.0 - theta) }
}

/// The rank, from 0, that a number uniform over [0, 1) falls on: of `ranks`, where `top` is the
/// integral up to `ranks` + 1.
#[inline(always)]
pub fn rank(theta: f64, top: f64, unit: f64, ranks: u64) -> u64 {
    ((inverse(theta, unit * top) - 1.0) as u64).min(ranks - 1)
}

/// The x whose integral is y.
pub fn inverse(theta: f64, y: f64) -> f64 {
    if (theta - 1.0).abs() < 1e-9 {
        y.exp()
    } else {
        (1.0 + y * (1.0 - theta)).powf(1.0 / (1.0 - theta))
    }
}
