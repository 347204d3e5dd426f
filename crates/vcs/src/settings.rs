//! git settings: the author of commits, remotes, and how files are written and compared.
//!
//! A session can change them, and a rollback would then write other line endings, or text files
//! instead of links. Settings that name programs are handled elsewhere.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::path_text::from_bytes;
use crate::{Result, WorkTree};

/// Names in git's output form, with the defaults.
const DEFAULTS: [(&str, &str); 4] = [
    ("core.autocrlf", "false"),
    ("core.eol", "native"),
    ("core.filemode", "true"),
    ("core.symlinks", "true"),
];

const NAMES: &str = r"^core\.(autocrlf|eol|filemode|symlinks)$";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub email: String,
}

/// A setting with where it comes from: `system`, `global`, `local`, `worktree`, `command`.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) scope: String,
    pub(crate) name: String,
    pub(crate) value: String,
}

impl WorkTree {
    /// All, in git's order. A name without a value means true.
    pub(crate) fn listed_settings(&self, deadline: Instant) -> Result<Vec<Setting>> {
        let args = ["--list", "-z", "--show-scope"];
        let listed = GitCall::read(self, "config").args(args).output(deadline)?;
        let mut words = listed.split(|byte| *byte == 0).map(from_bytes);
        let mut settings = Vec::new();
        while let (Some(scope), Some(setting)) = (words.next(), words.next()) {
            let (name, value) = setting.split_once('\n').unwrap_or((&setting, "true"));
            let (name, value) = (name.to_owned(), value.to_owned());
            settings.push(Setting { scope: scope.into_owned(), name, value });
        }
        Ok(settings)
    }

    /// The value of a setting that is on or off.
    pub(crate) fn is_on(&self, setting: &str, deadline: Instant) -> Result<bool> {
        let call = GitCall::read(self, "config").args(["--type=bool", "--get", setting]);
        Ok(call.output_if_yes(deadline)?.is_some_and(|value| value.starts_with(b"true")))
    }

    /// The settings in `DEFAULTS`, set or not.
    pub(crate) fn write_settings(&self, deadline: Instant) -> Result<BTreeMap<String, String>> {
        let call = GitCall::read(self, "config").args(["-z", "--get-regexp", NAMES]);
        Ok(parse(&call.output_if_yes(deadline)?.unwrap_or_default()))
    }

    /// From settings or environment, without a guess by git.
    pub fn identity(&self, deadline: Instant) -> Result<Option<Identity>> {
        let settings = ["user.useConfigOnly=true"];
        let call = GitCall::with_settings(self, &settings, "var");
        let answer = call.args(["GIT_AUTHOR_IDENT"]).answer(deadline)?;
        if !answer.status.success() {
            return Ok(None);
        }
        Ok(identity_in(&String::from_utf8_lossy(&answer.stdout)))
    }

    /// The push remote of a branch; `None` if the repository has no remote.
    pub fn remote_of(&self, branch: &str, deadline: Instant) -> Result<Option<String>> {
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
        let output = GitCall::read(self, "remote").text(deadline)?;
        let names: Vec<&str> = output.lines().collect();
        // As in git: among several, only one named `origin`.
        let remote = match names[..] {
            [only] => Some(only),
            _ => names.into_iter().find(|name| *name == "origin"),
        };
        Ok(remote.map(str::to_owned))
    }

    /// Where a remote is fetched from, as git sees it with `url.*.insteadOf`; `None` without such a remote.
    pub fn remote_url(&self, remote: &str, deadline: Instant) -> Result<Option<String>> {
        let setting = format!("remote.{remote}.url");
        let call = GitCall::read(self, "config").args(["--get-all", &setting]);
        if call.output_if_yes(deadline)?.is_none() {
            return Ok(None);
        }
        let url = GitCall::read(self, "remote").args(["get-url", "--", remote]).text(deadline)?;
        Ok(url.lines().next().map(str::to_owned))
    }

    /// The addresses of all remotes in the settings.
    pub fn remote_urls(&self, deadline: Instant) -> Result<Vec<String>> {
        let args = ["-z", "--get-regexp", r"^remote\..*\.(push)?url$"];
        let printed = GitCall::read(self, "config").args(args).output_if_yes(deadline)?;
        let printed = String::from_utf8_lossy(&printed.unwrap_or_default()).into_owned();
        // A line break separates key and value.
        let urls = printed.split('\0').filter_map(|setting| setting.split_once('\n'));
        Ok(urls.map(|(_, url)| url.to_owned()).collect())
    }

    /// Whether `git pull` has a configured upstream branch.
    pub fn has_upstream(&self, branch: &str, deadline: Instant) -> Result<bool> {
        let setting = format!("branch.{branch}.merge");
        let call = GitCall::read(self, "config").args(["--get-all", &setting]);
        Ok(call.output_if_yes(deadline)?.is_some())
    }
}

/// The last value of a name counts.
fn parse(output: &[u8]) -> BTreeMap<String, String> {
    let output = String::from_utf8_lossy(output);
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let set = output.split('\0').filter(|setting| !setting.is_empty());
    // A name without a value means true.
    let set = set.map(|setting| setting.split_once('\n').unwrap_or((setting, "true")));
    let mut settings: BTreeMap<String, String> = DEFAULTS.map(owned).into_iter().collect();
    let set: BTreeMap<String, String> = set.map(owned).collect();
    // With native CRLF, git rejects the combination of both.
    if set.get("core.autocrlf").is_some_and(|value| value == "input") {
        settings.insert("core.eol".to_owned(), "lf".to_owned());
    }
    settings.extend(set);
    settings
}

/// A setting in the syntax of git's files: `section.subsection.key`, where the middle part may contain dots.
pub(crate) fn as_written(name: &str, value: &str) -> String {
    let quoted = |text: &str| {
        let text = text.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n");
        format!("\"{text}\"")
    };
    let (section, rest) = name.split_once('.').unwrap_or((name, ""));
    let (subsection, key) = match rest.rsplit_once('.') {
        Some((subsection, key)) => (format!(" {}", quoted(subsection)), key),
        None => (String::new(), rest),
    };
    format!("[{section}{subsection}]\n\t{key} = {}\n", quoted(value))
}

/// `Name <email> seconds zone`
fn identity_in(line: &str) -> Option<Identity> {
    let (rest, _) = line.rsplit_once('>')?;
    let (name, email) = rest.rsplit_once(" <")?;
    let known = !name.is_empty() && !email.is_empty();
    known.then(|| Identity { name: name.to_owned(), email: email.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(output: &[u8]) -> Vec<String> {
        parse(output).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn unset_settings_have_the_default_of_git() {
        let defaults = DEFAULTS.map(|(name, value)| format!("{name}={value}"));
        assert_eq!(shown(b""), defaults);
        assert_eq!(shown(b"core.autocrlf\ninput\0")[..2], ["core.autocrlf=input", "core.eol=lf"]);
    }

    #[test]
    fn the_last_value_counts_and_a_missing_value_is_true() {
        let output = b"core.autocrlf\nfalse\0core.eol\ncrlf\0core.filemode\nfalse\0core.autocrlf\0";
        assert_eq!(
            shown(output),
            ["core.autocrlf=true", "core.eol=crlf", "core.filemode=false", "core.symlinks=true"]
        );
    }

    #[test]
    fn the_name_comes_before_the_address() {
        let found = identity_in("A <B> C <a@b.c> 1763233200 +0000\n").unwrap();
        assert_eq!((found.name.as_str(), found.email.as_str()), ("A <B> C", "a@b.c"));
        assert_eq!(identity_in("nonsense"), None);
    }
}
