//! macOS: turns a policy into a profile for `sandbox-exec`. The last matching rule applies.

use std::fmt::Write;
use std::path::Path;

use crate::{Access, Network, Policy};

/// What every program needs: starting programs, reading system settings, system services. Services that hold
/// passwords or start programs outside (Keychain, LaunchServices, Apple events) stay closed.
const BASE: &str = r#"(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow pseudo-tty)
(allow ipc-posix-shm* ipc-posix-sem*)
(allow mach-lookup
    (global-name "com.apple.system.opendirectoryd.libinfo")
    (global-name "com.apple.system.opendirectoryd.membership")
    (global-name "com.apple.system.logger")
    (global-name "com.apple.system.notification_center")
    (global-name "com.apple.trustd")
    (global-name "com.apple.trustd.agent")
    (global-name "com.apple.SystemConfiguration.configd")
    (global-name "com.apple.dnssd.service"))
(allow file-ioctl (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))
(allow file-read* (subpath "/"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))
"#;

/// The text for `sandbox-exec -p`.
pub fn profile(policy: &Policy) -> String {
    let mut text = BASE.to_owned();
    for (path, access) in policy.rules().filter(|(path, _)| *path != Path::new("/")) {
        let path = quoted(path);
        let _ = match access {
            // Programs `stat` every parent folder of a file.
            Access::Private => writeln!(
                text,
                "(deny file-read* file-write* (subpath {path}))\n(allow file-read-metadata (subpath {path}))"
            ),
            Access::Hidden => writeln!(text, "(deny file-read* file-write* (literal {path}))"),
            Access::ReadOnly => {
                writeln!(
                    text,
                    "(allow file-read* (subpath {path}))\n(deny file-write* (subpath {path}))"
                )
            }
            Access::Writable => writeln!(text, "(allow file-read* file-write* (subpath {path}))"),
        };
    }
    // Seatbelt cannot replace one file with another, so the file itself is writable.
    for (path, _) in &policy.copies {
        let _ = writeln!(text, "(allow file-read* file-write* (literal {}))", quoted(path));
    }
    text.push_str(&network(&policy.network));
    text
}

/// macOS has no separate loopback for a process tree: all of them share the machine's.
fn network(network: &Network) -> String {
    const LOOPBACK: &str = "(allow network-bind network-inbound (local ip \"localhost:*\"))\n";
    match network {
        Network::Open => "(allow network* (local ip) (remote ip))\n\
                          (allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n\
                          (allow system-socket)\n"
            .into(),
        Network::Isolated { host_ports } => {
            let port =
                |port: &u16| format!("(allow network-outbound (remote ip \"localhost:{port}\"))\n");
            LOOPBACK.to_owned() + &host_ports.iter().map(port).collect::<String>()
        }
    }
}

fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workplace;

    fn profile_of(network: Network) -> String {
        let mut policy = Policy::of(&Workplace::default(), network);
        policy.set("/Users/me", Access::Private);
        policy.set("/Users/me/sh\"op", Access::Writable);
        policy.set("/Users/me/sh\"op/.git/config", Access::ReadOnly);
        policy.set("/Users/me/.netrc", Access::Hidden);
        profile(&policy)
    }

    #[test]
    fn everything_is_denied_first_and_rules_for_longer_paths_come_later() {
        let text = profile_of(Network::Open);
        assert!(text.starts_with("(version 1)\n(deny default)\n"), "{text}");
        let places: Vec<usize> = [
            "(allow file-read* (subpath \"/\"))",
            "(deny file-read* file-write* (subpath \"/Users/me\"))",
            "(deny file-read* file-write* (literal \"/Users/me/.netrc\"))",
            "(allow file-read* file-write* (subpath \"/Users/me/sh\\\"op\"))",
            "(deny file-write* (subpath \"/Users/me/sh\\\"op/.git/config\"))",
        ]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part} in {text}")))
        .collect();
        assert!(places.is_sorted(), "{text}");
        assert_eq!(text.matches('(').count(), text.matches(')').count(), "{text}");
    }

    #[test]
    fn an_isolated_network_reaches_the_named_ports_of_the_machine_alone() {
        let text = profile_of(Network::Isolated { host_ports: vec![5432] });
        assert!(text.contains("(allow network-outbound (remote ip \"localhost:5432\"))"), "{text}");
        assert_eq!(text.matches("network-outbound").count(), 1, "{text}");
        assert!(!text.contains("network*"), "{text}");
        assert!(profile_of(Network::Open).contains("(allow network*"));
    }
}
