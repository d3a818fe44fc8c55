//! Points as they stand in their bundles, for tables that want them as they are.

use std::path::PathBuf;

use crate::analysis::meter_facts::{self, Metered};
use crate::analysis::point_summary::PointSummary;
use crate::base::error::{Context, Result};
use crate::record::Told;
use crate::store::{Bundle, StoredPoint};

/// A point as it stands in its bundle.
pub struct Stored<'a> {
    /// The bundle's file.
    pub file: &'a str,
    pub bundle: &'a Bundle,
    pub point: &'a StoredPoint,
    /// What another tool reported of it.
    pub reported: &'a [Told],
    pub metered: &'a Metered,
}

/// Hands over every point of the bundles.
pub fn each_point(paths: &[PathBuf], visit: &mut dyn FnMut(&Stored<'_>) -> Result<()>) -> Result<()> {
    for path in paths {
        let bundle = Bundle::open(path).with_context(|| format!("opening {}", path.display()))?;
        let reported = bundle.told()?;
        let file = path.display().to_string();
        let points = bundle.points().with_context(|| format!("reading {}", path.display()))?;
        let of = |p: &StoredPoint| {
            let (samples, rates) = (bundle.samples(p.id)?, bundle.rates(p.id)?);
            Ok(Metered::of(samples, &rates, (&bundle.run().plan, &p.point), &PointSummary::of(&p.point)))
        };
        let mut metered = points.iter().map(of).collect::<Result<Vec<_>>>()?;
        let subject = |p: &StoredPoint| p.point.key.subject.clone();
        meter_facts::agree(points.iter().map(subject).zip(&mut metered));
        for (point, metered) in points.iter().zip(&metered) {
            let reported = reported.get(&point.id).map_or(&[][..], Vec::as_slice);
            visit(&Stored { file: &file, bundle: &bundle, point, reported, metered })?;
        }
    }
    Ok(())
}
