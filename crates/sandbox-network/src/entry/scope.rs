//! No abstract Unix sockets of the outside, and no signals to processes there, also where a sandbox shares the
//! network or the process numbers of the host.

use landlock::{RulesetAttr, RulesetError, Scope};

/// For this process and all that it starts. Kernels without Landlock ABI 6 (Linux 6.12) cannot.
pub(super) fn restrict() {
    // The namespaces of the sandbox stand without it.
    let _ = try_restrict();
}

/// Nothing is asked of files or the network, so the rules for those are not touched.
fn try_restrict() -> Result<(), RulesetError> {
    landlock::Ruleset::default()
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?
        .create()?
        .restrict_self()?;
    Ok(())
}
