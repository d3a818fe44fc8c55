//! A value from round to round until it is steady: the rounds of each drive, with the fitted line
//! and the permitted band over the last of them.

use crate::chart::canvas::axis::{ChartAxis, si};
use crate::chart::canvas::frame::{Canvas, SubjectStyle};
use crate::chart::canvas::theme::{FAINT, INK, Palette};
use crate::chart::{FigureText, Plot};
use crate::say;

pub struct RoundsSeries {
    pub name: String,
    /// Values in order, from the first round.
    pub values: Vec<f64>,
    pub fit: Option<Fit>,
}

/// The fit to the last rounds.
pub struct Fit {
    /// The first round of the fit, from 1.
    pub first_round: usize,
    pub rounds: usize,
    pub mean: f64,
    pub intercept: f64,
    pub slope_per_round: f64,
    /// Half the height of the band around the mean.
    pub band: f64,
}

pub struct Rounds {
    pub text: FigureText,
    pub y_label: String,
    pub series: Vec<RoundsSeries>,
}

impl Plot for Rounds {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let bands = self.series.iter().filter_map(|s| s.fit.as_ref()).map(|f| f.mean + f.band);
        let values =
            || self.series.iter().flat_map(|s| s.values.iter().copied()).filter(|v| v.is_finite());
        let y = ChartAxis::from_zero(values().chain(bands));
        let mut frame = Canvas::new((palette, self.text.language), &self.y_label, &names, y);
        let most = self.series.iter().map(|s| s.values.len()).max().unwrap_or(0);
        if most == 0 {
            return frame.without_data(&self.label());
        }
        let (left, right) = (frame.left, frame.right);
        let x_at = |round: f64| left + (round - 0.5) / most as f64 * (right - left);
        frame.x_ticks(
            &(1..=most).map(|round| (x_at(round as f64), round.to_string())).collect::<Vec<_>>(),
        );
        for (i, series) in self.series.iter().enumerate() {
            let numbered = series.values.iter().enumerate().filter(|(_, v)| v.is_finite());
            let path: Vec<_> =
                numbered.map(|(at, v)| (x_at(at as f64 + 1.0), frame.y_at(*v))).collect();
            frame.polyline(&path, i, 1.6);
            for (value, at) in series.values.iter().filter(|v| v.is_finite()).zip(path) {
                let hover = format!(
                    "{}: {} {}",
                    series.name,
                    self.text.language.number(&si(*value)),
                    self.y_label
                );
                frame.mark(at, 3.2, SubjectStyle::solid(i), Some(&hover));
            }
            if let Some(fit) = &series.fit {
                fit.draw(&mut frame, &x_at);
            }
        }
        frame.with_x(&say!(self.text.language, "figure-round"), &self.label())
    }
}

impl Fit {
    fn draw(&self, frame: &mut Canvas<'_>, x_at: &dyn Fn(f64) -> f64) {
        let (first, steps) = (self.first_round as f64, (self.rounds - 1) as f64);
        let (from, to) = (x_at(first), x_at(first + steps));
        let y = |frame: &Canvas<'_>, value: f64| frame.y_at(value.max(0.0));
        for limit in [self.mean - self.band, self.mean + self.band] {
            let at = y(frame, limit);
            frame.line((from, at), (to, at), ("q", FAINT), 1.0);
        }
        let (start, end) =
            (y(frame, self.intercept), y(frame, self.intercept + self.slope_per_round * steps));
        frame.line((from, start), (to, end), ("w", INK), 1.6);
    }
}
