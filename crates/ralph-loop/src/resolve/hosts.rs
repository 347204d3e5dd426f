//! The hosts that a sandbox may reach: from the settings, the agent and its addresses.

use anyhow::Result;
use os_sandbox::places::PACKAGE_HOSTS;
use sandbox_network::{AllowedHosts, Rules};
use settings::IsolationSettings;

use super::addresses::Address;
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
}
