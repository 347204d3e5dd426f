//! Keys that the kernel keeps for the user, such as Kerberos tickets, belong to a session that programs inherit.

/// A session of its own for this process and all that it starts, without keys.
pub(super) fn forget() {
    // A kernel without keys has none to be read.
    let _ = keyutils::Keyring::join_anonymous_session();
}
