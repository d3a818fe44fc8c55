//! Colours, fonts and sizes that all figures share.

/// One colour a subject, in their order; distinguished by readers with colour-blindness too (after Okabe and Ito, 2008).
const COLOURS: [&str; 8] = ["#0b5cad", "#e07b00", "#00876c", "#b3478c", "#c23b22", "#3aa5dd", "#7a7a1f", "#4d4d4d"];

pub const FONT: &str = "Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
pub const INK: &str = "#1c2733";
pub const FAINT: &str = "#5b6875";
pub const GRID: &str = "#e3e8ed";

/// Small, so that the letters can still be read where two figures stand next to each other on a printed page.
pub const WIDTH: f64 = 560.0;
pub const HEIGHT: f64 = 350.0;

/// Stands beside whatever the drive is known not to have limited.
pub const MARK: &str = "†";

/// The colours of the subjects, by their place; beyond the last they begin again.
#[derive(Clone, Debug)]
pub struct Palette(Vec<String>);

impl Default for Palette {
    fn default() -> Palette {
        Palette(COLOURS.map(String::from).to_vec())
    }
}

impl Palette {
    pub fn of(&self, subject: usize) -> &str {
        &self.0[subject % self.0.len()]
    }

    /// Gives one subject a colour of its own: "#rrggbb".
    pub fn set(&mut self, subject: usize, colour: &str) {
        while self.0.len() <= subject {
            self.0.push(COLOURS[self.0.len() % COLOURS.len()].to_string());
        }
        self.0[subject] = colour.to_string();
    }
}
