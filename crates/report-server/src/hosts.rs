//! The allowed `Host` headers. They prevent DNS rebinding: another site can point its own name to this
//! machine, but the browser sends that name.

use std::net::{IpAddr, SocketAddr};

use crate::serve_error::ServeError;

/// The port of a link without one.
const HTTP_PORT: u16 = 80;

/// The allowed values of `Host`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hosts {
    pub(crate) in_links: String,
    all: Vec<String>,
}

impl Hosts {
    /// Loopback names, the address itself, and `also`, each with this server's port by default.
    pub(crate) fn of(address: SocketAddr, also: &[String]) -> Result<Self, ServeError> {
        let port = address.port();
        let own = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let mut hosts = Vec::new();
        for name in ["127.0.0.1", "localhost", "[::1]", &own] {
            hosts.push(format!("{name}:{port}"));
            if port == HTTP_PORT {
                hosts.push(name.to_owned());
            }
        }
        for name in also {
            hosts.push(match port_of(name)? {
                Some(_) => name.to_ascii_lowercase(),
                None => format!("{}:{port}", name.to_ascii_lowercase()),
            });
        }
        // A wildcard address cannot be used in a link.
        let in_links = match (address.ip().is_unspecified(), also) {
            (false, _) => address.to_string(),
            (true, []) => format!("127.0.0.1:{port}"),
            (true, [..]) => hosts.last().cloned().unwrap_or_default(),
        };
        Ok(Self { in_links, all: hosts })
    }

    pub(crate) fn has(&self, host: &str) -> bool {
        self.all.iter().any(|ours| ours.eq_ignore_ascii_case(host))
    }
}

fn port_of(host: &str) -> Result<Option<u16>, ServeError> {
    let refused = || ServeError::Host(host.to_owned());
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => {
            (name, Some(port.parse().map_err(|_| refused())?))
        }
        _ => (host, None),
    };
    let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let is_fine = match inner {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(is_name),
    };
    if is_fine { Ok(port) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(address: &str, also: &[&str]) -> Hosts {
        let also: Vec<String> = also.iter().map(|&name| name.to_owned()).collect();
        Hosts::of(address.parse().unwrap(), &also).unwrap()
    }

    #[test]
    fn loopback_has_three_names_with_the_port() {
        let hosts = hosts("127.0.0.1:4567", &[]);
        for ours in ["127.0.0.1:4567", "localhost:4567", "[::1]:4567", "LocalHost:4567"] {
            assert!(hosts.has(ours), "{ours}");
        }
        for other in [
            "",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:4568",
            "127.0.0.1.:4567",
            "localhost.:4567",
            "127.0.0.1:04567",
            "127.0.0.1:4567:4567",
            "u@127.0.0.1:4567",
            "evil.example:4567",
            "127.0.0.1.evil.example:4567",
            "0.0.0.0:4567",
            "127.1:4567",
            "2130706433:4567",
            " 127.0.0.1:4567",
            "127.0.0.1:4567/",
            "[::ffff:127.0.0.1]:4567",
            "::1:4567",
        ] {
            assert!(!hosts.has(other), "{other}");
        }
    }

    #[test]
    fn the_default_port_may_be_omitted() {
        assert!(hosts("127.0.0.1:80", &[]).has("127.0.0.1"));
    }

    #[test]
    fn the_bound_address_and_allowed_names_are_hosts() {
        let hosts = hosts("192.0.2.7:80", &["build.example", "localhost:9000", "[2001:db8::1]"]);
        for ours in ["192.0.2.7:80", "build.example:80", "localhost:9000", "[2001:db8::1]:80"] {
            assert!(hosts.has(ours), "{ours}");
        }
        assert!(!hosts.has("other.example:80"));
    }

    #[test]
    fn the_link_has_the_address_of_the_server() {
        assert_eq!(hosts("127.0.0.1:4567", &["x"]).in_links, "127.0.0.1:4567");
        assert_eq!(hosts("[::1]:4567", &[]).in_links, "[::1]:4567");
        assert_eq!(hosts("0.0.0.0:4567", &[]).in_links, "127.0.0.1:4567");
        assert_eq!(hosts("0.0.0.0:4567", &["build.example"]).in_links, "build.example:4567");
    }

    #[test]
    fn invalid_hosts_are_refused() {
        for odd in ["", "a b", "http://x", "x:", "x:y", "x:70000", "*", "u@x", "[zz]", "::1", "x/"]
        {
            let refused = Hosts::of("127.0.0.1:1".parse().unwrap(), &[odd.to_owned()]);
            assert!(refused.is_err(), "{odd}");
        }
    }
}
