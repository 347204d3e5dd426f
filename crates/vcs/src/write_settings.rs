//! Settings that decide how git writes a file and when it takes one for unchanged.
//!
//! Whoever works in a repository can change them, and files would come back with other line endings
//! or as texts in the place of links. Not here: programs that settings name.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::{VcsError, WorkTree};

/// As git prints their names, with what holds if nobody set them.
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

/// The last one of a name counts.
fn parse(output: &[u8]) -> BTreeMap<String, String> {
    let output = String::from_utf8_lossy(output);
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let set = output.split('\0').filter(|setting| !setting.is_empty());
    // A name alone says yes.
    let set = set.map(|setting| setting.split_once('\n').unwrap_or((setting, "true")));
    let mut settings: BTreeMap<String, String> = DEFAULTS.map(owned).into_iter().collect();
    let set: BTreeMap<String, String> = set.map(owned).collect();
    // Where lines natively end in two characters, git takes the two for a contradiction.
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
    fn what_is_not_set_is_what_git_takes_it_for() {
        let defaults = DEFAULTS.map(|(name, value)| format!("{name}={value}"));
        assert_eq!(shown(b""), defaults);
        assert_eq!(shown(b"core.autocrlf\ninput\0")[..2], ["core.autocrlf=input", "core.eol=lf"]);
    }

    #[test]
    fn the_last_of_a_name_counts_and_a_name_alone_says_yes() {
        let output = b"core.autocrlf\nfalse\0core.eol\ncrlf\0core.filemode\nfalse\0core.autocrlf\0";
        assert_eq!(
            shown(output),
            ["core.autocrlf=true", "core.eol=crlf", "core.filemode=false", "core.symlinks=true"]
        );
    }
}
