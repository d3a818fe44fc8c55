//! A bundle as its brief: the same file as from `dyno report`.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use axum::routing::{MethodRouter, get};

use super::page::PageFailure;
use super::site::SharedSite;
use super::{Page, document};
use crate::analysis::Question;
use crate::brief::{Brief, BriefOptions};
use crate::bundles;
use crate::language::Language;

/// A brief of each bundle, by its path in the catalogue.
pub const PAGE: Page = Page { path: "/brief/{*bundle}", name: None, route };

fn route() -> MethodRouter<SharedSite> {
    get(show)
}

/// Further parameters.
#[derive(serde::Deserialize)]
struct BriefQuery {
    language: Option<String>,
}

async fn show(
    State(site): State<SharedSite>,
    Path(bundle): Path<String>,
    Query(asked): Query<BriefQuery>,
) -> Result<Response, PageFailure> {
    let tag = asked.language.unwrap_or_else(|| "en".to_string());
    let language =
        Language::parse(&tag).map_err(|_| PageFailure::Bad(format!("no language {tag}")))?;
    site.make(move |site| {
        let question = Question { outliers: true, ..Question::default() };
        let facts = bundles::facts_in(language, &[site.bundle(&bundle)?], &question)?;
        document::page(&Brief::new(language, &facts, &BriefOptions::default())?)
    })
    .await
}
