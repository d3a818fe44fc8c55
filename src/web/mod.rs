//! Pages for browsers: the catalogue of a folder, briefs, comparisons, trends, campaigns, live runs
//! and metrics. They are read-only; docs/serve.md describes them and what a request may do.
//!
//! A page is one file and one line in `ALL`. Every request passes `security`; `server`,
//! `connections` and `timed` limit their number and time; `live` and `hub` follow running
//! measurements.

pub mod assets;
mod brief_page;
mod campaigns_page;
mod catalogue_page;
mod compare_page;
mod connections;
mod document;
mod hub;
mod live;
mod metrics;
pub mod page;
mod query;
pub mod security;
mod server;
mod site;
mod timed;
mod trends_page;

pub use server::{BoundServer, RunningServer, ServerOptions};
pub use site::{ServedFolder, SharedSite};

use axum::routing::MethodRouter;

/// A page, or several that differ in their path.
pub struct Page {
    /// The path, in axum's notation: "/brief/{*bundle}".
    pub path: &'static str,
    /// Its name in the navigation; None if it is only linked from other pages.
    pub name: Option<&'static str>,
    /// The handler.
    pub route: fn() -> MethodRouter<SharedSite>,
}

/// Every page, in the order of the navigation.
pub static ALL: &[&Page] = &[
    &catalogue_page::PAGE,
    &trends_page::CHOICE,
    &trends_page::PAGE,
    &compare_page::CHOICE,
    &compare_page::PAGE,
    &campaigns_page::PAGE,
    &live::LIST,
    &live::RUN,
    &live::EVENTS,
    &metrics::PAGE,
    &brief_page::PAGE,
    &assets::PAGE,
];
