//! The data of an audit: the figures of published tables and of bundles.

use std::collections::BTreeMap;

use crate::stated::StatedNumber;
use crate::{Bound, FigureTable, PublishedFigure};
use dyno_core::stats::Better;

/// The figures of one published table, or of one step of a bundle.
pub struct PublishedFigures {
    /// The table's name.
    pub name: String,
    /// The column of a row's point, such as "threads".
    pub at_column: String,
    /// What is printed behind a point; the column's name unless given.
    pub at_label: String,
    /// Number of drives, for points "per drive".
    pub drives: Option<f64>,
    /// All points, in the order published; single figures may lack some.
    pub points: Vec<String>,
    /// The figures of each metric, by name.
    pub metrics: BTreeMap<String, FigureTable>,
    /// The better direction of a bundle's figures; a table's are described in the claims file.
    pub better: BTreeMap<String, Better>,
}

/// A column, or one column divided by another.
pub struct AuditMetric<'a> {
    /// The column's name.
    pub name: &'a str,
    /// The two columns of a quotient, if it is one.
    pub ratio: Option<&'a [String; 2]>,
    /// The unit of its figures.
    pub unit: &'a str,
}

impl PublishedFigures {
    /// The metric's figures by subject and point.
    pub fn table(&self, metric: &AuditMetric<'_>) -> FigureTable {
        let of = |name: &str| self.metrics.get(name).map(|t| t.figures.clone()).unwrap_or_default();
        let mut figures = of(metric.ratio.map_or(metric.name, |r| &r[0]));
        if let Some([_, under]) = metric.ratio {
            let under = of(under);
            for (subject, points) in &mut figures {
                let divided = std::mem::take(points).into_iter().filter_map(|(at, figure)| {
                    let under = under.get(subject)?.get(&at)?;
                    Some((at, figure.over(*under)?))
                });
                *points = divided.collect();
            }
        }
        figures.retain(|_, points| !points.is_empty());
        let differences = match metric.ratio {
            None => self.metrics.get(metric.name).map(|t| t.differences.clone()),
            Some(_) => None,
        };
        FigureTable {
            figures,
            points: self.points.clone(),
            differences: differences.unwrap_or_default(),
        }
    }

    /// The point of the subject's best figure; the first if there are several.
    pub fn best_point(
        &self,
        subject: &str,
        metric: &AuditMetric<'_>,
        better: Better,
    ) -> Option<String> {
        let table = self.table(metric);
        let mut best: Option<(&String, f64)> = None;
        for at in &self.points {
            let Some(figure) = table.figure(subject, at) else { continue };
            let is_better = |(_, than): (_, f64)| match better {
                Better::Higher => figure.value > than,
                Better::Lower => figure.value < than,
            };
            if best.is_none_or(is_better) {
                best = Some((at, figure.value));
            }
        }
        best.map(|(at, _)| at.clone())
    }

    /// The points at which the subject's figure may be the stated one.
    pub fn points_where(
        &self,
        subject: &str,
        metric: &AuditMetric<'_>,
        is: &StatedNumber,
        scale: f64,
    ) -> Vec<String> {
        let table = self.table(metric);
        let (value, last) = (is.value * scale, is.last * scale);
        let fits = |figure: PublishedFigure| match is.bound {
            Bound::Plain => figure.high >= value - last / 2.0 && figure.low < value + last,
            Bound::AtLeast => figure.high >= value,
            Bound::AtMost => figure.low <= value,
            Bound::MoreThan => figure.high > value,
            Bound::LessThan => figure.low < value,
        };
        let points = self.points.iter().filter(|at| table.figure(subject, at).is_some_and(fits));
        points.cloned().collect()
    }
}
