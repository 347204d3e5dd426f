//! The author identity for commits.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::{VcsError, WorkTree};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub email: String,
}

impl WorkTree {
    /// From settings or environment, without a guess by git.
    pub fn identity(&self, deadline: Instant) -> Result<Option<Identity>, VcsError> {
        let settings = ["user.useConfigOnly=true"];
        let call = GitCall::with_settings(self, &settings, "var");
        let answer = call.args(["GIT_AUTHOR_IDENT"]).answer(deadline)?;
        if !answer.status.success() {
            return Ok(None);
        }
        Ok(parse(&String::from_utf8_lossy(&answer.stdout)))
    }
}

/// `Name <email> seconds zone`
fn parse(line: &str) -> Option<Identity> {
    let (rest, _) = line.rsplit_once('>')?;
    let (name, email) = rest.rsplit_once(" <")?;
    let known = !name.is_empty() && !email.is_empty();
    known.then(|| Identity { name: name.to_owned(), email: email.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_comes_before_the_address() {
        let found = parse("A <B> C <a@b.c> 1763233200 +0000\n").unwrap();
        assert_eq!((found.name.as_str(), found.email.as_str()), ("A <B> C", "a@b.c"));
        assert_eq!(parse("nonsense"), None);
    }
}
