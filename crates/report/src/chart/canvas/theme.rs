//! Colours, shapes and sizes shared by all figures.

use crate::chart::canvas::colour;

/// One colour per subject, in order, for light and dark pages. A unit test checks that they are
/// distinguishable with each of the common colour-vision deficiencies, and the first ones in grey;
/// shape and dash differ as well.
const LIGHT: [&str; 8] =
    ["#0b5cad", "#e34e06", "#731921", "#1ba586", "#a15a46", "#530bc9", "#a28540", "#764579"];
const DARK: [&str; 8] =
    ["#6fb3ff", "#e8de2d", "#ee3a7f", "#c5f7f9", "#ee7731", "#a7a1c4", "#8ed57a", "#c2b891"];

/// Colour of text and axes.
pub const INK: &str = "#1c2733";
/// Colour of labels and secondary text.
pub const FAINT: &str = "#525e6b";
/// Colour of grid lines.
pub const GRID: &str = "#dfe5ea";
/// Colour of a light page.
pub const PAPER: &str = "#ffffff";
/// Colour of a dark page.
pub const DARK_PAPER: &str = "#12171d";

/// Large enough that three fit in a row on a desktop screen and two on a printed page, and small
/// enough that on a phone of 320 pixels the smallest letters, `LEAST_TEXT`, are not below nine.
pub const WIDTH: f64 = 440.0;
/// Height of a figure, in the units of [`WIDTH`].
pub const HEIGHT: f64 = 290.0;
/// Size of the smallest letters in a figure, in the same units.
pub const LEAST_TEXT: f64 = 13.5;

/// Marks figures that are known not to be limited by the drive.
pub const MARK: &str = "†";

/// Dash patterns of the subjects' lines, by index.
const DASHES: [&str; 8] =
    ["", "7 3", "2.5 2.5", "9 3 2.5 3", "14 4", "5 2 2 2 2 2", "1.5 4", "12 3 5 3"];

/// The colours of the subjects, by index; they repeat after the last.
#[derive(Clone, Debug)]
pub struct Palette(Vec<(String, String)>);

impl Default for Palette {
    fn default() -> Palette {
        Palette(
            LIGHT
                .iter()
                .zip(DARK)
                .map(|(light, dark)| (light.to_string(), dark.to_string()))
                .collect(),
        )
    }
}

impl Palette {
    /// The colour of the subject with this index.
    pub fn of(&self, subject: usize) -> &str {
        &self.0[subject % self.0.len()].0
    }

    /// The same subject's colour on a dark page.
    pub fn on_dark(&self, subject: usize) -> &str {
        &self.0[subject % self.0.len()].1
    }

    /// The number of colours.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Sets one subject's colour: "#rrggbb".
    pub fn set(&mut self, subject: usize, light: &str) {
        while self.0.len() <= subject {
            self.0.push(self.0[self.0.len() % LIGHT.len()].clone());
        }
        self.0[subject] = (light.to_string(), colour::lightened(light, DARK_PAPER, 3.0));
    }
}

/// The dash pattern of a subject's lines, in SVG notation; empty for a solid line.
pub fn dash(subject: usize) -> &'static str {
    DASHES[subject % DASHES.len()]
}

/// The outline of a subject's marks around a point, as an SVG path.
pub fn shape(subject: usize, (x, y): (f64, f64), r: f64) -> String {
    let points = |all: &[(f64, f64)]| {
        let all: Vec<String> =
            all.iter().map(|(dx, dy)| format!("{:.1} {:.1}", x + dx * r, y + dy * r)).collect();
        format!("M{}Z", all.join("L"))
    };
    match subject % DASHES.len() {
        0 => {
            let (left, d) = (x - r, 2.0 * r);
            format!("M{left:.1} {y:.1}a{r:.1} {r:.1} 0 1 0 {d:.1} 0a{r:.1} {r:.1} 0 1 0 -{d:.1} 0Z")
        }
        1 => points(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => points(&[(0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)]),
        3 => points(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        4 => points(&[(0.0, 1.2), (1.15, -0.85), (-1.15, -0.85)]),
        5 => {
            let (a, b) = (0.4, 1.2);
            let cross = [
                (-a, -b),
                (a, -b),
                (a, -a),
                (b, -a),
                (b, a),
                (a, a),
                (a, b),
                (-a, b),
                (-a, a),
                (-b, a),
            ];
            points(&[&cross[..], &[(-b, -a), (-a, -a)]].concat())
        }
        6 => points(&[(-1.25, -0.55), (1.25, -0.55), (1.25, 0.55), (-1.25, 0.55)]),
        _ => points(&[(-0.55, -1.25), (0.55, -1.25), (0.55, 1.25), (-0.55, 1.25)]),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::chart::canvas::colour::{Sight, contrast, difference, lightness};

    /// Minimum difference between two colours (CIE 1976 L*a*b*), by the larger of their indices: a
    /// brief of two drives can meet a higher limit than one of eight.
    const APART: [f64; 8] = [0.0, 36.0, 31.0, 26.0, 19.0, 16.0, 13.0, 11.0];
    /// The same for L* alone, for printing in grey.
    const APART_IN_GREY: [f64; 8] = [0.0, 14.0, 9.5, 6.5, 3.8, 2.8, 1.8, 1.4];

    #[test]
    fn colours_are_distinct_with_each_colour_vision_deficiency_and_in_grey() {
        for (all, paper) in [(LIGHT, PAPER), (DARK, DARK_PAPER)] {
            for (j, b) in all.iter().enumerate() {
                assert!(contrast(b, paper) >= 3.0, "{b} on {paper} (WCAG 1.4.11)");
                for (i, a) in all[..j].iter().enumerate() {
                    for sight in [Sight::Full, Sight::Protan, Sight::Deutan, Sight::Tritan] {
                        let apart = difference(a, b, sight);
                        assert!(apart >= APART[j], "{i} {a} and {j} {b} for {sight:?}: {apart:.1}");
                    }
                    let grey = (lightness(a) - lightness(b)).abs();
                    assert!(grey >= APART_IN_GREY[j], "{i} {a} and {j} {b} in grey: {grey:.1}");
                }
            }
        }
    }

    #[test]
    fn shape_and_dash_differ_where_colour_cannot() {
        let shapes: BTreeSet<String> = (0..8).map(|i| shape(i, (0.0, 0.0), 5.0)).collect();
        let dashes: BTreeSet<&str> = (0..8).map(dash).collect();
        assert_eq!((shapes.len(), dashes.len()), (8, 8));
    }

    #[test]
    fn a_colour_of_the_users_own_is_light_enough_on_a_dark_page() {
        let mut palette = Palette::default();
        palette.set(9, "#101040");
        assert_eq!(palette.of(9), "#101040");
        assert!(contrast(palette.on_dark(9), DARK_PAPER) >= 3.0);
    }
}
