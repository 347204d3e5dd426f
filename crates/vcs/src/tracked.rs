//! The names that git knows.

use std::time::Instant;

use crate::{VcsError, WorkTree};

impl WorkTree {
    /// Every path in the index, in the whole repository. More names than git may print here are an
    /// error.
    pub fn tracked(&self, deadline: Instant) -> Result<Vec<String>, VcsError> {
        let names = self.indexed(deadline)?;
        let names = names.iter().filter(|name| !name.is_empty());
        Ok(names.map(|name| self.prefix.relative(name)).collect())
    }
}
