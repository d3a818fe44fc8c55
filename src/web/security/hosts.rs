//! The host names of a server. Another site's page whose name resolves to this address (DNS
//! rebinding) sends its own name, and is refused.

use std::net::{IpAddr, SocketAddr};

/// The names of one server. Ports are ignored, because a tunnel has its own.
pub struct Hosts {
    listen: IpAddr,
    allowed: Vec<String>,
}

impl Hosts {
    /// For a server that listens at an address, with additional permitted host names.
    pub fn of(listen: SocketAddr, allowed: Vec<String>) -> Hosts {
        Hosts { listen: listen.ip(), allowed }
    }

    /// Whether "HOST" or "HOST:PORT" is this server: loopback, the address at which it listens, any
    /// address if it listens at all of them, or a permitted name. `localhost` is the only permitted
    /// domain name by default.
    pub fn has(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        let is_name = |own: &str| own.eq_ignore_ascii_case(name);
        if is_name("localhost") || self.allowed.iter().any(|own| is_name(own)) {
            return true;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let address = match bare {
            Some(six) => six.parse().ok().map(IpAddr::V6),
            None => name.parse().ok().map(IpAddr::V4),
        };
        address.is_some_and(|address| {
            let listened = address == self.listen || self.listen.is_unspecified();
            address.is_loopback() || (listened && !address.is_unspecified())
        })
    }
}

/// A host name as in `Host`, without a port (RFC 1123, section 2.1; an underscore is also
/// permitted, because names of containers have them).
pub fn name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len()) && label.chars().all(fits) && !label.starts_with('-')
    };
    if text.len() <= 253 && text.split('.').all(is_label) {
        return Ok(text.to_string());
    }
    Err(format!(
        "'{text}' is not a host name; write one without scheme and port, as in lab1.example"
    ))
}

/// "[::1]:80" and "a:80" without their port; None if the rest is not a port.
fn without_port(host: &str) -> Option<&str> {
    let colon = match host.rfind(']') {
        Some(end) => host[end..].find(':').map(|at| at + end),
        None => host.find(':'),
    };
    match colon {
        None => Some(host),
        Some(at) => host[at + 1..].parse::<u16>().ok().map(|_| &host[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(listen: &str, host: &str) -> bool {
        Hosts::of(listen.parse().unwrap(), Vec::new()).has(host)
    }

    #[test]
    fn loopback_and_the_address_listened_at_are_names_and_no_domain_is() {
        for host in ["localhost", "LOCALHOST:7070", "127.0.0.1", "127.0.0.1:80", "[::1]:9"] {
            assert!(has("127.0.0.1:7070", host), "{host}");
        }
        let others = ["evil.example", "localhost.evil.example", "10.0.0.5", "0.0.0.0", "", "::1"];
        for host in others.into_iter().chain(["127.0.0.1:x", "127.0.0.1@evil.example", "[::1"]) {
            assert!(!has("127.0.0.1:7070", host), "{host}");
        }
        assert!(has("10.0.0.5:7070", "10.0.0.5:7070") && !has("10.0.0.5:7070", "10.0.0.6:7070"));
        assert!(has("0.0.0.0:7070", "10.0.0.6") && !has("0.0.0.0:7070", "lab.example"));
        assert!(!has("0.0.0.0:7070", "0.0.0.0") && has("[::]:7070", "[fe80::1]:7070"));
    }

    #[test]
    fn a_name_that_is_allowed_is_one_and_none_that_only_ends_or_begins_with_it() {
        let allowed = vec!["lab1.example".to_string()];
        let hosts = Hosts::of("0.0.0.0:7070".parse().unwrap(), allowed);
        for host in ["lab1.example", "LAB1.example:7070", "localhost", "10.0.0.5:7070"] {
            assert!(hosts.has(host), "{host}");
        }
        for host in ["evil.example", "a.lab1.example", "lab1.example.evil.example", "lab1"] {
            assert!(!hosts.has(host), "{host}");
        }
        for host in ["lab1", "lab-1.example", "lab_1", "10.0.0.5"] {
            assert_eq!(name(host), Ok(host.to_string()));
        }
        for text in ["", "lab1:7070", "http://lab1", "*.example", "lab1.", "-a", "a b", "[::1]"] {
            assert!(name(text).is_err(), "{text}");
        }
    }
}
