//! Decides which addresses a request may connect to.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::AllowedHosts;
use crate::host::Host;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    pub hosts: AllowedHosts,
    /// Allowed ports of the host's 127.0.0.1.
    pub host_ports: Vec<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub host: String,
    pub port: u16,
    pub why: Refusal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    NotAllowed,
    /// The name is allowed, but resolves to the machine itself or a link-local address, such as a metadata service.
    LocalAddress,
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, why } = self;
        let reason = match why {
            Refusal::NotAllowed => "is not on the list of allowed hosts",
            Refusal::LocalAddress => {
                "resolves to a local address, which must be on the list as an address"
            }
        };
        write!(formatter, "{host}:{port} {reason} (isolation.allowedHosts)")
    }
}

#[derive(Debug)]
pub(crate) enum RouteError {
    Refused(Refusal),
    Unresolved(io::Error),
}

impl Rules {
    /// The addresses to connect to. A name is resolved only once, because a second answer could differ from the
    /// checked one.
    pub(crate) fn addresses(
        &self,
        host: &Host,
        port: u16,
        resolve: impl FnOnce(&str) -> io::Result<Vec<IpAddr>>,
    ) -> Result<Vec<SocketAddr>, RouteError> {
        if self.host_ports.contains(&port) && is_this_host(host) {
            return Ok(vec![(Ipv4Addr::LOCALHOST, port).into()]);
        }
        if !self.hosts.allows_host(host, port) {
            return Err(RouteError::Refused(Refusal::NotAllowed));
        }
        let addresses = match host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => {
                let addresses = resolve(name).map_err(RouteError::Unresolved)?;
                if addresses.iter().any(|address| is_local(*address)) {
                    return Err(RouteError::Refused(Refusal::LocalAddress));
                }
                addresses
            }
        };
        Ok(addresses.into_iter().map(|address| (address, port).into()).collect())
    }
}

/// The two spellings of the host for its allowed ports.
fn is_this_host(host: &Host) -> bool {
    match host {
        Host::Name(name) => name == "localhost",
        Host::Address(address) => *address == Ipv4Addr::LOCALHOST,
    }
}

/// Cloud metadata services outside the link-local range.
const METADATA: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// The owner of a name chooses its address, so a name must not lead to these.
fn is_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        metadata if METADATA.contains(&metadata) => true,
        IpAddr::V4(v4) => {
            v4.is_loopback() || v4.is_link_local() || v4.is_multicast() || v4.octets()[0] == 0
        }
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unicast_link_local()
                || v6.is_multicast()
                || v6.is_unspecified()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result for `host` if every name resolves to these addresses.
    fn route(
        rules: &Rules,
        host: &str,
        port: u16,
        addresses: &[&str],
    ) -> Result<Vec<String>, Refusal> {
        let answer = addresses.iter().map(|address| address.parse().unwrap()).collect();
        match rules.addresses(&Host::parse(host).unwrap(), port, |_| Ok(answer)) {
            Ok(addresses) => Ok(addresses.iter().map(ToString::to_string).collect()),
            Err(RouteError::Refused(refusal)) => Err(refusal),
            Err(RouteError::Unresolved(error)) => panic!("{error}"),
        }
    }

    fn rules(patterns: &[&str], host_ports: &[u16]) -> Rules {
        let hosts = AllowedHosts::parse(patterns.iter().copied()).unwrap();
        Rules { hosts, host_ports: host_ports.to_vec() }
    }

    #[test]
    fn an_allowed_name_leads_to_its_public_and_private_addresses() {
        let rules = rules(&["example.com"], &[]);
        for address in ["93.184.216.34", "10.0.0.5", "192.168.1.1", "172.16.0.1", "100.64.0.1"] {
            let route = route(&rules, "example.com", 443, &[address]);
            assert_eq!(route, Ok(vec![format!("{address}:443")]));
        }
        let both = route(&rules, "example.com", 80, &["2001:db8::1", "192.0.2.1"]);
        assert_eq!(both, Ok(vec!["[2001:db8::1]:80".into(), "192.0.2.1:80".into()]));
    }

    #[test]
    fn a_name_must_not_resolve_to_a_local_address() {
        let rules = rules(&["example.com", "127.0.0.1", "localhost"], &[]);
        for address in [
            "127.0.0.1",
            "127.1.2.3",
            "169.254.169.254",
            "0.0.0.0",
            "0.1.2.3",
            "224.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "febf::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "100.100.100.200",
            "fd00:ec2::254",
        ] {
            for answer in [&[address][..], &["192.0.2.1", address]] {
                let route = route(&rules, "example.com", 443, answer);
                assert_eq!(route, Err(Refusal::LocalAddress), "{answer:?}");
            }
        }
        assert_eq!(route(&rules, "localhost", 80, &["127.0.0.1"]), Err(Refusal::LocalAddress));
    }

    #[test]
    fn an_address_on_the_list_is_reached_even_if_it_is_local() {
        let rules = rules(&["169.254.169.254", "[::1]:8080"], &[]);
        assert_eq!(
            route(&rules, "169.254.169.254", 80, &[]),
            Ok(vec!["169.254.169.254:80".into()])
        );
        assert_eq!(route(&rules, "[::1]", 8080, &[]), Ok(vec!["[::1]:8080".into()]));
        assert_eq!(route(&rules, "127.0.0.1", 80, &[]), Err(Refusal::NotAllowed));
    }

    #[test]
    fn a_port_of_the_host_is_reached_by_its_two_spellings_alone() {
        let rules = rules(&[], &[5432]);
        for host in ["127.0.0.1", "localhost", "LOCALHOST."] {
            let route = route(&rules, host, 5432, &["192.0.2.1"]);
            assert_eq!(route, Ok(vec!["127.0.0.1:5432".into()]), "{host}");
        }
        for (host, port) in [("localhost", 5433), ("127.0.0.2", 5432), ("[::1]", 5432)] {
            assert_eq!(route(&rules, host, port, &[]), Err(Refusal::NotAllowed), "{host}:{port}");
        }
    }

    #[test]
    fn a_name_that_is_not_allowed_is_not_even_resolved() {
        let host = Host::parse("secret-of-the-project.evil.example").unwrap();
        let route = rules(&["example.com"], &[]).addresses(&host, 443, |_| panic!("resolved"));
        assert!(matches!(route, Err(RouteError::Refused(Refusal::NotAllowed))), "{route:?}");
    }
}
