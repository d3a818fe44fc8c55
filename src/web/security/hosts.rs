//! The names by which a server may be addressed. A page of somebody else's whose name is made to
//! lead to this address (DNS rebinding) sends its own name, and is refused.

use std::net::{IpAddr, SocketAddr};

/// The names of one server. Ports are not looked at: a tunnel has its own.
pub struct Hosts {
    listen: IpAddr,
}

impl Hosts {
    /// Of a server that listens at an address.
    pub fn of(listen: SocketAddr) -> Hosts {
        Hosts { listen: listen.ip() }
    }

    /// Whether "HOST" or "HOST:PORT" names it: loopback, the address at which it listens, or any
    /// address where it listens at all of them. No name of a domain does but `localhost`.
    pub fn has(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        if name.eq_ignore_ascii_case("localhost") {
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

/// "[::1]:80" and "a:80" without their port; none where what follows is no port.
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
        Hosts::of(listen.parse().unwrap()).has(host)
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
}
