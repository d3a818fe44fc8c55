//! Active runs, and those that ended within a day.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodRouter, get};

use super::super::page::{PageFailure, PageFrame, html};
use super::super::site::SharedSite;
use super::super::{Page, query};
use super::feeds;
use super::view::{RunProgress, standing};
use crate::base::units;
use crate::lab::folder::feed::FeedState;

/// The list.
pub const PAGE: Page = Page { path: "/live", name: Some("Live"), route };

fn route() -> MethodRouter<SharedSite> {
    get(show)
}

#[derive(Template)]
#[template(path = "web/live_list.html")]
struct ListPage {
    frame: PageFrame,
    runs: Vec<LiveRunRow>,
}

struct LiveRunRow {
    path: String,
    address: String,
    title: String,
    state: &'static str,
    began: String,
    standing: RunProgress,
}

async fn show(State(site): State<SharedSite>) -> Result<Response, PageFailure> {
    let runs = site.make(feeds).await?;
    Ok(html(&ListPage { frame: PageFrame::of(PAGE.path), runs: runs.iter().map(row).collect() }))
}

fn row((path, found): &(String, FeedState)) -> LiveRunRow {
    LiveRunRow {
        path: path.clone(),
        address: query::path("/live/", path),
        title: found.feed.title.clone(),
        state: found.state(),
        began: units::moment(found.feed.began_unix_ns),
        standing: standing(found),
    }
}
