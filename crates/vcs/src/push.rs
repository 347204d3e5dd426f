//! Pushes a branch to the address that a remote had before, with the user's own credentials.
//!
//! An agent can change the settings of git while it works: the remote's address, a rewriting of addresses, a proxy, a
//! program that gets passwords. So the target has all settings by which git reaches it, and the push runs in a
//! temporary repository that has these settings alone and borrows the objects.

use std::fmt;
use std::fs;
use std::io::Write;
use std::time::Instant;

use tempfile::TempDir;
use thiserror::Error;

use crate::git::GitOutput;
use crate::git_call::GitCall;
use crate::remote::PROTOCOLS;
use crate::settings::as_written;
use crate::vcs_error::disk;
use crate::{CommitId, Result, VcsError, WorkTree};

/// Where git pushes to. `url.*` is absent, because it is applied to the address already.
#[derive(Clone)]
pub struct PushTarget {
    url: String,
    settings: Vec<(String, String)>,
}

/// Without credentials, because its texts are shown.
#[derive(Debug, Error)]
pub enum PushError {
    /// Only a forced push could succeed.
    #[error("the branch has other commits on the remote")]
    OtherCommits,
    #[error("the branch is protected: {0}")]
    Protected(String),
    #[error("no permission to push: {0}")]
    Denied(String),
    #[error("the remote refused the branch: {0}")]
    Refused(String),
    #[error("cannot reach the remote: {0}")]
    Unreachable(String),
    #[error("git push failed: {0}")]
    Failed(String),
    #[error(transparent)]
    Git(#[from] VcsError),
}

const REMOTE: &str = "target";

/// Sections of settings, and settings, by which git reaches a server.
const SECTIONS: [&str; 4] = ["credential", "http", "ssh", "protocol"];
const SETTINGS: [&str; 3] = ["core.sshcommand", "core.askpass", "core.gitproxy"];

impl fmt::Debug for PushTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PushTarget")
    }
}

impl PushTarget {
    /// May contain credentials.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The text without the credentials of the address.
    fn shown(&self, text: &str) -> String {
        let credentials = self.url.split_once("://").and_then(|(_, rest)| {
            let (place, _) = rest.split_once('/').unwrap_or((rest, ""));
            place.rsplit_once('@').map(|(credentials, _)| credentials)
        });
        let Some(credentials) = credentials else { return text.to_owned() };
        let hidden = text.replace(&format!("{credentials}@"), "");
        match credentials.split_once(':') {
            Some((_, password)) if !password.is_empty() => hidden.replace(password, "***"),
            _ => hidden,
        }
    }
}

impl WorkTree {
    /// `None` without such a remote.
    pub fn push_target(&self, remote: &str, deadline: Instant) -> Result<Option<PushTarget>> {
        let settings = self.listed_settings(deadline)?;
        let prefix = format!("remote.{remote}.");
        if !settings.iter().any(|setting| setting.name.starts_with(&prefix)) {
            return Ok(None);
        }
        let args = ["get-url", "--push", "--", remote];
        let urls = GitCall::read(self, "remote").args(args).text(deadline)?;
        let connects = settings.into_iter().filter(|setting| {
            let section = setting.name.split('.').next().unwrap_or_default();
            // Those of the command are this program's, or in the environment, which the push has too.
            let is_own = setting.scope == "command";
            !is_own && (SECTIONS.contains(&section) || SETTINGS.contains(&&*setting.name))
        });
        let settings = connects.map(|setting| (setting.name, setting.value)).collect();
        let url = urls.lines().next().map(str::to_owned);
        Ok(url.map(|url| PushTarget { url, settings }))
    }

    /// Makes the branch on the remote point to `commit`, never with force. No hook runs.
    pub fn push_branch(
        &self,
        target: &PushTarget,
        commit: &CommitId,
        branch: &str,
        deadline: Instant,
    ) -> Result<(), PushError> {
        crate::refuse_invalid_branch(branch)?;
        let folder = tempfile::tempdir().map_err(VcsError::NoTemporaryFile)?;
        let from = self.borrower(&folder, target, commit, deadline)?;
        let args = ["--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no", REMOTE];
        let answer = GitCall::to_remote(folder.path(), "push")
            .in_repository(&from.top, &from.git_dir, &from.common_dir)
            .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
            .args(args)
            .args([format!("{commit}:refs/heads/{branch}")])
            .answer(deadline)?;
        if answer.status.success() { Ok(()) } else { Err(failure(&answer, target)) }
    }

    /// A repository with the settings of the target and the objects of this one.
    fn borrower(
        &self,
        folder: &TempDir,
        target: &PushTarget,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<Self> {
        let borrower = Self::new_repository(folder.path(), commit, deadline)?;
        let info = borrower.common_dir.join("objects/info");
        fs::create_dir_all(&info).map_err(disk(&info))?;
        self.lend_objects(&borrower)?;
        let (from, to) = (self.common_dir.join("shallow"), borrower.common_dir.join("shallow"));
        if from.is_file() {
            fs::copy(&from, &to).map_err(disk(&from))?;
        }
        let mut text = as_written(&format!("remote.{REMOTE}.url"), &target.url);
        let is_set = |name: &str| target.settings.iter().any(|(set, _)| set == name);
        if !is_set("core.sshcommand") && std::env::var_os("GIT_SSH").is_none() {
            // A question on the terminal could not be answered.
            text += &as_written("core.sshCommand", "ssh -o BatchMode=yes");
        }
        text.extend(target.settings.iter().map(|(name, value)| as_written(name, value)));
        let config = borrower.common_dir.join("config");
        let file = fs::OpenOptions::new().append(true).open(&config);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(disk(&config))?;
        Ok(borrower)
    }
}

fn failure(answer: &GitOutput, target: &PushTarget) -> PushError {
    let stdout = String::from_utf8_lossy(&answer.stdout);
    let refused = stdout.lines().find(|line| line.starts_with('!'));
    let message = target.shown(&message(answer, refused));
    let lower = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let is_rejected = refused.is_some_and(|line| line.contains("[rejected]"));
    if is_rejected {
        PushError::OtherCommits
    } else if says(&["protected branch", "gh006", "gh013"]) {
        PushError::Protected(message)
    } else if says(&[
        "denied",
        "authentication failed",
        "could not read username",
        "could not read password",
        "not allowed to push",
        "error: 403",
        "not found",
        "does not exist",
        "does not appear to be",
    ]) {
        PushError::Denied(message)
    } else if refused.is_some() {
        PushError::Refused(message)
    } else if says(&["could not resolve", "unable to access", "could not connect", "timed out"])
        || says(&["connection refused", "connection closed", "could not read from remote"])
    {
        PushError::Unreachable(message)
    } else {
        PushError::Failed(message)
    }
}

/// What the server says, else what git says.
fn message(answer: &GitOutput, refused: Option<&str>) -> String {
    let of_server = answer.error_lines().filter_map(|line| line.strip_prefix("remote:"));
    let of_server: Vec<&str> = of_server.map(str::trim).filter(|line| !line.is_empty()).collect();
    let reason = refused.and_then(|line| line.rsplit('\t').next());
    match (&of_server[..], reason) {
        ([], Some(reason)) => reason.to_owned(),
        ([], None) => {
            let mut lines = answer.error_lines().map(|line| line.trim_start_matches("fatal: "));
            lines.next().map_or_else(|| answer.status.to_string(), str::to_owned)
        }
        (lines, _) => lines.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_the_address_are_hidden() {
        let target = |url: &str| PushTarget { url: url.into(), settings: Vec::new() };
        let it = target("https://me:s3cret@h/o/r");
        assert_eq!(
            it.shown("fatal: 'https://me:s3cret@h/o/r': s3cret"),
            "fatal: 'https://h/o/r': ***"
        );
        assert_eq!(target("https://t0ken@h/o").shown("at https://t0ken@h/o"), "at https://h/o");
        assert_eq!(target("git@h:o/r").shown("git@h:o/r"), "git@h:o/r");
        assert_eq!(target("https://h/o:/@r").shown("https://h/o:/@r"), "https://h/o:/@r");
        assert!(!format!("{it:?}").contains("s3cret"));
    }
}
