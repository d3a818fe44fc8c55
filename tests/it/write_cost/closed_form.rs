//! What theory says of greedy cleaning under uniform random writes.

/// Write amplification of greedy cleaning under uniform random writes: P. Desnoyers, "Analytic
/// modeling of SSD write performance", SYSTOR '12 (doi 10.1145/2367589.2367603), equation 12, as
/// Y. Oh's port of the author's functions has it. `factor` is the flash's pages for each of the
/// host's, `pages` those of a block. For large blocks it is the form of L. Xiang and B. M.
/// Kurkoski, "An improved analytic expression for write amplification in NAND flash", ICNC 2012
/// (doi 10.1109/ICCNC.2012.6167472).
///
/// A block that is cleaned has m valid pages left and was full T steps ago, so that the blocks that
/// are written in T are all of them: factor · (pages − m) / pages = H(pages) − H(m), where H are
/// harmonic numbers, H(n) ≈ ln(n + ½) + γ. Solved for m by Lambert's W, it is pages / (pages − m).
pub fn greedy(factor: f64, pages: f64) -> f64 {
    let k = 1.0 + 0.5 / pages;
    factor / (k * factor + lambert_w0(-k * factor * (-k * factor).exp()))
}

/// The principal branch of Lambert's W between −1/e and 0, by Halley's iteration (R. M. Corless and
/// others, "On the Lambert W function", 1996, section 4).
fn lambert_w0(x: f64) -> f64 {
    assert!(x > -(-1f64).exp() && x < 0.0, "{x}");
    let mut w: f64 = -1.0 + (2.0 * (1f64.exp() * x + 1.0)).sqrt();
    for _ in 0..64 {
        let (e, f) = (w.exp(), w * w.exp() - x);
        let step = f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
        w -= step;
        if step.abs() < 1e-14 {
            break;
        }
    }
    w
}
