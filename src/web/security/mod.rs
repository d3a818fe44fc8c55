//! The checks of every request before a page is generated, and the security headers of every
//! response: docs/serve.md, "Security".

pub mod hosts;
pub mod policy;
pub mod token;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use hosts::Hosts;
use token::{BrowserSession, Login};

/// The access rules.
pub struct Gatekeeper {
    /// The permitted host names of the server.
    pub hosts: Hosts,
    /// The token, if required.
    pub session: Option<BrowserSession>,
}

const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Responds to rejected requests, and adds the security headers to every response.
pub async fn watch(
    State(gatekeeper): State<Arc<Gatekeeper>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match gatekeeper.refusal(&request) {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    harden(response.headers_mut());
    response
}

impl Gatekeeper {
    fn refusal(&self, request: &Request) -> Option<Response> {
        let (method, headers, uri) = (request.method(), request.headers(), request.uri());
        if method != Method::GET && method != Method::HEAD {
            let text = "Read-only: only GET and HEAD are allowed.";
            let headers = [(ALLOW, "GET, HEAD"), (CONNECTION, "close")];
            return Some((StatusCode::METHOD_NOT_ALLOWED, headers, text).into_response());
        }
        let named = one(headers, &HOST).filter(|host| self.hosts.has(host));
        let is_named = named.is_some() && uri.host().is_none_or(|host| self.hosts.has(host));
        if !is_named {
            let text = "This server does not use that name. Use its address or 'localhost', \
                        or start it with --allowed-host NAME.";
            return Some((StatusCode::MISDIRECTED_REQUEST, text).into_response());
        }
        if !self.is_own(headers) {
            let text = "Pages of other hosts may not request this.";
            return Some((StatusCode::FORBIDDEN, text).into_response());
        }
        match self.session.as_ref()?.admit(headers, uri) {
            Login::Admitted => None,
            Login::Exchanged { location, cookie } => {
                let headers = [(LOCATION, location), (SET_COOKIE, cookie)];
                Some((StatusCode::SEE_OTHER, headers).into_response())
            }
            Login::Refused => {
                let text = "A token is needed: open /?token=TOKEN once, or send \
                            'Authorization: Bearer TOKEN'.";
                let headers = [(HeaderName::from_static("www-authenticate"), "Bearer")];
                Some((StatusCode::UNAUTHORIZED, headers, text).into_response())
            }
        }
    }

    /// Whether the request was made by no page, or by a page of this server. Links from elsewhere
    /// may be followed, like typed addresses.
    fn is_own(&self, headers: &HeaderMap) -> bool {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let origin = text("origin").is_none_or(|origin| {
            let host = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
            host.is_some_and(|host| self.hosts.has(host))
        });
        let from_elsewhere = matches!(text("sec-fetch-site"), Some("cross-site" | "same-site"));
        origin && (!from_elsewhere || text("sec-fetch-mode") == Some("navigate"))
    }
}

/// The value of a header that occurs once.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}

/// The value of one cookie.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// A page that needs another policy has set it.
fn harden(headers: &mut HeaderMap) {
    let own = |text: &'static str| HeaderValue::from_static(text);
    headers.entry(CONTENT_SECURITY_POLICY).or_insert_with(|| own(policy::OF_PAGES));
    headers.entry(CACHE_CONTROL).or_insert_with(|| own("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, own("nosniff"));
    headers.insert(X_FRAME_OPTIONS, own("DENY"));
    headers.insert(REFERRER_POLICY, own("no-referrer"));
    headers.insert(OPENER, own("same-origin"));
    headers.insert(RESOURCE, own("same-origin"));
}
