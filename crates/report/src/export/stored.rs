//! Points as stored in their bundles, for tables of raw data.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::analysis::limits::meter_facts::{self, Metered};
use crate::analysis::points::point_numbers::PointSummary;
use dyno_core::base::error::{Context, Result};
use dyno_core::base::file;
use dyno_core::record::{Mask, Reported};
use dyno_core::store::{Bundle, StoredPoint};

/// A point as stored in its bundle.
pub struct Stored<'a> {
    /// The bundle's file.
    pub file: &'a str,
    /// The bundle, for data that are only read on request.
    pub bundle: &'a Bundle,
    /// The stored point.
    pub point: &'a StoredPoint,
    /// Figures reported by another tool.
    pub reported: &'a [Reported],
    /// Its meters' results, from the analysis.
    pub metered: &'a Metered,
}

/// Passes on every point of the bundles, masked.
pub fn each_point(
    (paths, mask): (&[PathBuf], &Mask),
    visit: &mut dyn FnMut(&Stored<'_>) -> Result<()>,
) -> Result<()> {
    for (path, name) in paths.iter().zip(file::names(paths)) {
        for test in Bundle::open_tests(path)? {
            let read = each_of(&test.masked(mask)?, &mask.text(&name), visit);
            read.with_context(|| format!("reading {}", path.display()))?;
        }
    }
    Ok(())
}

/// Passes on every point of a bundle named `file` in the table.
pub fn each_of(
    bundle: &Bundle,
    file: &str,
    visit: &mut dyn FnMut(&Stored<'_>) -> Result<()>,
) -> Result<()> {
    let reported = bundle.reported()?;
    // In two passes, because the histograms of all points exceed memory, and meters' delays are
    // determined over all of them.
    let mut metered: Vec<(i64, String, Metered)> = Vec::new();
    bundle.each_point(&mut |p: StoredPoint| {
        let (samples, rates) = (bundle.samples(p.id)?, bundle.rates(p.id)?);
        let plan = &bundle.run().plan;
        let own = reported.get(&p.id).map_or(&[][..], Vec::as_slice);
        let summary = PointSummary::of(&p.point);
        let seen = Metered::of((samples, own), &rates, (plan, &p.point), &summary);
        metered.push((p.id, p.point.key.subject, seen));
        Ok(())
    })?;
    meter_facts::agree(metered.iter_mut().map(|(_, subject, seen)| (subject.clone(), seen)));
    let metered: HashMap<i64, Metered> =
        metered.into_iter().map(|(id, _, seen)| (id, seen)).collect();
    let none = Metered::default();
    bundle.each_point(&mut |point: StoredPoint| {
        let reported = reported.get(&point.id).map_or(&[][..], Vec::as_slice);
        let metered = metered.get(&point.id).unwrap_or(&none);
        visit(&Stored { file, bundle, point: &point, reported, metered })
    })
}
