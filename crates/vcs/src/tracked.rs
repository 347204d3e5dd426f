//! The names that git knows.

use std::time::Instant;

use crate::{VcsError, WorkTree};

impl WorkTree {
    /// Every path in the index, in the whole repository. More names than git may print here are an
    /// error.
    pub fn tracked(&self, deadline: Instant) -> Result<Vec<String>, VcsError> {
        Ok(self.indexed(deadline)?.iter().map(|path| self.given(path)).collect())
    }
}
