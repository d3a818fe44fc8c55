//! The catalogue: all bundles of the folder, newest first, with search and pagination.

use askama::Template;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use serde::Deserialize;

use super::page::{PageFailure, PageFrame, html};
use super::site::SharedSite;
use super::{Page, query};
use crate::base::units;
use crate::catalogue::{BundleCatalogue, CatalogueEntry, Contents, RunState as Ended};

/// The first page.
pub const PAGE: Page = Page { path: "/", name: Some("Catalogue"), route };

/// Bundles per page.
const ON_A_PAGE: usize = 50;

fn route() -> MethodRouter<SharedSite> {
    get(show)
}

#[derive(Deserialize)]
struct CatalogueQuery {
    #[serde(default)]
    search: String,
    /// From 1.
    #[serde(default)]
    page: usize,
}

#[derive(Template)]
#[template(path = "web/catalogue.html")]
struct CataloguePage {
    frame: PageFrame,
    search: String,
    /// Bundles in the folder, matching ones, and the number of the first displayed one.
    all: usize,
    found: usize,
    from: usize,
    rows: Vec<BundleView>,
    /// Addresses of the previous and the next page.
    newer: Option<String>,
    older: Option<String>,
}

/// A bundle, as displayed.
struct BundleView {
    path: String,
    /// Of its brief.
    address: String,
    /// Its title, or why it is unreadable.
    title: String,
    protocol: String,
    subjects: String,
    drives: String,
    date: String,
    state: &'static str,
    points: String,
}

async fn show(
    State(site): State<SharedSite>,
    Query(asked): Query<CatalogueQuery>,
) -> Result<Response, PageFailure> {
    let page = site.make(move |site| Ok(CataloguePage::of(&*site.catalogue()?, asked))).await?;
    Ok(html(&page))
}

impl CataloguePage {
    fn of(catalogue: &BundleCatalogue, asked: CatalogueQuery) -> CataloguePage {
        let found: Vec<&CatalogueEntry> = catalogue.search(&asked.search).collect();
        let last = found.len().div_ceil(ON_A_PAGE).max(1);
        let page = asked.page.clamp(1, last);
        let from = (page - 1) * ON_A_PAGE;
        let address = |page: usize| {
            format!("/?{}", query::of(&[("search", &asked.search), ("page", &page.to_string())]))
        };
        CataloguePage {
            frame: PageFrame::of(PAGE.path),
            all: catalogue.entries.len(),
            found: found.len(),
            from: from + 1,
            rows: found
                .iter()
                .skip(from)
                .take(ON_A_PAGE)
                .map(|entry| BundleView::of(entry))
                .collect(),
            newer: (page > 1).then(|| address(page - 1)),
            older: (page < last).then(|| address(page + 1)),
            search: asked.search,
        }
    }
}

impl BundleView {
    fn of(entry: &CatalogueEntry) -> BundleView {
        let path = entry.shown_path().to_string();
        let address = query::path("/brief/", &path);
        let summary = match &entry.contents {
            Contents::Bundle(summary) => summary,
            Contents::Broken(why) => {
                let (title, state) = (why.clone(), "broken");
                let empty = String::new;
                let (protocol, subjects, drives) = (empty(), empty(), empty());
                let (date, points) = (empty(), empty());
                return BundleView {
                    path,
                    address,
                    title,
                    protocol,
                    subjects,
                    drives,
                    date,
                    state,
                    points,
                };
            }
        };
        let failed = match summary.failed {
            0 => String::new(),
            n => format!(", {n} failed"),
        };
        BundleView {
            path,
            address,
            title: summary.title.clone(),
            protocol: summary.protocol.clone(),
            subjects: summary.subjects.join(", "),
            drives: [&summary.models[..], &summary.serials].concat().join(", "),
            date: units::moment(summary.started_unix_ns),
            state: summary.state.name(),
            points: format!("{}{failed}", units::grouped(summary.points)),
        }
    }

    /// Whether it has a brief: unfinished runs have one too.
    fn is_read(&self) -> bool {
        self.state != "broken"
    }

    fn is_whole(&self) -> bool {
        self.state == Ended::Whole.name()
    }
}
