//! The hosts that a sandbox may reach: from the settings, the model endpoints of the agent, and git remotes.

use std::path::Path;
use std::time::{Duration, Instant};

use agents::Agent;
use anyhow::Result;
use engine::AgentOptions;
use os_sandbox::places::PACKAGE_HOSTS;
use sandbox_network::{AllowedHosts, Rules};
use settings::IsolationSettings;
use vcs::WorkTree;

use crate::command_error::precondition;

/// For the proxy of the runner.
pub(super) fn rules(
    isolation: &IsolationSettings,
    hosts: &[&str],
    addresses: &[Address],
) -> Result<Rules> {
    let hosts = parsed(&patterns(isolation, hosts, addresses))?;
    Ok(Rules { hosts, host_ports: host_ports(isolation, addresses) })
}

/// For the proxy of Docker Sandboxes, which reaches this machine as `localhost`.
pub(super) fn for_docker(
    isolation: &IsolationSettings,
    hosts: &[&str],
    addresses: &[Address],
) -> Result<Vec<String>> {
    let mut patterns = patterns(isolation, hosts, addresses);
    parsed(&patterns)?;
    let ports = host_ports(isolation, addresses);
    patterns.extend(ports.iter().map(|port| format!("localhost:{port}")));
    Ok(patterns)
}

fn patterns(isolation: &IsolationSettings, hosts: &[&str], addresses: &[Address]) -> Vec<String> {
    let usual = PACKAGE_HOSTS.split_whitespace().chain(hosts.iter().copied()).map(str::to_owned);
    let elsewhere = addresses.iter().filter(|address| !address.is_this_machine());
    usual.chain(isolation.allowed_hosts.clone()).chain(elsewhere.map(Address::pattern)).collect()
}

fn host_ports(isolation: &IsolationSettings, addresses: &[Address]) -> Vec<u16> {
    let here = addresses.iter().filter(|address| address.is_this_machine());
    let mut ports: Vec<u16> =
        isolation.host_ports.iter().copied().chain(here.map(|it| it.port)).collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

fn parsed(patterns: &[String]) -> Result<AllowedHosts> {
    AllowedHosts::parse(patterns.iter().map(String::as_str)).map_err(|error| {
        let hint = "use example.com, *.example.com or example.com:8443";
        precondition(format!("isolation.allowedHosts: {error}"), hint)
    })
}

/// Host and port of a URL such as `https://example.com:8443/v1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

impl Address {
    /// `None` for schemes that a proxy does not carry.
    pub(super) fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let usual = match scheme.to_ascii_lowercase().as_str() {
            "https" | "wss" => 443,
            "http" | "ws" => 80,
            _ => return None,
        };
        let authority = rest.split(['/', '?', '#']).next()?;
        let place = authority.rsplit('@').next()?;
        let (host, port) = match place.rsplit_once(':') {
            // The last part of an IPv6 address in brackets is not a port.
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (place, usual),
        };
        (!host.is_empty()).then(|| Self { host: host.to_owned(), port })
    }

    pub(super) fn is_this_machine(&self) -> bool {
        matches!(self.host.as_str(), "localhost" | "127.0.0.1")
    }

    /// In the form of `isolation.allowedHosts`.
    pub(super) fn pattern(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// From the agent's variables, and for Codex also from its settings in `state`.
pub(super) fn model_addresses(agent: &AgentOptions, state: Option<&Path>) -> Vec<Address> {
    let needs = agent.agent.needs();
    let named = needs.addresses.iter().filter_map(|name| variable(agent, name));
    let mut urls: Vec<String> = named.collect();
    if let (Agent::Codex, Some(state)) = (agent.agent, state) {
        urls.extend(codex_providers(&state.join("config.toml")));
    }
    urls.iter().filter_map(|url| Address::parse(url)).collect()
}

/// The value in the agent's sessions.
pub(super) fn variable(agent: &AgentOptions, name: &str) -> Option<String> {
    let own = agent.environment.iter().rev().find(|(each, _)| each == name);
    match own {
        Some((_, value)) => value.clone().into_inner().and_then(|value| value.into_string().ok()),
        None => project::env::variable(name),
    }
}

fn codex_providers(settings: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(settings).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let providers = table.get("model_providers").and_then(toml::Value::as_table);
    let url = |provider: &toml::Value| provider.get("base_url")?.as_str().map(str::to_owned);
    providers.into_iter().flatten().filter_map(|(_, provider)| url(provider)).collect()
}

/// Empty if git does not answer: then sessions cannot reach the remotes.
pub(super) fn remote_addresses(root: &Path) -> Vec<Address> {
    let Ok(tree) = WorkTree::open(root) else { return Vec::new() };
    let urls = tree.remote_urls(Instant::now() + Duration::from_secs(20)).unwrap_or_default();
    urls.iter().filter_map(|url| Address::parse(url)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_on_this_machine_is_a_port_and_any_other_a_host() {
        let address = |url| Address::parse(url).unwrap();
        let addresses = [address("http://127.0.0.1:4000/v1"), address("https://llm.example.com")];
        let rules = rules(&IsolationSettings::default(), &["api.example.com"], &addresses).unwrap();
        assert_eq!(rules.host_ports, [4000]);
        assert!(rules.hosts.allows("llm.example.com", 443));
        assert!(rules.hosts.allows("api.example.com", 443));
        assert!(rules.hosts.allows("registry.npmjs.org", 443), "packages");
        assert!(!rules.hosts.allows("127.0.0.1", 4000) && !rules.hosts.allows("example.com", 443));
    }

    #[test]
    fn docker_gets_the_same_hosts_and_this_machine_as_localhost() {
        let isolation = IsolationSettings {
            allowed_hosts: vec!["*.example.org".into()],
            host_ports: vec![5432],
            ..IsolationSettings::default()
        };
        let here = Address::parse("http://127.0.0.1:4000/v1").unwrap();
        let hosts = for_docker(&isolation, &["api.example.com"], &[here]).unwrap();
        let others = &hosts[PACKAGE_HOSTS.split_whitespace().count()..];
        assert_eq!(
            others,
            ["api.example.com", "*.example.org", "localhost:4000", "localhost:5432"]
        );
        let bad = IsolationSettings {
            allowed_hosts: vec!["--policy".into()],
            ..IsolationSettings::default()
        };
        assert!(for_docker(&bad, &[], &[]).unwrap_err().to_string().contains("--policy"));
    }

    #[test]
    fn a_host_and_its_port_are_found_in_an_address() {
        let parsed = |url| Address::parse(url).map(|address| address.pattern());
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parsed("https://api.example.com/v1"), some("api.example.com:443"));
        assert_eq!(parsed("http://127.0.0.1:4000"), some("127.0.0.1:4000"));
        assert_eq!(parsed("https://me:pw@git.example.com/a@b.git"), some("git.example.com:443"));
        assert_eq!(parsed("http://[::1]:80/"), some("[::1]:80"));
        assert_eq!(parsed("http://[::1]/"), some("[::1]:80"));
        for none in ["git@example.com:a/b.git", "ssh://example.com/a", "../remote", "https:///x"] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }

    #[test]
    fn providers_of_codex_are_read_from_its_settings() {
        let dir = assert_fs::TempDir::new().unwrap();
        let file = dir.path().join("config.toml");
        std::fs::write(&file, "[model_providers.x]\nbase_url = \"http://127.0.0.1:9/v1\"\n")
            .unwrap();
        assert_eq!(codex_providers(&file), ["http://127.0.0.1:9/v1"]);
        assert_eq!(codex_providers(&dir.path().join("none")), Vec::<String>::new());
    }
}
