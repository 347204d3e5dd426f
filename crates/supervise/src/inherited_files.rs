//! Files that were open when this program was started: a shell may have left some, and a sandbox does not close them.

/// From now on no program that this one starts gets them. For the first line of a `main`.
pub fn keep_inherited_files() {
    #[cfg(unix)]
    close_fds::set_fds_cloexec(3, &[]);
}
