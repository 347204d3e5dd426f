//! The user's files, which no session may change.

use std::collections::BTreeMap;

use project::{Layout, ProtectedChange};

use crate::RunError;
use crate::own_file::{put, remove};
use crate::workspace::core::Workspace;

pub(crate) const LARGEST_PROTECTED: u64 = 64 * 1024 * 1024;

/// The current contents of the user's files, and of `more` that the session must not change.
pub(crate) fn protected_contents<'m>(
    layout: &Layout,
    more: impl IntoIterator<Item = &'m str>,
) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let contents = bounded_read::read_file(&layout.root().join(&name), LARGEST_PROTECTED);
        Some((name, contents.ok()?))
    };
    let more = more.into_iter().map(str::to_owned);
    layout.protected_names().into_iter().chain(more).filter_map(read).collect()
}

impl Workspace<'_> {
    /// Restores one of the user's files from `contents`. Returns false if its contents are lost.
    pub(crate) fn restore(
        &mut self,
        change: &ProtectedChange,
        contents: &BTreeMap<String, Vec<u8>>,
    ) -> Result<bool, RunError> {
        let path = change.path();
        let on_disk = self.layout.root().join(path);
        let disk = |error| RunError::Disk { path: path.to_owned(), error };
        self.links.remove_new(self.layout.root(), &on_disk).map_err(disk)?;
        let done = match (change, contents.get(path)) {
            (ProtectedChange::Created { .. }, _) => remove(&on_disk),
            (ProtectedChange::Replaced { .. }, Some(contents)) => {
                remove(&on_disk).and_then(|()| put(self.layout.root(), &on_disk, contents))
            }
            (_, Some(contents)) => put(self.layout.root(), &on_disk, contents),
            // The runner with its contents was killed, and the copy has another digest.
            (_, None) => {
                self.sink.warn(format!("{path} changed and cannot be restored; check it"));
                return Ok(false);
            }
        };
        done.map_err(disk)?;
        Ok(true)
    }
}
