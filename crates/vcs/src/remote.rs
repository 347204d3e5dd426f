//! Where a branch is pushed to.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::{VcsError, WorkTree};

impl WorkTree {
    /// The remote that a branch is pushed to, or would be; none if the repository has none.
    pub fn remote_of(&self, branch: &str, deadline: Instant) -> Result<Option<String>, VcsError> {
        let settings = [
            format!("branch.{branch}.pushRemote"),
            "remote.pushDefault".to_owned(),
            format!("branch.{branch}.remote"),
        ];
        for setting in &settings {
            let call = GitCall::read(self, "config").args(["--get", setting]);
            if let Some(name) = call.output_if_yes(deadline)? {
                return Ok(Some(String::from_utf8_lossy(&name).trim_end().to_owned()));
            }
        }
        let output = GitCall::read(self, "remote").output(deadline)?;
        let output = String::from_utf8_lossy(&output);
        let mut names = output.lines();
        let origin = names.clone().find(|name| *name == "origin");
        Ok(origin.or_else(|| names.next()).map(str::to_owned))
    }
}
