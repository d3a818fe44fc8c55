//! The token required at every address except loopback, and the cookie that replaces it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Uri};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::{cookie, one};
use crate::base::error::{Context, Result, failed, refused};
use crate::base::file;

/// Minimum length of a token in bytes, too long to be guessed.
const FEWEST: usize = 16;
const MOST: u64 = 4096;

/// The environment variable of the token, if no file is named.
pub const VARIABLE: &str = "DYNO_TOKEN";

/// The secret, as its SHA-256, compared in constant time.
pub struct Token([u8; 32]);

impl Token {
    /// From a file that only the user can read.
    pub fn of_file(path: &Path) -> Result<Token> {
        let shown = path.display();
        let text = file::read_text(path, MOST)?;
        let found = path.metadata().with_context(|| format!("looking at {shown}"))?;
        let own = [0, rustix::process::geteuid().as_raw()].contains(&found.uid());
        if found.mode() & 0o077 != 0 || !own {
            let what = format!("the token in {shown} is not used: others may read or change it");
            return Err(refused(what, format!("restrict it to yourself: chmod 600 {shown}")));
        }
        Token::of_text(text.trim(), &shown.to_string())
    }

    /// From the environment, if set.
    pub fn of_environment() -> Result<Option<Token>> {
        let text = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty());
        text.map(|text| Token::of_text(text.trim(), VARIABLE)).transpose()
    }

    fn of_text(text: &str, place: &str) -> Result<Token> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
        if text.len() < FEWEST || !text.bytes().all(plain) {
            let what =
                format!("the token of {place} must have {FEWEST} or more of A-Z a-z 0-9 -._~");
            return Err(failed(what, "create one: openssl rand -hex 32"));
        }
        Ok(Token(digest(text)))
    }

    fn is(&self, text: &str) -> bool {
        self.0.ct_eq(&digest(text)).into()
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// A token, and the cookie that replaces it until the server ends.
pub struct BrowserSession {
    token: Token,
    /// Servers at other ports of the host have their own.
    name: String,
    cookie: String,
}

/// The result of checking a request.
pub enum Login {
    /// It has the token or the cookie.
    Admitted,
    /// The token was in its address: redirect without it, with a cookie.
    Exchanged {
        /// The same address without the token.
        location: String,
        /// For `Set-Cookie`.
        cookie: String,
    },
    /// It has neither.
    Refused,
}

impl BrowserSession {
    /// A new session, for a server at this port.
    pub fn new(token: Token, port: u16) -> Result<BrowserSession> {
        let mut random = [0; 32];
        let got = rustix::rand::getrandom(&mut random[..], rustix::rand::GetRandomFlags::empty());
        if got.context("drawing a session")? < random.len() {
            return Err(failed("drawing a session: too few random bytes", "start it again"));
        }
        let cookie = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(BrowserSession { token, name: format!("dyno-{port}"), cookie })
    }

    /// Checks a request's credentials.
    pub fn admit(&self, headers: &HeaderMap, uri: &Uri) -> Login {
        let bearer = one(headers, &AUTHORIZATION).and_then(|text| text.strip_prefix("Bearer "));
        let with_cookie = || {
            cookie(headers, &self.name)
                .is_some_and(|value| value.as_bytes().ct_eq(self.cookie.as_bytes()).into())
        };
        let pairs = || uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        if let Some(given) = pairs().find_map(|pair| pair.strip_prefix("token=")) {
            if !self.token.is(given) {
                return Login::Refused;
            }
            let rest: Vec<&str> = pairs().filter(|pair| !pair.starts_with("token=")).collect();
            let query =
                if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
            // One slash: two would name another host.
            let path = uri.path().trim_start_matches(['/', '\\']);
            let cookie =
                format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.name, self.cookie);
            return Login::Exchanged { location: format!("/{path}{query}"), cookie };
        }
        match bearer.is_some_and(|given| self.token.is(given)) || with_cookie() {
            true => Login::Admitted,
            false => Login::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::base::error::describe;

    const TOKEN: &str = "0123456789abcdef";

    fn session() -> BrowserSession {
        BrowserSession::new(Token::of_text(TOKEN, "here").unwrap(), 7070).unwrap()
    }

    fn admit(session: &BrowserSession, header: Option<(&'static str, String)>, uri: &str) -> Login {
        let mut headers = HeaderMap::new();
        if let Some((name, value)) = header {
            headers.insert(name, value.parse().unwrap());
        }
        session.admit(&headers, &uri.parse().unwrap())
    }

    #[test]
    fn a_token_is_taken_as_bearer_or_exchanged_once_for_a_cookie() {
        let session = session();
        let bearer = |token: &str| Some(("authorization", format!("Bearer {token}")));
        assert!(matches!(admit(&session, bearer(TOKEN), "/"), Login::Admitted));
        assert!(matches!(admit(&session, bearer("0123456789abcdeg"), "/"), Login::Refused));
        assert!(matches!(admit(&session, None, "/"), Login::Refused));
        assert!(matches!(admit(&session, None, "/?token="), Login::Refused));
        let given = format!("//evil.example/a?x=1&token={TOKEN}&y=2");
        let Login::Exchanged { location, cookie } = admit(&session, None, &given) else {
            panic!("refused");
        };
        assert_eq!(location, "/evil.example/a?x=1&y=2");
        let (pair, attributes) = cookie.split_once("; ").unwrap();
        assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");
        assert!(!pair.contains(TOKEN), "{pair}");
        let with = |pair: &str| Some(("cookie", format!("a=b; {pair}")));
        assert!(matches!(admit(&session, with(pair), "/"), Login::Admitted));
        assert!(matches!(admit(&session, with("dyno-7070="), "/"), Login::Refused));
    }

    #[test]
    fn a_token_that_others_may_read_or_that_is_short_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        let set = |text: &str, mode: u32| {
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            Token::of_file(&path).map(|token| token.is(TOKEN))
        };
        assert!(set("0123456789abcdef\n", 0o600).unwrap());
        let why = |text: &str, mode| describe(&set(text, mode).unwrap_err()).0;
        assert!(why("0123456789abcdef\n", 0o640).contains("others may read"));
        assert!(why("short", 0o600).contains("16 or more"));
        assert!(why("0123456789 abcdef", 0o600).contains("16 or more"));
    }
}
