//! Describes what a sandbox refused to a failed check, with the setting that allows it.

use std::path::Path;

use os_sandbox::refused::{RefusedAccess, RefusedPath, refused_paths};
use sandbox_network::{Refusal, Refused};

use super::confined::ConfinedProgram;

/// One sentence per refusal. `output` is the output of the check.
pub(crate) fn refusals(confined: &ConfinedProgram, output: &str, folder: &Path) -> Vec<String> {
    let paths = refused_paths(output, &confined.policy, folder);
    refused_hosts(confined).into_iter().chain(paths.iter().map(about_path)).collect()
}

/// Connections that the proxy refused since the last call, one sentence each.
pub(crate) fn refused_hosts(confined: &ConfinedProgram) -> Vec<String> {
    let hosts = confined.proxy.iter().flat_map(|proxy| proxy.take_refused());
    hosts.map(|host| about_host(&host)).collect()
}

fn about_host(Refused { host, port, why }: &Refused) -> String {
    let host = sanitize::plain(host);
    let wanted = if matches!(port, 80 | 443) { host } else { format!("{host}:{port}") };
    match why {
        Refusal::NotAllowed => format!(
            "the sandbox refused a connection to {wanted}; to allow it, add \"{wanted}\" to \
             isolation.allowedHosts"
        ),
        Refusal::LocalAddress => format!(
            "the sandbox refused a connection to {wanted}, which is an address of this machine; to allow a \
             port of it, add the port to isolation.hostPorts"
        ),
    }
}

fn about_path(RefusedPath { path, wanted }: &RefusedPath) -> String {
    let path = sanitize::plain(&path.to_string_lossy());
    match wanted {
        RefusedAccess::Read => format!(
            "the output names {path}, which the sandbox hides; to show it, add it to isolation.readablePaths"
        ),
        RefusedAccess::Write => format!(
            "the output names {path}, which is read-only in the sandbox; to make it writable, add it to \
             isolation.writablePaths"
        ),
    }
}
