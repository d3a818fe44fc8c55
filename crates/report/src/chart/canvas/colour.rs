//! Properties of colours: contrast (WCAG 2.2), lightness and difference (CIE 1976 L*a*b*), also
//! with a colour-vision deficiency.

/// The components of "#rrggbb" as linear light, from 0 to 1; black if invalid.
fn light(hex: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let part = hex.get(at..at + 2).and_then(|h| u8::from_str_radix(h, 16).ok()).unwrap_or(0);
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

fn luminance([r, g, b]: [f64; 3]) -> f64 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The contrast ratio of two colours, from 1 to 21.
pub fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(light(a)), luminance(light(b)));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// `colour`, mixed with white until its contrast to `paper` is at least `ratio`.
pub fn lightened(colour: &str, paper: &str, ratio: f64) -> String {
    let mixed = |share: f64| {
        let part = |at: usize| {
            colour.get(at..at + 2).and_then(|h| u8::from_str_radix(h, 16).ok()).unwrap_or(0)
        };
        let mix = |at: usize| (f64::from(part(at)) * (1.0 - share) + 255.0 * share).round() as u8;
        format!("#{:02x}{:02x}{:02x}", mix(1), mix(3), mix(5))
    };
    let shares = (0..=20).map(|i| f64::from(i) / 20.0);
    shares.map(mixed).find(|c| contrast(c, paper) >= ratio).unwrap_or_else(|| "#ffffff".to_string())
}

#[cfg(test)]
pub use sight::{Sight, difference, lightness};

#[cfg(test)]
mod sight {
    use super::{light, luminance};

    /// The viewer's colour vision.
    #[derive(Clone, Copy, Debug)]
    pub enum Sight {
        Full,
        Protan,
        Deutan,
        Tritan,
    }

    /// Machado, Oliveira and Fernandes, “A physiologically-based model for simulation of color
    /// vision deficiency”, IEEE TVCG 15(6), 2009: severity 1.0, for linear RGB.
    const PROTAN: [[f64; 3]; 3] = [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ];
    const DEUTAN: [[f64; 3]; 3] = [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ];
    const TRITAN: [[f64; 3]; 3] = [
        [1.255_528, -0.076_749, -0.178_779],
        [-0.078_411, 0.930_809, 0.147_602],
        [0.004_733, 0.691_367, 0.303_900],
    ];

    fn seen(rgb: [f64; 3], sight: Sight) -> [f64; 3] {
        let by = match sight {
            Sight::Full => return rgb,
            Sight::Protan => PROTAN,
            Sight::Deutan => DEUTAN,
            Sight::Tritan => TRITAN,
        };
        by.map(|row| row.iter().zip(rgb).map(|(m, part)| m * part).sum::<f64>().clamp(0.0, 1.0))
    }

    /// L*, a* and b* under D65.
    fn lab(rgb: [f64; 3]) -> [f64; 3] {
        let [r, g, b] = rgb;
        let f = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let x = f((0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47);
        let y = f(luminance(rgb));
        let z = f((0.019_333_9 * r + 0.119_192 * g + 0.950_304_1 * b) / 1.088_83);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    pub fn difference(a: &str, b: &str, sight: Sight) -> f64 {
        let (a, b) = (lab(seen(light(a), sight)), lab(seen(light(b), sight)));
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    pub fn lightness(colour: &str) -> f64 {
        lab(light(colour))[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        assert!((contrast("#777777", "#ffffff") - 4.48).abs() < 0.01);
        assert!(difference("#ff0000", "#00a000", Sight::Full) > 100.0);
        assert!(
            difference("#b07000", "#808000", Sight::Deutan)
                < difference("#b07000", "#808000", Sight::Full)
        );
    }
}
