//! Runs compared: a form for selecting their subjects; and their brief, which states for each pair
//! that may not be compared the reason.

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::{MethodRouter, get};

use super::page::{PageFailure, PageFrame, html};
use super::site::{ServedFolder, SharedSite};
use super::{Page, document};
use crate::analysis::Question;
use crate::base::units;
use crate::brief::{Brief, BriefOptions};
use crate::bundles;
use crate::catalogue::{BundleSummary, Contents};
use crate::language::Language;
use crate::store;

/// The form: the subjects of runs selected in the catalogue.
pub const CHOICE: Page = Page { path: "/compare", name: None, route: || get(choose) };

/// The comparison of the selection.
pub const PAGE: Page = Page { path: "/comparison", name: None, route };

/// Maximum number of runs in a comparison.
const MOST: usize = 12;

fn route() -> MethodRouter<SharedSite> {
    get(show)
}

type Pairs = Vec<(String, String)>;

/// The selection: "run" is a bundle's path; "subject" is a run's index among them, from 0, and the
/// name of one of its subjects: "1:Drive A".
struct Chosen {
    runs: Vec<String>,
    subjects: Vec<(usize, String)>,
}

impl Chosen {
    fn of(pairs: Pairs) -> Result<Chosen, PageFailure> {
        let (mut runs, mut subjects) = (Vec::new(), Vec::new());
        for (name, value) in pairs {
            match name.as_str() {
                "run" => runs.push(value),
                "subject" => {
                    let parts = value.split_once(':');
                    let parsed = parts.and_then(|(run, name)| Some((run.parse().ok()?, name)));
                    let (run, name) = parsed.ok_or_else(|| {
                        PageFailure::Bad(format!("'{value}' is not a subject of a run."))
                    })?;
                    subjects.push((run, name.to_string()));
                }
                _ => {}
            }
        }
        runs.dedup();
        match runs.len() {
            1..=MOST => Ok(Chosen { runs, subjects }),
            0 => Err(PageFailure::Bad("Choose runs in the catalogue first.".to_string())),
            _ => Err(PageFailure::Bad(format!("Choose at most {MOST} runs."))),
        }
    }

    /// Their catalogue entries; an error if they have different protocols.
    fn summaries(&self, site: &ServedFolder) -> Result<Vec<BundleSummary>, PageFailure> {
        let catalogue = site.catalogue()?;
        let mut all: Vec<BundleSummary> = Vec::new();
        for run in &self.runs {
            let entry = catalogue.entries.iter().find(|e| e.shown_path() == run);
            match &entry.ok_or(PageFailure::NotFound)?.contents {
                Contents::Bundle(summary) => all.push(BundleSummary::clone(summary)),
                Contents::Broken(why) => return Err(PageFailure::Failed(format!("{run}: {why}"))),
            }
        }
        let first = &all[0].protocol;
        match all.iter().map(|s| &s.protocol).find(|own| *own != first) {
            Some(other) => Err(PageFailure::Bad(format!(
                "Only runs of one protocol can be compared; these are of {first} and {other}."
            ))),
            None => Ok(all),
        }
    }
}

#[derive(Template)]
#[template(path = "web/compare.html")]
struct ComparePage {
    frame: PageFrame,
    runs: Vec<RunRow>,
}

struct RunRow {
    path: String,
    title: String,
    date: String,
    /// Its check box's value, and name.
    subjects: Vec<(String, String)>,
}

async fn choose(
    State(site): State<SharedSite>,
    Query(pairs): Query<Pairs>,
) -> Result<Response, PageFailure> {
    let chosen = Chosen::of(pairs)?;
    let make = move |site: &ServedFolder| {
        let summaries = chosen.summaries(site)?;
        let of = |(i, (path, summary)): (usize, (String, BundleSummary))| RunRow {
            path,
            title: summary.title,
            date: units::moment(summary.started_unix_ns),
            subjects: summary.subjects.into_iter().map(|s| (format!("{i}:{s}"), s)).collect(),
        };
        let runs = chosen.runs.into_iter().zip(summaries).enumerate().map(of).collect();
        Ok(ComparePage { frame: PageFrame::of(CHOICE.path), runs })
    };
    Ok(html(&site.make(make).await?))
}

async fn show(
    State(site): State<SharedSite>,
    Query(pairs): Query<Pairs>,
) -> Result<Response, PageFailure> {
    let chosen = Chosen::of(pairs)?;
    site.make(move |site| {
        let summaries = chosen.summaries(site)?;
        let mut paths = Vec::new();
        for run in &chosen.runs {
            paths.push(site.bundle(run)?);
        }
        let mut subjects = Vec::new();
        for (run, name) in &chosen.subjects {
            let listed = summaries.get(*run).ok_or(PageFailure::NotFound)?;
            let at = listed.subjects.iter().position(|own| own == name);
            let at = at.ok_or(PageFailure::NotFound)?;
            // The page has masked names, and the plan the real ones in the same order; all tests of
            // a bundle have the same subjects.
            let tests = store::glance(&paths[*run])?;
            let test = tests.into_iter().next().ok_or(PageFailure::NotFound)?;
            let own = test.run.plan.subjects.into_iter().nth(at).ok_or(PageFailure::NotFound)?;
            subjects.push((*run, own.name));
        }
        let question = Question { subjects, ..Question::default() };
        let facts = bundles::facts(&paths, &question)?;
        document::page(&Brief::new(Language::ENGLISH, &facts, &BriefOptions::default())?)
    })
    .await
}
