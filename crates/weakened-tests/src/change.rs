//! One file of a change, before and after.

#[derive(Debug, Clone, Copy)]
pub struct FileChange<'a> {
    /// Where the file is now, or was if it is gone.
    pub path: &'a str,
    /// `None`: there was no such file.
    pub before: Option<&'a str>,
    /// `None`: the file is gone.
    pub after: Option<&'a str>,
    /// Where it was, if it was renamed. A rename told as a deletion and a new file is understood too.
    pub old_path: Option<&'a str>,
}
