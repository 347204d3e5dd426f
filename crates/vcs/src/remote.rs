//! Determines where a branch is pushed to.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::{VcsError, WorkTree};

impl WorkTree {
    /// The push remote of a branch; `None` if the repository has no remote.
    pub fn remote_of(&self, branch: &str, deadline: Instant) -> Result<Option<String>, VcsError> {
        let settings = [
            format!("branch.{branch}.pushRemote"),
            "remote.pushDefault".to_owned(),
            format!("branch.{branch}.remote"),
        ];
        for setting in &settings {
            let call = GitCall::read(self, "config").args(["--get", setting]);
            let name = call.output_if_yes(deadline)?.unwrap_or_default();
            let name = String::from_utf8_lossy(&name).trim_end().to_owned();
            // A dot means this repository.
            if !name.is_empty() && name != "." {
                return Ok(Some(name));
            }
        }
        let output = GitCall::read(self, "remote").output(deadline)?;
        let output = String::from_utf8_lossy(&output);
        let names: Vec<&str> = output.lines().collect();
        // As in git: among several, only one named `origin`.
        let remote = match names[..] {
            [only] => Some(only),
            _ => names.into_iter().find(|name| *name == "origin"),
        };
        Ok(remote.map(str::to_owned))
    }

    /// The addresses of all remotes in the settings.
    pub fn remote_urls(&self, deadline: Instant) -> Result<Vec<String>, VcsError> {
        let args = ["-z", "--get-regexp", r"^remote\..*\.(push)?url$"];
        let printed = GitCall::read(self, "config").args(args).output_if_yes(deadline)?;
        let printed = String::from_utf8_lossy(&printed.unwrap_or_default()).into_owned();
        // A line break separates key and value.
        let urls = printed.split('\0').filter_map(|setting| setting.split_once('\n'));
        Ok(urls.map(|(_, url)| url.to_owned()).collect())
    }

    /// Whether `git pull` has a configured upstream branch.
    pub fn has_upstream(&self, branch: &str, deadline: Instant) -> Result<bool, VcsError> {
        let setting = format!("branch.{branch}.merge");
        let call = GitCall::read(self, "config").args(["--get-all", &setting]);
        Ok(call.output_if_yes(deadline)?.is_some())
    }
}
