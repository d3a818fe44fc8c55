//! Documents as pages: the renderer's output, with a policy that allows only its script, and with
//! the navigation of the server's pages, which a file does not have.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{Html, IntoResponse, Response};

use super::page::{PageFailure, PageFrame, shown};
use super::security::policy;
use crate::base::error::{Result, failed};
use crate::brief::Brief;
use crate::render::{SCRIPT, html};

/// A document, ready to send.
pub fn page(document: &Brief) -> Result<Response, PageFailure> {
    let page = html(document)?;
    let policy = policy_of(&page)?;
    let page = shown(with_navigation(&page));
    Ok(([(CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response())
}

/// Start of a document's own text, after its skip link.
const COVER: &str = "<header class=\"cover\">";

/// The style of a document has rules for navigations, and omits them in print. Only the first
/// occurrence is used: names from a bundle are escaped, so none before it can look like it.
fn with_navigation(page: &str) -> String {
    let link =
        |(path, name, _): &(&str, &str, bool)| format!("<li><a href=\"{path}\">{name}</a></li>");
    let links: String = PageFrame::of("").links().iter().map(link).collect();
    let pages = format!("<nav lang=\"en\" aria-label=\"Pages\">\n<ul>{links}</ul>\n</nav>\n");
    page.replacen(COVER, &(pages + COVER), 1)
}

/// Allows the style at the page's head, and this program's script at its end. A script inserted by
/// a bundle would have a different text.
fn policy_of(page: &str) -> Result<HeaderValue> {
    let between = |from: Option<usize>, open: &str, close: &str| {
        let inner = &page[from? + open.len()..];
        Some(&inner[..inner.find(close)?])
    };
    let style = between(page.find("<style>"), "<style>", "</style>");
    let script = between(page.rfind("<script>"), "<script>", "</script>")
        .filter(|script| script.trim() == SCRIPT.trim());
    match style.zip(script) {
        Some((style, script)) => Ok(HeaderValue::try_from(policy::of_inline(script, style))?),
        None => Err(failed("the brief does not end in its script", "report it as a fault of Dyno")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_script_of_this_program_is_allowed() {
        let page = |script: &str| {
            format!("<style>a</style><script>evil</script>x<script>\n{script}\n</script></body>")
        };
        let own = policy_of(&page(SCRIPT)).unwrap();
        let text = own.to_str().unwrap();
        assert_eq!(text.matches("sha256-").count(), 2, "{text}");
        assert!(!text.contains("unsafe") && text.starts_with("default-src 'none'"), "{text}");
        assert!(policy_of(&page("evil")).is_err() && policy_of("").is_err());
    }
}
