//! Closes inherited file descriptors for child processes: a shell may leave some open, and a
//! sandbox does not close them.

/// From here on, started programs do not inherit them. Call it first in `main`.
pub fn close_inherited_files_on_exec() {
    #[cfg(unix)]
    close_fds::set_fds_cloexec(3, &[]);
}
