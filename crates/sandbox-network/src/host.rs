//! Strict parsing of hosts and ports in requests and patterns.
//!
//! Programs disagree about unusual spellings of an address (`2130706433`, `0x7f.1`, `[::ffff:127.0.0.1]`), so
//! those are invalid here.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// DNS limits for a name and a label.
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// A name is in lower case, without a trailing dot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    Name(String),
    Address(IpAddr),
}

impl Host {
    /// Accepts an IPv6 address with or without brackets.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(address.into()));
        }
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = bare.parse::<Ipv6Addr>() {
            // The usual spelling of a mapped IPv4 address is the IPv4 address itself.
            return address.to_ipv4_mapped().is_none().then_some(Self::Address(address.into()));
        }
        name(text).map(Self::Name)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => formatter.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(formatter, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(formatter, "[{address}]"),
        }
    }
}

/// `host` or `host:port`. An IPv6 address needs brackets.
pub(crate) fn authority(text: &str) -> Option<(Host, Option<u16>)> {
    let end = match text.find(']') {
        Some(bracket) => bracket + 1,
        None => text.find(':').unwrap_or(text.len()),
    };
    let (host, rest) = text.split_at(end);
    let port = match rest.strip_prefix(':') {
        Some(digits) => Some(port(digits)?),
        None if rest.is_empty() => None,
        None => return None,
    };
    Some((Host::parse(host)?, port))
}

/// Rejects a sign, which `parse` accepts, and leading zeros.
pub(crate) fn port(digits: &str) -> Option<u16> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_plain)
}

fn name(text: &str) -> Option<String> {
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let is_name = name.len() <= LONGEST_NAME
        && name.split('.').all(is_label)
        && !name.rsplit('.').next().is_some_and(is_number);
    is_name.then_some(name)
}

fn is_label(label: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=LONGEST_LABEL).contains(&label.len())
        && label.bytes().all(is_letter)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Many resolvers take a name that ends in a number for an address.
fn is_number(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_digit())
        || label
            .strip_prefix("0x")
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_read_and_written_in_one_way() {
        for (text, host, port) in [
            ("Example.COM", "example.com", None),
            ("example.com.:443", "example.com", Some(443)),
            ("a_b.xn--bcher-kva.example:1", "a_b.xn--bcher-kva.example", Some(1)),
            ("1.example", "1.example", None),
            ("10.0.0.5:65535", "10.0.0.5", Some(65535)),
            ("[::1]:8080", "[::1]", Some(8080)),
            ("[2001:DB8:0::1]", "[2001:db8::1]", None),
        ] {
            let (read, read_port) = authority(text).unwrap();
            assert_eq!((read.to_string().as_str(), read_port), (host, port), "{text}");
        }
    }

    #[test]
    fn malformed_hosts_are_invalid() {
        let long_label = format!("{}.example", "a".repeat(64));
        let long_name = "a.".repeat(126) + "ab";
        for text in [
            "",
            ".",
            "..",
            ".example.com",
            "example.com..",
            "a..example.com",
            "2130706433",
            "0x7f000001",
            "0X7F.1",
            "127.1",
            "0177.0.0.1",
            "127.0.0.01",
            "127.0.0.1.",
            "127.0.0.0x1",
            "127.0.0.0x",
            "256.0.0.1",
            "1.2.3.4.5",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[127.0.0.1]",
            "[example.com]",
            "[::1",
            "::1]",
            "[fe80::1%eth0]",
            "[::1]x",
            "user@example.com",
            "user:password@example.com",
            "example.com@evil.example",
            "exam%70le.com",
            "127.0.0.1%00.example.com",
            "example.com\0.evil.example",
            "example .com",
            " example.com",
            "example.com\r\n",
            "example.com\n",
            "example.com\t",
            "example.com/",
            "example.com\\evil.example",
            "example.com#",
            "*.example.com",
            "-a.example",
            "a-.example",
            "bücher.example",
            "１２７.0.0.1",
            "example。com",
            &long_label,
            &long_name,
        ] {
            assert_eq!(authority(text), None, "{text:?}");
        }
    }

    #[test]
    fn malformed_ports_are_invalid() {
        for port in ["", "0", "+80", "-1", "080", "65536", "80 ", " 80", "0x50", "8a", "80:80", "٨"]
        {
            assert_eq!(authority(&format!("example.com:{port}")), None, "{port:?}");
        }
        assert_eq!(authority("::1:80"), None);
    }
}
