//! Hosts that a session must reach: model endpoints from settings or variables, and git remotes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agents::Agent;
use engine::AgentOptions;
use vcs::WorkTree;

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

/// Model endpoints and git remotes.
pub(super) fn needed_addresses(
    agent: &AgentOptions,
    state: Option<&Path>,
    root: &Path,
) -> Vec<Address> {
    let mut addresses = model_addresses(agent, state);
    addresses.extend(remote_addresses(root));
    addresses
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

fn codex_providers(settings: &PathBuf) -> Vec<String> {
    let text = std::fs::read_to_string(settings).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let providers = table.get("model_providers").and_then(toml::Value::as_table);
    let urls = providers
        .into_iter()
        .flatten()
        .filter_map(|(_, provider)| provider.get("base_url")?.as_str().map(str::to_owned));
    urls.collect()
}

/// Empty if git does not answer: then sessions cannot reach the remotes.
fn remote_addresses(root: &Path) -> Vec<Address> {
    let Ok(tree) = WorkTree::open(root) else { return Vec::new() };
    let urls = tree.remote_urls(Instant::now() + Duration::from_secs(20)).unwrap_or_default();
    urls.iter().filter_map(|url| Address::parse(url)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
