//! Finds harms in code from combinations of calls.

use shell_analysis::Word;

use super::literals::squeezed;
use super::names::{self, has};
use crate::Category;
use crate::network::{Host, host, uses_network};
use crate::policy_table::Reason;
use crate::secrets::{code_prints_environment, is_secret};

/// Whether code runs text: its input may be code.
pub(crate) fn runs_text(code: &str) -> bool {
    let code = squeezed(code);
    has(&code, names::EVALUATES) || has(&code, names::STARTS)
}

/// Whether code has an endless loop without a delay.
pub(crate) fn is_endless(code: &str) -> bool {
    has(&squeezed(code), names::ENDLESS) && !has(code, names::ENDS)
}

/// `strings` are all strings in the code.
pub(super) fn harms(code: &str, strings: &[String]) -> impl Iterator<Item = Reason> {
    let squeezed = &squeezed(code);
    let has = |names: &[&str]| has(squeezed, names);
    let names_host = |wanted: Host| {
        let addresses = strings.iter().filter(|text| text.contains("://"));
        addresses.into_iter().any(|address| host(&Word::of(address.as_str())) == wanted)
    };
    let any = |is: fn(&str) -> bool| strings.iter().any(|text| is(text));
    let is_remote = names_host(Host::Elsewhere);
    let is_local = !is_remote
        && (names_host(Host::Loopback) || any(|text| matches!(text, "localhost" | "127.0.0.1")));
    let uses_network =
        uses_network(code) || has(names::NETWORK) || any(|text| text.starts_with("http"));
    let network = uses_network && !is_local;
    let runs = has(names::EVALUATES) || has(names::STARTS);
    let secrets = has(names::ENVIRONMENT)
        && any(|text| is_secret(text) && text.to_uppercase() == *text)
        && has(names::SENDS);
    let drops = any(|text| {
        let text = text.to_ascii_lowercase();
        ["drop table", "drop database", "drop schema", "truncate table", "delete_many({})"]
            .iter()
            .any(|part| text.contains(part))
    });
    let endless = has(names::ENDLESS);
    let large = endless && has(names::GROWS) && has(names::LARGE);
    let forks = has(names::FORKS) || endless && has(names::MULTIPLIES);
    let ends_parent = has(&["getppid", "process.ppid"]) && has(&["kill"]);
    use Category::*;
    [
        (
            has(names::SOCKETS) && has(names::SHELLS),
            ReverseShell,
            "the code gives a shell to another machine",
        ),
        (network && runs, RemoteCode, "the code downloads code and runs it"),
        (is_remote && has(names::IMPORTS), RemoteCode, "the code loads code from the network"),
        (has(names::DECODES) && runs, HiddenCode, "the code decodes code and runs it"),
        (
            network && has(names::READS) && has(names::SENDS),
            Exfiltration,
            "the code sends the contents of files to the network",
        ),
        (
            network && (secrets || code_prints_environment(code)),
            EnvironmentDump,
            "the code sends the environment to the network",
        ),
        (has(names::SWITCHES_USER), PrivilegeEscalation, "the code switches to another user"),
        (drops && is_remote, CloudDestruction, "the code deletes data from a remote database"),
        (ends_parent, LoopTampering, "the code ends processes of the loop"),
        (forks, ResourceExhaustion, "the code starts processes without limit"),
        (large, ResourceExhaustion, "the code allocates memory without limit"),
    ]
    .into_iter()
    .filter(|(is_found, ..)| *is_found)
    .map(|(_, category, why)| reason(category, why))
}

pub(super) fn reason(category: Category, why: &'static str) -> Reason {
    let instead = "Use plain commands inside the project instead of this code";
    Reason { category, why, instead }
}
