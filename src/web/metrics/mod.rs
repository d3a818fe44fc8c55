//! `/metrics`: the counts of live feeds, for Prometheus and compatible readers. Depending on the
//! request's `Accept`, the format is text 0.0.4 or OpenMetrics 1.0; docs/serve.md lists the
//! metrics.

mod accept;
mod families;
mod text;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE, VARY};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};

use super::Page;
use super::live::feeds;
use super::page::{PageFailure, shown};
use super::site::SharedSite;
use text::MetricsWriter;

/// All runs with a feed.
pub const PAGE: Page = Page { path: "/metrics", name: None, route };

fn route() -> MethodRouter<SharedSite> {
    get(show)
}

async fn show(State(site): State<SharedSite>, headers: HeaderMap) -> Result<Response, PageFailure> {
    let asked: Vec<&str> =
        headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let format = accept::format(&asked.join(","));
    let text = site
        .make(move |site| {
            let mut out = MetricsWriter::of(format);
            families::write(&feeds(site)?, &mut out);
            Ok(shown(out.finish()))
        })
        .await?;
    let headers = [(CONTENT_TYPE, format.content_type()), (VARY, "Accept")];
    Ok((headers, text).into_response())
}
