//! The list of allowed hosts.

use std::net::Ipv6Addr;

use crate::host::{self, Host};

/// The ports of a pattern without one: HTTP and HTTPS.
const USUAL_PORTS: [u16; 2] = [80, 443];

/// Hosts by name or address. The empty list allows nothing.
///
/// | pattern | allows |
/// |---|---|
/// | `example.com` | that name, ports 80 and 443 |
/// | `*.example.com` | names below it at any depth, not the name itself |
/// | `example.com:8443` | that port alone |
/// | `10.0.0.5`, `[::1]:8080` | that address |
///
/// Patterns ignore case and a dot at the end of a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowedHosts {
    patterns: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{pattern:?} is not a host pattern: use `example.com`, `*.example.com` or an address, each with or without `:port`"
)]
pub struct BadPattern {
    pub pattern: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    One(Host),
    AllBelow(String),
}

impl AllowedHosts {
    pub fn parse<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, BadPattern> {
        let parse = |text: &str| {
            Pattern::parse(text).ok_or_else(|| BadPattern { pattern: text.to_owned() })
        };
        let patterns = patterns.into_iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Self { patterns })
    }

    /// Unusual spellings of a host are not allowed.
    pub fn allows(&self, host: &str, port: u16) -> bool {
        Host::parse(host).is_some_and(|host| self.allows_host(&host, port))
    }

    pub(crate) fn allows_host(&self, host: &Host, port: u16) -> bool {
        self.patterns.iter().any(|pattern| pattern.allows(host, port))
    }
}

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        if text.parse::<Ipv6Addr>().is_ok() {
            return Some(Self { hosts: Hosts::One(Host::parse(text)?), port: None });
        }
        let below = text.strip_prefix("*.");
        let (host, port) = host::authority(below.unwrap_or(text))?;
        let hosts = match (below, host) {
            (None, host) => Hosts::One(host),
            (Some(_), Host::Name(name)) => Hosts::AllBelow(name),
            (Some(_), Host::Address(_)) => return None,
        };
        Some(Self { hosts, port })
    }

    fn allows(&self, host: &Host, port: u16) -> bool {
        let is_host = match (&self.hosts, host) {
            (Hosts::One(one), host) => one == host,
            (Hosts::AllBelow(top), Host::Name(name)) => {
                name.strip_suffix(top.as_str()).is_some_and(|front| front.ends_with('.'))
            }
            (Hosts::AllBelow(_), Host::Address(_)) => false,
        };
        is_host && self.port.map_or(USUAL_PORTS.contains(&port), |only| only == port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_allows_only_its_hosts() {
        for (pattern, host, port, allowed) in [
            ("example.com", "example.com", 443, true),
            ("example.com", "example.com", 80, true),
            ("example.com", "example.com", 8443, false),
            ("example.com", "EXAMPLE.com.", 443, true),
            ("Example.com.", "example.com", 443, true),
            ("example.com", "a.example.com", 443, false),
            ("example.com", "example.com.evil.example", 443, false),
            ("example.com", "notexample.com", 443, false),
            ("example.com:8443", "example.com", 8443, true),
            ("example.com:8443", "example.com", 443, false),
            ("*.example.com", "a.example.com", 443, true),
            ("*.example.com", "a.b.example.com", 80, true),
            ("*.example.com", "example.com", 443, false),
            ("*.example.com", "notexample.com", 443, false),
            ("*.example.com:1", "a.example.com", 1, true),
            ("*.example.com:1", "a.example.com", 443, false),
            ("10.0.0.5", "10.0.0.5", 80, true),
            ("10.0.0.5", "10.0.0.50", 80, false),
            ("127.0.0.1", "2130706433", 80, false),
            ("127.0.0.1", "[::ffff:127.0.0.1]", 80, false),
            ("127.0.0.1", "0x7f.1", 80, false),
            ("127.0.0.1", "localhost", 80, false),
            ("[::1]:8080", "[0::1]", 8080, true),
            ("[::1]:8080", "::1", 8080, true),
            ("::1", "::1", 80, true),
            ("::1", "[::1]", 8080, false),
        ] {
            let hosts = AllowedHosts::parse([pattern]).unwrap();
            assert_eq!(hosts.allows(host, port), allowed, "{pattern} and {host}:{port}");
        }
    }

    #[test]
    fn one_matching_pattern_is_enough() {
        let hosts = AllowedHosts::parse(["one.example", "two.example"]).unwrap();
        assert!(hosts.allows("one.example", 80) && hosts.allows("two.example", 80));
        assert!(!AllowedHosts::default().allows("one.example", 80));
    }

    #[test]
    fn an_invalid_pattern_is_named() {
        for pattern in [
            "",
            "*",
            "*.",
            "*example.com",
            "a.*.example.com",
            "*.*.example.com",
            "*.10.0.0.5",
            "*.[::1]",
            "https://example.com",
            "example.com/",
            "example.com:",
            "example.com:0",
            "example.com:*",
            "user@example.com",
            "10.0.0.0/8",
            "2130706433",
            "::ffff:10.0.0.5",
            "[::ffff:10.0.0.5]",
            "exa mple.com",
        ] {
            let error = AllowedHosts::parse(["fine.example", pattern]).unwrap_err();
            assert_eq!(error.pattern, pattern);
        }
    }
}
