//! Colours, fonts and sizes that all figures share.

/// One colour a subject, in their order; told apart by readers with colour-blindness too (after Okabe and Ito, 2008).
pub const COLOURS: [&str; 8] = ["#0b5cad", "#e07b00", "#00876c", "#b3478c", "#c23b22", "#3aa5dd", "#7a7a1f", "#4d4d4d"];

pub const FONT: &str = "Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
pub const INK: &str = "#1c2733";
pub const FAINT: &str = "#5b6875";
pub const GRID: &str = "#e3e8ed";

/// Small, so that the letters can still be read where two figures stand side by side on a printed page.
pub const WIDTH: f64 = 560.0;
pub const HEIGHT: f64 = 350.0;

pub fn colour(subject: usize) -> &'static str {
    COLOURS[subject % COLOURS.len()]
}
