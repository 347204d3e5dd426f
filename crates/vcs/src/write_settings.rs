//! git settings that affect how files are written and compared.
//!
//! A session can change them, and a rollback would then write other line endings, or text files
//! instead of links. Settings that name programs are handled elsewhere.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::{VcsError, WorkTree};

/// Names in git's output form, with the defaults.
const DEFAULTS: [(&str, &str); 4] = [
    ("core.autocrlf", "false"),
    ("core.eol", "native"),
    ("core.filemode", "true"),
    ("core.symlinks", "true"),
];

const NAMES: &str = r"^core\.(autocrlf|eol|filemode|symlinks)$";

impl WorkTree {
    /// All of them, set or not.
    pub(crate) fn write_settings(
        &self,
        deadline: Instant,
    ) -> Result<BTreeMap<String, String>, VcsError> {
        let call = GitCall::read(self, "config").args(["-z", "--get-regexp", NAMES]);
        Ok(parse(&call.output_if_yes(deadline)?.unwrap_or_default()))
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
}
