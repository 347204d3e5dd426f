//! Refuses abstract Unix sockets and signals of processes outside, also where a sandbox shares the host's
//! network or process ids.

use landlock::{RulesetAttr, RulesetError, Scope};

/// Applies to this process and its children. Needs Landlock ABI 6 (Linux 6.12).
pub(super) fn restrict() {
    // Optional: the sandbox's namespaces work without it.
    let _ = try_restrict();
}

/// Leaves access to files and the network unchanged.
fn try_restrict() -> Result<(), RulesetError> {
    landlock::Ruleset::default()
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?
        .create()?
        .restrict_self()?;
    Ok(())
}
