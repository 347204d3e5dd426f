//! Lists tracked files.

use std::time::Instant;

use crate::{VcsError, WorkTree};

impl WorkTree {
    /// Every path in the index of the whole repository. Fails if the output exceeds the limit.
    pub fn tracked(&self, deadline: Instant) -> Result<Vec<String>, VcsError> {
        Ok(self.indexed(deadline)?.iter().map(|path| self.project_path(path)).collect())
    }
}
