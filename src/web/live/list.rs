//! The runs that go on, and those that ended within a day.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodRouter, get};

use super::super::Page;
use super::super::page::{Failure, Frame, html};
use super::super::query;
use super::super::site::Shared;
use super::feeds;
use super::view::{Standing, standing};
use crate::base::units;
use crate::lab::feed::Found;

/// The list.
pub const PAGE: Page = Page { path: "/live", name: Some("Live"), route };

fn route() -> MethodRouter<Shared> {
    get(show)
}

#[derive(Template)]
#[template(path = "web/live_list.html")]
struct ListPage {
    frame: Frame,
    runs: Vec<Row>,
}

struct Row {
    path: String,
    address: String,
    title: String,
    state: &'static str,
    began: String,
    standing: Standing,
}

async fn show(State(site): State<Shared>) -> Result<Response, Failure> {
    let runs = site.make(feeds).await?;
    Ok(html(&ListPage { frame: Frame::of(PAGE.path), runs: runs.iter().map(row).collect() }))
}

fn row((path, found): &(String, Found)) -> Row {
    Row {
        path: path.clone(),
        address: query::path("/live/", path),
        title: found.feed.title.clone(),
        state: found.state(),
        began: units::moment(found.feed.began_unix_ns),
        standing: standing(found),
    }
}
