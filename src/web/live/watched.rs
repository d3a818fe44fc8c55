//! The page of one run.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::{MethodRouter, get};

use super::super::page::{PageFailure, PageFrame, html};
use super::super::site::SharedSite;
use super::super::{Page, query};
use super::list;
use super::view::{self, RunProgress};
use crate::base::units;
use crate::lab::folder::feed;

/// A run, by its bundle's path in the catalogue.
pub const PAGE: Page = Page { path: "/live/{*bundle}", name: None, route };

fn route() -> MethodRouter<SharedSite> {
    get(show)
}

#[derive(Template)]
#[template(path = "web/live.html")]
struct LivePage {
    frame: PageFrame,
    title: String,
    bundle: String,
    /// Addresses of the events and of the brief.
    events: String,
    brief: String,
    state: &'static str,
    /// How it ended, as text.
    ended: String,
    is_running: bool,
    began: String,
    standing: RunProgress,
    rates: Vec<[String; 7]>,
    gauges: Vec<[String; 3]>,
    next: Vec<String>,
    plan: Vec<String>,
    log: Vec<(String, String)>,
}

async fn show(
    State(site): State<SharedSite>,
    Path(bundle): Path<String>,
) -> Result<Response, PageFailure> {
    let page = site
        .make(move |site| {
            let found = feed::read(&site.bundle(&bundle)?).ok_or(PageFailure::NotFound)?;
            let feed = &found.feed;
            Ok(LivePage {
                frame: PageFrame::of(list::PAGE.path),
                title: feed.title.clone(),
                events: query::path("/events/", &bundle),
                brief: query::path("/brief/", &bundle),
                bundle,
                state: found.state(),
                ended: feed.ended.as_ref().map_or(String::new(), |ended| ended.text.clone()),
                is_running: found.is_running,
                began: units::moment(feed.began_unix_ns),
                standing: view::standing(&found),
                rates: feed.now.iter().map(view::rate).collect(),
                gauges: feed.gauges.iter().map(view::gauge).collect(),
                next: feed.next.clone(),
                plan: feed.plan.clone(),
                log: view::log(feed),
            })
        })
        .await?;
    Ok(html(&page))
}
