//! Static files of pages, part of the binary.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};

use super::Page;
use super::page::PageFailure;
use super::site::SharedSite;

/// All files below `/assets`.
pub const PAGE: Page = Page { path: "/assets/{name}", name: None, route };

/// A file, by name.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! file {
    ($kind:expr, $path:literal, $name:literal) => {
        Asset {
            name: $name,
            kind: $kind,
            bytes: include_bytes!(concat!("../../templates/web/", $path, $name)),
        }
    };
}

static FILES: &[Asset] = &[
    file!(CSS, "", "web.css"),
    file!(CSS, "", "live.css"),
    file!(SCRIPT, "", "live.js"),
    file!(CSS, "uplot/", "uPlot.min.css"),
    file!(SCRIPT, "uplot/", "uPlot.iife.min.js"),
];

fn route() -> MethodRouter<SharedSite> {
    get(file)
}

async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|file| file.name == name) {
        Some(file) => {
            let headers = [(CONTENT_TYPE, file.kind), (CACHE_CONTROL, "no-cache")];
            (headers, file.bytes).into_response()
        }
        None => PageFailure::NotFound.into_response(),
    }
}
