//! What git is told in the sandbox, by variables: the sandbox keeps those and adds its own.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Settings of git that come after those that the session has anyway.
#[derive(Debug, Clone, Copy)]
pub struct GitSettings<'g> {
    /// The file that holds what [`super::with_stand_ins`] returned.
    pub ignores: &'g Path,
    /// How many there are before them (`GIT_CONFIG_COUNT`).
    pub there: usize,
}

impl GitSettings<'_> {
    pub(super) fn variables(&self) -> Map<String, Value> {
        let ignores = self.ignores.to_string_lossy();
        let settings = [
            ("core.excludesFile", &*ignores),
            // Keys and the agents that hold them are out of reach in it: whoever signs would have
            // every commit of the agent fail.
            ("commit.gpgSign", "false"),
            ("tag.gpgSign", "false"),
        ];
        let count = (self.there + settings.len()).to_string();
        let pairs = settings.into_iter().zip(self.there..).flat_map(|((key, value), number)| {
            [
                (format!("GIT_CONFIG_KEY_{number}"), json!(key)),
                (format!("GIT_CONFIG_VALUE_{number}"), json!(value)),
            ]
        });
        pairs.chain([("GIT_CONFIG_COUNT".to_owned(), json!(count))]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_was_told_before_stays() {
        let variables = GitSettings { ignores: Path::new("/i"), there: 2 }.variables();
        assert_eq!(variables["GIT_CONFIG_COUNT"], "5");
        assert_eq!(variables["GIT_CONFIG_KEY_2"], "core.excludesFile");
        assert_eq!(variables["GIT_CONFIG_VALUE_2"], "/i");
        assert!(!variables.contains_key("GIT_CONFIG_KEY_1"));
    }
}
