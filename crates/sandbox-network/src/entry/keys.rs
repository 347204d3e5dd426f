//! Separates the process from the user's kernel keys (such as Kerberos tickets), which processes inherit.

/// Joins a new, empty session keyring for this process and its children.
pub(super) fn forget() {
    // A kernel without key support has no keys to protect.
    let _ = keyutils::Keyring::join_anonymous_session();
}
