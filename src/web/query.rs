//! Addresses within the site: names of bundles are encoded so that nothing in them has a special
//! meaning.

/// Percent-encodes everything except unreserved characters (RFC 3986, section 2.3).
fn encode(text: &str, also: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || also.contains(&byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// "search=a%20b&page=2", without empty parameters.
pub fn of(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
    let each = pairs.map(|(name, value)| format!("{}={}", encode(name, b""), encode(value, b"")));
    each.collect::<Vec<_>>().join("&")
}

/// The path of a bundle under a page's.
pub fn path(page: &str, bundle: &str) -> String {
    format!("{page}{}", encode(bundle, b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_means_anything_in_an_address() {
        assert_eq!(path("/brief/", "lab/a b?c#d.dyno"), "/brief/lab/a%20b%3Fc%23d.dyno");
        assert_eq!(path("/brief/", "\"><script>ä"), "/brief/%22%3E%3Cscript%3E%C3%A4");
        assert_eq!(
            of(&[("search", "a&b=c"), ("none", ""), ("page", "2")]),
            "search=a%26b%3Dc&page=2"
        );
    }
}
