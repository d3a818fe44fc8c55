//! Table cells. The quantities of a column are printed in one unit with the same number of
//! decimals, and the column's head contains the unit.

use crate::analysis::points::point_summary::Latency;
use crate::brief::block::{Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::language::Language;
use crate::say;
use dyno_core::base::units;
use dyno_core::stats::Estimate;

/// The dimension of a quantity, which determines its units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Stored in nanoseconds.
    Time,
    /// Stored in joules.
    Energy,
    /// Sizes of requests and blocks, stored in bytes and printed in units of 1,024.
    Size,
    /// Transferred data, stored in bytes and printed in units of 1,000.
    Volume,
    /// In the unit in the column's head: ops/s, MB/s, watts.
    Fixed,
}

impl Dimension {
    /// Units, smallest first, each with its size in the stored unit.
    fn units(self) -> &'static [(&'static str, f64)] {
        match self {
            Dimension::Time => &[("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)],
            Dimension::Fixed => &[("", 1.0)],
            Dimension::Size => &[
                ("B", 1.0),
                ("KiB", 1024.0),
                ("MiB", 1_048_576.0),
                ("GiB", 1_073_741_824.0),
                ("TiB", 1_099_511_627_776.0),
            ],
            Dimension::Volume => {
                &[("B", 1.0), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15)]
            }
            Dimension::Energy => {
                &[("nJ", 1e-9), ("µJ", 1e-6), ("mJ", 1e-3), ("J", 1.0), ("kJ", 1e3), ("MJ", 1e6)]
            }
        }
    }
}

/// A cell before its column's unit is selected.
#[derive(Clone, Debug, PartialEq)]
pub enum TableCell {
    /// Text, or a number with a fixed unit.
    Text(String),
    /// A quantity, with a mark after it.
    Quantity {
        /// Its dimension.
        of: Dimension,
        /// The value in the dimension's base unit.
        value: f64,
        /// Significant digits, if given by its source.
        digits: Option<u32>,
        /// Half its interval, if it has one: finer digits are not meaningful.
        half: Option<f64>,
        /// Only a lower bound: "≥" precedes the number.
        at_least: bool,
        /// Printed after the number.
        mark: String,
    },
}

impl TableCell {
    /// Nanoseconds; [`NONE`] if not measured.
    pub fn time(ns: impl Into<Option<f64>>) -> TableCell {
        TableCell::of_value(Dimension::Time, ns, None)
    }

    fn of_value(of: Dimension, value: impl Into<Option<f64>>, digits: Option<u32>) -> TableCell {
        let mark = String::new();
        let (half, at_least) = (None, false);
        let cell = |value| TableCell::Quantity { of, value, digits, half, at_least, mark };
        value.into().map_or_else(TableCell::none, cell)
    }

    /// A rate, or watts: in the unit in the column's head.
    pub fn fixed(value: impl Into<Option<f64>>) -> TableCell {
        TableCell::of_value(Dimension::Fixed, value, None)
    }

    /// The same for an estimate.
    pub fn rate(estimate: Option<&Estimate>) -> TableCell {
        TableCell::of_estimate(Dimension::Fixed, estimate)
    }

    /// The size of requests or blocks in bytes.
    pub fn size(bytes: impl Into<Option<f64>>) -> TableCell {
        TableCell::of_value(Dimension::Size, bytes, None)
    }

    /// Transferred data in bytes.
    pub fn volume(bytes: impl Into<Option<f64>>) -> TableCell {
        TableCell::of_value(Dimension::Volume, bytes, None)
    }

    /// MB/s of an estimate in bytes per second; ops that moved no bytes have no such rate.
    pub fn megabytes(bytes_per_s: Option<&Estimate>) -> TableCell {
        let moved = bytes_per_s.filter(|bytes| bytes.value != 0.0);
        TableCell::rate(moved.map(|bytes| bytes.scaled(1e-6, "MB/s")).as_ref())
    }

    /// The same without its interval, for a calculation with the printed values.
    pub fn exact(mut self) -> TableCell {
        if let TableCell::Quantity { half, .. } = &mut self {
            *half = None;
        }
        self
    }

    /// A measured latency.
    pub fn latency(estimate: Option<&Estimate>) -> TableCell {
        TableCell::of_estimate(Dimension::Time, estimate)
    }

    /// The mean latency.
    pub fn mean(latency: Option<&Latency>) -> TableCell {
        TableCell::latency(latency.and_then(|own| own.mean_ns.as_ref()))
    }

    /// A percentile, by index in `PERCENTILES`.
    pub fn percentile(latency: Option<&Latency>, at: usize) -> TableCell {
        TableCell::latency(latency.and_then(|own| own.percentiles_ns[at].as_ref()))
    }

    /// The maximum latency.
    pub fn largest(latency: &Latency) -> TableCell {
        let max_ns = latency.max_ns.map(|ns| ns as f64);
        TableCell::of_value(Dimension::Time, max_ns, latency.max_digits)
            .bounded_below(latency.censored)
    }

    /// An estimate in joules.
    pub fn joules(estimate: Option<&Estimate>) -> TableCell {
        TableCell::of_estimate(Dimension::Energy, estimate)
    }

    fn of_estimate(of: Dimension, estimate: Option<&Estimate>) -> TableCell {
        let cell = |e: &Estimate| {
            let half = e.relative_percent().map(|percent| e.value.abs() * percent / 100.0);
            let (value, digits, at_least, mark) = (e.value, e.digits, e.at_least, String::new());
            TableCell::Quantity { of, value, digits, half, at_least, mark }
        };
        estimate.map_or_else(TableCell::none, cell)
    }

    /// Joules.
    pub fn energy(joules: impl Into<Option<f64>>) -> TableCell {
        TableCell::of_value(Dimension::Energy, joules, None)
    }

    /// The cell of a value that was not measured.
    pub fn none() -> TableCell {
        TableCell::Text(NONE.to_string())
    }

    /// The same as a lower bound, if `at_least`.
    pub fn bounded_below(mut self, bound: bool) -> TableCell {
        if let TableCell::Quantity { at_least, .. } = &mut self {
            *at_least = bound;
        }
        self
    }

    /// The same with a mark after it, unless not measured.
    pub fn marked(mut self, mark: &str) -> TableCell {
        match &mut self {
            TableCell::Text(text) if text == NONE => {}
            TableCell::Text(text) => text.push_str(mark),
            TableCell::Quantity { mark: behind, .. } => behind.push_str(mark),
        }
        self
    }

    /// The value as printed without a column unit.
    pub fn alone(&self, l: Language) -> String {
        match self {
            TableCell::Text(text) => text.clone(),
            TableCell::Quantity { of, value, digits, mark, at_least, .. } => {
                let text = match (of, digits) {
                    (Dimension::Time, Some(digits)) => number_format::time_in(l, *value, *digits),
                    (Dimension::Time, None) => number_format::time(l, *value),
                    (Dimension::Energy, Some(digits)) => {
                        number_format::joules_in(l, *value, *digits)
                    }
                    (Dimension::Energy, None) => number_format::joules(l, *value),
                    (Dimension::Fixed, Some(digits)) => {
                        l.number(&units::significant(*value, *digits))
                    }
                    (Dimension::Fixed, None) => number_format::count(l, *value),
                    (Dimension::Size, _) => number_format::size(l, *value),
                    (Dimension::Volume, _) => number_format::large_bytes(l, *value),
                };
                number_format::at_least(*at_least, text) + mark
            }
        }
    }

    /// The value as printed in a column with this scale.
    pub fn in_scale(self, l: Language, scale: Option<&Scale>) -> String {
        let TableCell::Quantity { value, digits, mark, at_least, .. } = self else {
            return self.alone(l);
        };
        let number = match (scale, digits) {
            (Some(scale), Some(digits)) => l.number(&units::significant(value / scale.per, digits)),
            (Some(scale), None) => scale.number(l, value),
            // Nothing in the column is positive.
            (None, _) => l.number(&format!("{value}")),
        };
        number_format::at_least(at_least, number) + &mark
    }
}

impl From<String> for TableCell {
    fn from(text: String) -> TableCell {
        TableCell::Text(text)
    }
}

impl From<Option<String>> for TableCell {
    fn from(text: Option<String>) -> TableCell {
        text.map_or_else(TableCell::none, TableCell::Text)
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> TableCell {
        TableCell::Text(text.to_string())
    }
}

/// A row with text only.
pub fn texts(row: impl IntoIterator<Item = String>) -> Vec<TableCell> {
    row.into_iter().map(TableCell::Text).collect()
}

impl Table {
    /// A table in which each column of quantities has one unit, named in its head.
    pub fn measured<T: ToString>(
        l: Language,
        left: usize,
        head: &[T],
        rows: Vec<(Mark, Vec<TableCell>)>,
    ) -> Table {
        let mut table = Table::new(left, head);
        let column =
            |at: usize| Scale::of_cells(rows.iter().filter_map(move |(_, row)| row.get(at)));
        let scales: Vec<Option<Scale>> = (0..head.len()).map(column).collect();
        for (own, scale) in table.head.iter_mut().zip(&scales) {
            if let Some(scale) = scale {
                *own = in_unit(l, own, scale.unit);
            }
        }
        for (mark, row) in rows {
            // Collecting would retain the larger memory of the row.
            let mut cells = Vec::with_capacity(row.len());
            let printed = row.into_iter().zip(&scales);
            cells.extend(printed.map(|(cell, scale)| cell.in_scale(l, scale.as_ref())));
            table.row(mark, cells);
        }
        table
    }
}

/// "p99, µs"; a column without a name has only the unit.
pub fn in_unit(l: Language, name: &str, unit: &str) -> String {
    match name {
        name if unit.is_empty() => name.to_string(),
        "" => unit.to_string(),
        name => say!(l, "column-in-unit", name = name, unit = unit),
    }
}

/// The common unit and decimals of quantities.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// The printed unit.
    pub unit: &'static str,
    per: f64,
    decimals: usize,
    /// The significant digits are bounded, unlike those of sizes and of rates in a fixed unit.
    bounded: bool,
}

/// No quantity with a unit of its column has more significant digits.
const MOST_DIGITS: i32 = 4;
/// A quantity far below its column's others keeps as many.
const LEAST_DIGITS: i32 = 2;

impl Scale {
    /// The scale of the quantities among these cells, which have one dimension.
    pub fn of_cells<'c>(cells: impl Iterator<Item = &'c TableCell>) -> Option<Scale> {
        let (mut of, mut values, mut halves) = (None, Vec::new(), Vec::new());
        for cell in cells {
            if let TableCell::Quantity { of: own, value, half, .. } = cell {
                of.get_or_insert(*own);
                values.push(*value);
                halves.extend(half.filter(|half| *half > 0.0));
            }
        }
        let mut scale = Scale::of(of?, &values)?;
        // The narrowest interval keeps two digits.
        if let Some(half) = halves.into_iter().reduce(f64::min) {
            let digits = 1.0 - (half / scale.per).log10().floor();
            scale.decimals = scale.decimals.min(digits.max(0.0) as usize);
        }
        Some(scale)
    }

    /// The scale of these quantities; None if none is positive.
    pub fn of(of: Dimension, values: &[f64]) -> Option<Scale> {
        let mut above_zero: Vec<f64> =
            values.iter().copied().filter(|v| *v > 0.0 && v.is_finite()).collect();
        above_zero.sort_by(f64::total_cmp);
        let (least, greatest) = (*above_zero.first()?, *above_zero.last()?);
        // One class of fast or slow ops does not determine the unit of all: the median, which of an
        // even number is between the middle two.
        let middle = [(above_zero.len() - 1) / 2, above_zero.len() / 2].map(|at| above_zero[at]);
        let median = (middle[0].ln() / 2.0 + middle[1].ln() / 2.0).exp();
        let all = of.units();
        let (unit, per) = all[all.iter().rposition(|(_, per)| *per <= median * 1.001).unwrap_or(0)];
        // Figures given with fewer digits have no more; otherwise the median has three.
        let exact = |decimals: &usize| {
            let shown = |value: f64| value / per * 10f64.powi(*decimals as i32);
            above_zero.iter().all(|v| (shown(*v) - shown(*v).round()).abs() < 1e-6)
        };
        let rounded = match (if of == Dimension::Fixed { least } else { median }) / per {
            n if of == Dimension::Fixed && n >= 100.0 => 0,
            // Thousands need no hundredths.
            n if of == Dimension::Fixed && greatest >= 1e3 => usize::from(n < 10.0),
            n if n < 1.0 => 3,
            n if n < 10.0 => 2,
            n if n < 1000.0 => 1,
            _ => 0,
        };
        let decimals = (0..=rounded).find(exact).unwrap_or(rounded);
        Some(Scale {
            unit,
            per,
            decimals,
            bounded: !matches!(of, Dimension::Fixed | Dimension::Size),
        })
    }

    /// The decimals of a value, negative for tens and hundreds: those of the column, if they leave
    /// it two to four significant digits.
    fn decimals_of(&self, value: f64) -> i32 {
        let decimals = self.decimals as i32;
        let shown = value.abs() / self.per;
        if !self.bounded || shown == 0.0 || !shown.is_finite() {
            return decimals;
        }
        // The place of the first digit: 0 for units, −1 for tenths.
        let first = shown.log10().floor() as i32;
        let (least, most) = (LEAST_DIGITS - 1 - first, MOST_DIGITS - 1 - first);
        // Whole numbers keep their digits if they are exact.
        let exact = |decimals: i32| {
            let fine = shown * 10f64.powi(decimals);
            (fine - fine.round()).abs() < 1e-6 * fine.max(1.0)
        };
        let least = if exact(decimals) { decimals } else { least };
        decimals.max(least).min(most)
    }

    /// The value with its unit, and the printed value.
    pub fn printed(&self, l: Language, value: f64) -> (f64, String) {
        let fine = 10f64.powi(self.decimals_of(value));
        let rounded = (value / self.per * fine).round() / fine * self.per;
        (rounded, format!("{} {}", self.number(l, value), self.unit))
    }

    /// A quantity with the unit, and the printed value; a figure with given significant digits
    /// retains them.
    pub fn of_cell(&self, l: Language, cell: TableCell) -> Option<(f64, String)> {
        let TableCell::Quantity { value, digits, at_least, .. } = cell else { return None };
        let printed = self.printed(l, value);
        let in_digits = |digits| {
            let number = l.number(&units::significant(value / self.per, digits));
            (value, format!("{number} {}", self.unit))
        };
        let (value, text) = digits.map_or(printed, in_digits);
        Some((value, number_format::at_least(at_least, text)))
    }

    /// Only the number.
    pub fn number(&self, l: Language, value: f64) -> String {
        let decimals = self.decimals_of(value);
        let fine = 10f64.powi(decimals.min(0));
        let number = (value / self.per * fine).round() / fine;
        match decimals {
            0.. => number_format::decimal(l, value / self.per, decimals as usize),
            _ => number_format::decimal(l, number, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[f64]) -> (String, Vec<String>) {
        let rows = values.iter().map(|v| (Mark::None, vec![TableCell::time(Some(*v))])).collect();
        let table = Table::measured(Language::ENGLISH, 0, &["p99"], rows);
        (table.head[0].clone(), table.rows.into_iter().map(|(_, row)| row.concat()).collect())
    }

    #[test]
    fn a_column_has_one_unit_and_one_number_of_decimals() {
        for (values, head, cells) in [
            (vec![72_735.0, 175_100.0], "p99, µs", vec!["72.7", "175.1"]),
            (vec![110e3, 417e3], "p99, µs", vec!["110", "417"]),
            (vec![12_893.0, 1_060_132.0], "p99, µs", vec!["12.9", "1,060"]),
            (vec![1_234.0, 5_678.0], "p99, µs", vec!["1.23", "5.68"]),
            (vec![640.0, 12_345.0], "p99, µs", vec!["0.64", "12.35"]),
            (vec![2.5e6, 1.0e9], "p99, ms", vec!["2.5", "1,000"]),
            // One fast or slow class among others, and from nanoseconds to seconds.
            (vec![117.0, 2_382_261.9, 3_064_318.0], "p99, ms", vec!["0.00012", "2.38", "3.06"]),
            (vec![2_382_261.9, 3_064_318.0, 2.5e12], "p99, ms", vec!["2.38", "3.06", "2,500,000"]),
            (vec![72.0, 2.5e9], "p99, µs", vec!["0.072", "2,500,000"]),
            (vec![1.0e6, 1.5e6, 1_234_567_890.0], "p99, ms", vec!["1.00", "1.50", "1,235"]),
        ] {
            assert_eq!(
                column(&values),
                (head.into(), cells.iter().map(|c| c.to_string()).collect())
            );
        }
    }

    #[test]
    fn sizes_and_transferred_data_of_a_column_have_one_unit() {
        let row = |size: f64, moved: f64| {
            let moved = TableCell::volume(Some(moved)).marked(" *");
            (Mark::None, vec![TableCell::size(Some(size)), moved])
        };
        let rows = vec![row(4096.0, 1.5e9), row(131_072.0, 640e6)];
        let table = Table::measured(Language::ENGLISH, 0, &["size", "host"], rows);
        assert_eq!(table.head, ["size, KiB", "host, MB"]);
        assert_eq!(table.rows[0].1, ["4", "1,500 *"]);
        assert_eq!(table.rows[1].1, ["128", "640 *"]);
    }

    #[test]
    fn rates_of_a_column_have_one_number_of_decimals_and_none_finer_than_their_intervals() {
        let rates = |values: &[(f64, f64)]| {
            let cell = |(value, half): &(f64, f64)| {
                let mut cell = TableCell::fixed(*value);
                if let TableCell::Quantity { half: own, .. } = &mut cell {
                    *own = Some(*half);
                }
                (Mark::None, vec![cell])
            };
            let rows = values.iter().map(cell).collect();
            let table = Table::measured(Language::ENGLISH, 0, &["ops/s"], rows);
            assert_eq!(table.head, ["ops/s"]);
            table.rows.into_iter().map(|(_, row)| row.concat()).collect::<Vec<String>>()
        };
        assert_eq!(rates(&[(1_224.3, 40.0), (784.23, 12.0)]), ["1,224", "784"]);
        assert_eq!(rates(&[(31.456, 0.2), (7.123, 0.004)]), ["31.46", "7.12"]);
        assert_eq!(rates(&[(31.456, 6.0), (7.123, 1.5)]), ["31.5", "7.1"]);
        assert_eq!(rates(&[(31.456, 60.0), (17.123, 15.0)]), ["31", "17"]);
    }

    #[test]
    fn what_was_not_measured_has_no_unit_and_a_mark_stays_behind_its_number() {
        let cells = [TableCell::none(), TableCell::latency(None), TableCell::time(Some(0.0))];
        let rows = cells.into_iter().map(|cell| (Mark::None, vec![cell])).collect();
        let table = Table::measured(Language::ENGLISH, 0, &["p99"], rows);
        assert_eq!(table.head, ["p99"]);
        assert_eq!(table.rows[2].1, ["0"]);
        assert_eq!(TableCell::none().marked(" †"), TableCell::none());
        let rows = vec![(Mark::None, vec![TableCell::energy(Some(7.5e-5)).marked(" †")])];
        let table = Table::measured(Language::ENGLISH, 0, &["J/op"], rows);
        assert_eq!((&*table.head[0], &*table.rows[0].1[0]), ("J/op, µJ", "75 †"));
    }
}
