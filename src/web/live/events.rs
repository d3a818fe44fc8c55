//! The events of a run: first the whole feed, then updates each second (WHATWG HTML, section 9.2,
//! "Server-sent events").

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use hyper::body::Frame;

use super::super::Page;
use super::super::hub::Subscription;
use super::super::page::PageFailure;
use super::super::site::SharedSite;

/// The events of a run, by its bundle's path in the catalogue.
pub const PAGE: Page = Page { path: "/events/{*bundle}", name: None, route };

fn route() -> MethodRouter<SharedSite> {
    get(follow)
}

async fn follow(
    State(site): State<SharedSite>,
    Path(bundle): Path<String>,
) -> Result<Response, PageFailure> {
    let path = site.make(move |site| site.bundle(&bundle)).await?;
    let subscription = site.hub.subscribe(path).ok_or(PageFailure::Busy)?;
    Ok(([(CONTENT_TYPE, "text/event-stream")], Body::new(Events(subscription))).into_response())
}

/// Events as a body that ends with the run.
struct Events(Subscription);

impl HttpBody for Events {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.0.poll(context).map(|event| Some(Ok(Frame::data(event?))))
    }
}
