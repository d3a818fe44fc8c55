//! Points as they stand in their bundles, for tables that want them as they are.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::analysis::limits::meter_facts::{self, Metered};
use crate::analysis::points::point_numbers::PointSummary;
use crate::base::error::{Context, Result};
use crate::base::file;
use crate::record::{Mask, Reported};
use crate::store::{Bundle, StoredPoint};

/// A point as it stands in its bundle.
pub struct Stored<'a> {
    /// The bundle's file.
    pub file: &'a str,
    /// The bundle, for what is read only when it is asked for.
    pub bundle: &'a Bundle,
    /// The point as it is stored.
    pub point: &'a StoredPoint,
    /// What another tool reported of it.
    pub reported: &'a [Reported],
    /// What its meters show, as the analysis has it.
    pub metered: &'a Metered,
}

/// Hands over every point of the bundles, as the mask has them.
pub fn each_point(
    (paths, mask): (&[PathBuf], &Mask),
    visit: &mut dyn FnMut(&Stored<'_>) -> Result<()>,
) -> Result<()> {
    for (path, name) in paths.iter().zip(file::names(paths)) {
        let bundle = Bundle::open(path)?.masked(mask)?;
        let read = each_of(&bundle, &mask.text(&name), visit);
        read.with_context(|| format!("reading {}", path.display()))?;
    }
    Ok(())
}

/// Hands over every point of a bundle that a table calls `file`.
pub fn each_of(
    bundle: &Bundle,
    file: &str,
    visit: &mut dyn FnMut(&Stored<'_>) -> Result<()>,
) -> Result<()> {
    let reported = bundle.reported()?;
    // Twice, since the histograms of all points do not fit into memory, and meters are seen
    // through over all of them.
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
