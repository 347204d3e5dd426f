//! Protects this process from others, and its children from files that it inherited.

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

/// From here on, started programs do not inherit file descriptors: a shell may leave some open, and a sandbox does
/// not close them. Call it first in `main`.
pub fn close_inherited_files_on_exec() {
    #[cfg(unix)]
    close_fds::set_fds_cloexec(3, &[]);
}
