//! Trends: a form for selecting figures; and their page, generated like briefs.

use std::collections::BTreeMap;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use serde::Deserialize;

use super::page::{PageFailure, PageFrame, html};
use super::site::SharedSite;
use super::{Page, document};
use crate::analysis::points::metric::MetricRequest as Figure;
use crate::analysis::points::point_summary::PERCENTILES;
use crate::analysis::verdicts::trend::{By, TrendRequest};
use crate::brief::trend;
use crate::bundles;
use crate::catalogue::{BundleCatalogue, Contents};
use crate::plan::steps::headline::METRICS;

/// The form.
pub const CHOICE: Page = Page { path: "/trends", name: Some("Trends"), route: || get(choose) };

/// The page of the selection.
pub const PAGE: Page = Page { path: "/trend", name: None, route };

/// Maximum number of runs read, newest first.
const LAST: usize = 60;

/// Name and text of the common property of runs.
const TOGETHER: [(&str, &str, By); 4] = [
    ("subject", "subject", By::Subject),
    ("model", "drive model", By::Model),
    ("firmware", "drive model and firmware", By::Firmware),
    ("serial", "serial number", By::Serial),
];

fn route() -> MethodRouter<SharedSite> {
    get(show)
}

#[derive(Template)]
#[template(path = "web/trends.html")]
struct TrendsPage {
    frame: PageFrame,
    /// Name, title, and number of completed runs.
    protocols: Vec<(String, String, usize)>,
    together: Vec<(&'static str, &'static str)>,
    measures: Vec<&'static str>,
    last: usize,
}

async fn choose(State(site): State<SharedSite>) -> Result<Response, PageFailure> {
    let page = site.make(|site| Ok(TrendsPage::of(&*site.catalogue()?))).await?;
    Ok(html(&page))
}

impl TrendsPage {
    fn of(catalogue: &BundleCatalogue) -> TrendsPage {
        let mut found: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for entry in catalogue.ended(None, "") {
            if let Contents::Bundle(s) = &entry.contents {
                found.entry(s.protocol.clone()).or_insert_with(|| (s.title.clone(), 0)).1 += 1;
            }
        }
        let percentiles = PERCENTILES.iter().map(|(name, _)| *name);
        TrendsPage {
            frame: PageFrame::of(CHOICE.path),
            protocols: found.into_iter().map(|(name, (title, n))| (name, title, n)).collect(),
            together: TOGETHER.iter().map(|(name, text, _)| (*name, *text)).collect(),
            measures: METRICS.iter().copied().chain(percentiles).collect(),
            last: LAST,
        }
    }
}

#[derive(Deserialize)]
struct TrendsQuery {
    protocol: String,
    #[serde(default)]
    by: String,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    measure: String,
}

async fn show(
    State(site): State<SharedSite>,
    Query(asked): Query<TrendsQuery>,
) -> Result<Response, PageFailure> {
    let by = match TOGETHER.iter().find(|(name, ..)| *name == asked.by) {
        Some((.., by)) => *by,
        None if asked.by.is_empty() => By::default(),
        None => return Err(PageFailure::Bad(format!("There are no trends by '{}'.", asked.by))),
    };
    let metrics = match asked.measure.as_str() {
        "" => Vec::new(),
        word => vec![
            Figure::parse(word)
                .map_err(|_| PageFailure::Bad(format!("There is no figure '{word}'.")))?,
        ],
    };
    let wanted = TrendRequest { by, metrics, subject: asked.subject };
    site.make(move |site| {
        let catalogue = site.catalogue()?;
        let entries = catalogue.ended(Some(&asked.protocol), &wanted.subject).take(LAST);
        let mut runs = Vec::new();
        for entry in entries {
            runs.push((entry.shown_path().to_string(), site.bundle(entry.shown_path())?));
        }
        let histories = bundles::histories(&runs, &wanted)?;
        if histories.is_empty() {
            return Err(PageFailure::NotFound);
        }
        document::page(&trend::document(&histories))
    })
    .await
}
