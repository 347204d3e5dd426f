//! Protects this process from other processes of the same user.

/// From here on, no unprivileged process of the same user can trace this one, access its memory or
/// take its open files. Linux only; started programs are not covered.
pub fn refuse_tracing() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Supported by every Linux.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
