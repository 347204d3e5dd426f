//! A changed file, before and after.

#[derive(Debug, Clone, Copy)]
pub struct FileChange<'a> {
    /// The current path, or the old one if the file was removed.
    pub path: &'a str,
    /// `None` for a new file.
    pub before: Option<&'a str>,
    /// `None` for a removed file.
    pub after: Option<&'a str>,
    /// The old path of a renamed file. A rename given as deletion plus addition is also recognized.
    pub old_path: Option<&'a str>,
}
