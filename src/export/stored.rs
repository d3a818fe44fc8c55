//! Points as they stand in their bundles, for tables that want them as they are.

use std::collections::HashMap;
use std::path::{Component, PathBuf};

use crate::analysis::meter_facts::{self, Metered};
use crate::analysis::point_numbers::PointSummary;
use crate::base::error::{Context, Result};
use crate::record::Reported;
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

/// Hands over every point of the bundles.
pub fn each_point(
    paths: &[PathBuf],
    visit: &mut dyn FnMut(&Stored<'_>) -> Result<()>,
) -> Result<()> {
    for (path, file) in paths.iter().zip(names(paths)) {
        let bundle = Bundle::open(path).with_context(|| format!("opening {}", path.display()))?;
        let reported = bundle.reported()?;
        let reading = || format!("reading {}", path.display());
        // Twice, since the histograms of all points do not fit into memory, and meters are seen
        // through over all of them.
        let mut metered: Vec<(i64, String, Metered)> = Vec::new();
        let mut look = |p: StoredPoint| {
            let (samples, rates) = (bundle.samples(p.id)?, bundle.rates(p.id)?);
            let seen = Metered::of(
                samples,
                &rates,
                (&bundle.run().plan, &p.point),
                &PointSummary::of(&p.point),
            );
            metered.push((p.id, p.point.key.subject, seen));
            Ok(())
        };
        bundle.each_point(&mut look).with_context(reading)?;
        meter_facts::agree(metered.iter_mut().map(|(_, subject, seen)| (subject.clone(), seen)));
        let metered: HashMap<i64, Metered> =
            metered.into_iter().map(|(id, _, seen)| (id, seen)).collect();
        let none = Metered::default();
        let mut hand_over = |point: StoredPoint| {
            let reported = reported.get(&point.id).map_or(&[][..], Vec::as_slice);
            let metered = metered.get(&point.id).unwrap_or(&none);
            visit(&Stored { file: &file, bundle: &bundle, point: &point, reported, metered })
        };
        bundle.each_point(&mut hand_over)?;
    }
    Ok(())
}

/// What a table calls its bundles: the name of the file, with as many of its folders as
/// bundles of one name need. Where on whose disk they lie is nobody's concern.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let parts = |path: &PathBuf| -> Vec<String> {
        let named = path.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        });
        named.collect()
    };
    let all: Vec<Vec<String>> = paths.iter().map(parts).collect();
    let last = |n: usize| {
        let of = |parts: &Vec<String>| parts[parts.len().saturating_sub(n)..].join("/");
        all.iter().map(of).collect::<Vec<_>>()
    };
    let most = all.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let apart = |names: &Vec<String>| {
        let mut seen = std::collections::HashSet::new();
        names.iter().all(|name| seen.insert(name.clone()))
    };
    (1..=most).map(last).find(apart).unwrap_or_else(|| last(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_are_called_by_their_file_and_by_folders_only_where_names_are_equal() {
        let of = |paths: &[&str]| names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["/home/me/a.dyno"]), ["a.dyno"]);
        assert_eq!(of(&["/x/a.dyno", "../b.dyno"]), ["a.dyno", "b.dyno"]);
        assert_eq!(of(&["/x/y/a.dyno", "/x/z/a.dyno"]), ["y/a.dyno", "z/a.dyno"]);
        assert_eq!(of(&["/x/a.dyno", "/x/a.dyno"]), ["a.dyno", "a.dyno"], "one bundle twice");
    }
}
