//! Keeps other processes of the same user out of this one.

/// From now on no process of the same user, unless it is privileged, can trace this one, read or change its
/// memory, or take over its open files. Only on Linux; programs that this one starts are not covered.
pub fn refuse_tracing() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Every Linux can.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
