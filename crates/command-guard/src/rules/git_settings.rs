//! Git settings that run programs, or apply to every project.

use crate::git_call::GitCall;
use crate::invocation_view::InvocationView;
use crate::words::words;

/// Why the agent may not change a setting permanently.
pub(super) fn changed(view: &InvocationView<'_>) -> Option<&'static str> {
    let call = GitCall::of(view)?;
    let words = call.texts();
    if call.command != "config" {
        return None;
    }
    let reads = words.iter().any(|word| {
        words!("--get -l --list --get-all --get-regexp get list --show-origin")
            .contains(&word.as_str())
    });
    let operands: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let is_read = reads
        || operands.len() < 2
            && !words.iter().any(|word| {
                matches!(
                    word.as_str(),
                    "--unset" | "--add" | "-e" | "--edit" | "--unset-all" | "--remove-section"
                )
            });
    if is_read {
        return None;
    }
    let has = |name: &str| words.iter().any(|word| word == name);
    if has("--system") || (has("--global") && !view.has_own_home()) {
        return Some("it changes git for every project of the user");
    }
    operands.iter().any(|name| runs_something(name)).then_some("it makes git run another program")
}

/// Settings whose values git runs.
pub(super) fn runs_something(name: &str) -> bool {
    let name = name.split('=').next().unwrap_or_default().to_ascii_lowercase();
    [
        "core.hookspath",
        "core.sshcommand",
        "core.pager",
        "core.editor",
        "core.fsmonitor",
        "core.askpass",
        "core.gitproxy",
        "sequence.editor",
        "gpg.program",
        "gpg.ssh.program",
        "init.templatedir",
        "include.path",
        "uploadpack.packobjectshook",
        "protocol.ext.allow",
        "core.alternaterefscommand",
        "diff.external",
        "interactive.difffilter",
    ]
    .contains(&name.as_str())
        || name.starts_with("alias.")
        || name.starts_with("credential.")
        || (name.starts_with("filter.") && !name.starts_with("filter.lfs"))
        || name.starts_with("includeif.")
        || name.starts_with("pager.")
        || name.starts_with("difftool.")
        || name.starts_with("mergetool.")
        || (name.starts_with("url.") && name.ends_with("insteadof"))
        || (name.starts_with("remote.") && (name.ends_with("url") || name.ends_with("proxy")))
        || (name.starts_with("diff.") && name.ends_with("command"))
        || (name.starts_with("trailer.") && (name.ends_with("command") || name.ends_with("cmd")))
        || (name.starts_with("diff.") && name.ends_with("textconv"))
        || (name.starts_with("merge.") && name.ends_with("driver"))
        || (name.starts_with("submodule.") && name.ends_with("update"))
}
