//! The content security policy of pages. None permits an external script, and no text of a bundle
//! can become one: scripts are files of this program, or identified by their hash.

use base64::prelude::{BASE64_STANDARD, Engine};
use sha2::{Digest, Sha256};

/// For all pages of this server.
pub const OF_PAGES: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
                            img-src 'self' data:; connect-src 'self'; form-action 'self'; \
                            frame-ancestors 'none'; base-uri 'none'";

/// For a page with one inline script and one inline style, by their texts.
pub fn of_inline(script: &str, style: &str) -> String {
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; font-src data:; \
         form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
        hash(script),
        hash(style)
    )
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in W3C "Content Security Policy Level 3", section 8.3.
    #[test]
    fn hashes_are_those_that_browsers_make() {
        let known = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";
        assert_eq!(hash("alert('Hello, world.');"), known);
    }
}
