//! The frame of every page, and responses without a page.

use std::borrow::Cow;

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use super::{ALL, Page};
use crate::base::error::{Error, describe};
use crate::base::text::visible_document;

/// The frame of every page.
pub struct PageFrame {
    /// The path of the current page in the navigation.
    path: &'static str,
}

impl PageFrame {
    /// For the page with that path in `ALL`.
    pub fn of(path: &'static str) -> PageFrame {
        PageFrame { path }
    }

    /// Path, name, and whether it is this page.
    pub fn links(&self) -> Vec<(&'static str, &'static str, bool)> {
        let link = |page: &&Page| Some((page.path, page.name?, page.path == self.path));
        ALL.iter().filter_map(link).collect()
    }

    /// Version of this program.
    pub fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

/// A page from a template.
pub fn html(page: &impl Template) -> Response {
    match page.render() {
        Ok(text) => Html(shown(text)).into_response(),
        Err(error) => PageFailure::Failed(error.to_string()).into_response(),
    }
}

/// A page without hidden characters: names of files, and an index or a live feed from another
/// source, may contain any.
pub fn shown(page: String) -> String {
    match visible_document(&page) {
        Cow::Owned(visible) => visible,
        Cow::Borrowed(_) => page,
    }
}

/// Why a request has no page.
pub enum PageFailure {
    /// Not found.
    NotFound,
    /// The request has invalid parameters.
    Bad(String),
    /// Too many pages are being generated.
    Busy,
    /// It could not be generated.
    Failed(String),
}

impl From<Error> for PageFailure {
    fn from(error: Error) -> PageFailure {
        PageFailure::Failed(describe(&error).0)
    }
}

#[derive(Template)]
#[template(path = "web/failure.html")]
struct FailurePage {
    frame: PageFrame,
    title: &'static str,
    text: String,
}

impl IntoResponse for PageFailure {
    fn into_response(self) -> Response {
        let (status, title, text) = match self {
            PageFailure::NotFound => {
                (StatusCode::NOT_FOUND, "Not found", "There is no such page or bundle.".to_string())
            }
            PageFailure::Bad(text) => (StatusCode::BAD_REQUEST, "Not understood", text),
            PageFailure::Busy => {
                let text = "Too many pages are being made; load the page again.";
                (StatusCode::SERVICE_UNAVAILABLE, "Busy", text.to_string())
            }
            PageFailure::Failed(text) => (StatusCode::INTERNAL_SERVER_ERROR, "Not shown", text),
        };
        let page = FailurePage { frame: PageFrame::of(""), title, text };
        match page.render() {
            Ok(text) => (status, Html(shown(text))).into_response(),
            Err(_) => status.into_response(),
        }
    }
}
