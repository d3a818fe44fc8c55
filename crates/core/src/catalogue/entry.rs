//! An entry of the catalogue: one file.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::error::{Context, Result, describe};
use crate::base::text::{is_hidden, visible};
use crate::base::units;
use crate::lab::folder::lock;
use crate::plan::{DrivePlace, Plan, axes_of};
use crate::record::setup::DriveSetup;
use crate::record::{Mask, masked_name};
use crate::store::{Glance, PointCount, glance, limits};

/// A file of the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CatalogueEntry {
    /// Relative to the catalogue's folder. If the bundle's plan masks subjects, `shown_path` is
    /// what readers see.
    pub path: String,
    /// The file's length in bytes.
    pub size_bytes: u64,
    /// When it was last written, nanoseconds since 1970 (UTC).
    pub modified_unix_ns: i64,
    /// Its contents.
    pub contents: Contents,
}

/// The contents of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Contents {
    /// A bundle.
    Bundle(Box<BundleSummary>),
    /// Unreadable, with the reason.
    Broken(String),
}

/// A summary of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BundleSummary {
    /// The title of the protocol or comparison.
    pub title: String,
    /// Its name.
    pub protocol: String,
    /// In the plan's order.
    pub subjects: Vec<String>,
    /// Serial numbers in the plan or read by the run, without duplicates.
    pub serials: Vec<String>,
    /// Models and firmware read by the run, without duplicates.
    pub models: Vec<String>,
    /// Start of the run, nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    /// Version of the Dyno that ran it.
    pub dyno_version: String,
    /// Points in the bundle, including failed ones.
    pub points: u64,
    /// Failed points.
    pub failed: u64,
    /// How the run ended, if it has.
    pub state: RunState,
    /// The path, if masking changes it: everything else of the summary is masked already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub masked_path: Option<String>,
}

/// The state of a run.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Running: its process has the bundle locked.
    Running,
    /// Every point was measured.
    Whole,
    /// It ended, and some points failed.
    Failed,
    /// It ended early and can be resumed. The state of several tests is the last of theirs.
    Cut,
}

impl RunState {
    /// The printed form.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Whole => "whole",
            RunState::Cut => "cut",
            RunState::Failed => "failed",
        }
    }
}

impl Contents {
    /// Reads a file with any contents; `name` is its path as listed.
    pub fn of(path: &Path, name: &str) -> Contents {
        match summary(path, name) {
            Ok(summary) => Contents::Bundle(Box::new(summary)),
            Err(error) => Contents::Broken(describe(&error).0),
        }
    }
}

fn summary(path: &Path, name: &str) -> Result<BundleSummary> {
    let tests = glance(path)?;
    let state = match tests.iter().map(state).max() {
        Some(RunState::Cut) | None if lock::is_held(path) => RunState::Running,
        state => state.unwrap_or(RunState::Cut),
    };
    let count = |of: fn(&PointCount) -> u64| -> u64 {
        tests.iter().flat_map(|test| test.points.values()).map(of).sum()
    };
    let (points, failed) = (count(|c| c.all), count(|c| c.failed));
    // All tests have the same subjects.
    let mut drives: Vec<DriveSetup> = tests.iter().flat_map(|test| test.drives.clone()).collect();
    let mut run = tests.into_iter().next().context("it holds no run")?.run;
    let mask = Mask::of(&[(&run.plan, &drives)], &[], &masked_name);
    let masked = mask.text(&visible(name));
    let masked_path = (!mask.is_empty() && masked != name).then_some(masked);
    mask.run(&mut run)?;
    drives.iter_mut().for_each(|drive| mask.drive(drive));
    let mut serials: BTreeSet<String> = drives.iter().filter_map(|d| d.serial.clone()).collect();
    serials.extend(named_serials(&run.plan));
    let models: BTreeSet<String> =
        drives.into_iter().flat_map(|d| [d.model, d.firmware]).flatten().collect();
    let (protocol, title) = match &run.plan.comparison {
        Some(comparison) => (&comparison.name, &comparison.title),
        None => (&run.plan.protocol.name, &run.plan.protocol.title),
    };
    Ok(BundleSummary {
        title: title.clone(),
        protocol: protocol.clone(),
        subjects: run.plan.subjects.iter().map(|s| s.name.clone()).collect(),
        serials: serials.into_iter().collect(),
        models: models.into_iter().collect(),
        started_unix_ns: run.started_unix_ns,
        dyno_version: run.dyno_version,
        points,
        failed,
        state,
        masked_path,
    })
}

fn named_serials(plan: &Plan) -> impl Iterator<Item = String> {
    let drives = plan.subjects.iter().flat_map(|s| &s.drives);
    drives.filter_map(|d| match &d.place {
        DrivePlace::Device { serial, .. } if !serial.is_empty() => Some(serial.clone()),
        _ => None,
    })
}

/// Compared with the points of the plan. The values of a search are not known in advance, so one is
/// enough; if the width of an interval ends the repeats, the minimum number is.
fn state(of: &Glance) -> RunState {
    let plan = &of.run.plan;
    let repeats = u64::from(plan.until.map_or(plan.repeats, |until| until.at_least));
    let whole = plan.subjects.iter().all(|subject| {
        plan.protocol.steps.iter().all(|step| {
            let searched = step.sweep.as_ref().is_some_and(|sweep| sweep.search.is_some());
            let values = if searched { 1 } else { axes_of(step).len() as u64 };
            let key = (subject.name.clone(), step.name.clone());
            of.points.get(&key).is_some_and(|c| c.values >= values && c.fewest >= repeats)
        })
    });
    match whole {
        false => RunState::Cut,
        true if of.points.values().any(|c| c.failed > 0) => RunState::Failed,
        true => RunState::Whole,
    }
}

impl CatalogueEntry {
    /// Whether its counts and texts can be those of a bundle: an index may come from anyone.
    pub(super) fn is_possible(&self) -> bool {
        let is_visible = |text: &String| !text.chars().any(is_hidden);
        match &self.contents {
            Contents::Broken(why) => is_visible(why),
            Contents::Bundle(summary) => {
                let lists = [&summary.subjects, &summary.serials, &summary.models];
                let texts = [&summary.title, &summary.protocol, &summary.dyno_version];
                let texts = texts.into_iter().chain(&summary.masked_path);
                limits::POINTS.check(summary.points).is_ok()
                    && summary.failed <= summary.points
                    && i64::try_from(summary.started_unix_ns).is_ok()
                    && lists.into_iter().flatten().chain(texts).all(is_visible)
            }
        }
    }

    /// Whether every word of a search occurs in the file's entry.
    pub fn matches(&self, words: &[String]) -> bool {
        let mut all = vec![self.shown_path().to_lowercase()];
        match &self.contents {
            Contents::Broken(why) => all.extend([why.to_lowercase(), "broken".to_string()]),
            Contents::Bundle(s) => {
                let texts = [&s.subjects, &s.serials, &s.models].into_iter().flatten();
                let own = [&s.title, &s.protocol, &s.dyno_version];
                all.extend(texts.chain(own).map(|text| text.to_lowercase()));
                all.extend([units::moment(s.started_unix_ns), s.state.name().to_string()]);
            }
        }
        words.iter().all(|word| all.iter().any(|text| text.contains(word.as_str())))
    }

    /// The path for readers, which identifies the entry in its catalogue: a masked bundle's own
    /// name may say which drive it is.
    pub fn shown_path(&self) -> &str {
        match &self.contents {
            Contents::Bundle(summary) => summary.masked_path.as_ref().unwrap_or(&self.path),
            Contents::Broken(_) => &self.path,
        }
    }

    /// The same entry with the path for readers alone.
    pub fn shown(&self) -> CatalogueEntry {
        let mut shown = CatalogueEntry { path: self.shown_path().to_string(), ..self.clone() };
        if let Contents::Bundle(summary) = &mut shown.contents {
            summary.masked_path = None;
        }
        shown
    }

    /// Start of its run; None for an unreadable file.
    pub fn started_unix_ns(&self) -> Option<u64> {
        match &self.contents {
            Contents::Bundle(summary) => Some(summary.started_unix_ns),
            Contents::Broken(_) => None,
        }
    }
}
