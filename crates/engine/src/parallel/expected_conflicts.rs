//! Which stories probably change the same files.

use std::collections::BTreeSet;

use tasks::{ReviewPolicy, Selection, StoryId};

use crate::parallel::run_state::RunState;

impl RunState {
    /// The first ready story that probably changes no file of a story in work; else the first one.
    pub(crate) fn without_conflict(
        &self,
        rules: ReviewPolicy,
        held: &BTreeSet<StoryId>,
    ) -> Option<StoryId> {
        let in_work: Vec<String> = held.iter().flat_map(|story| self.touched(story)).collect();
        let (mut excluded, mut first) = (held.clone(), None);
        while let Selection::Work { story, .. } = self.selection(rules, &excluded) {
            let touched = self.touched(&story);
            let is_shared = |path: &String| in_work.iter().any(|other| overlap(path, other));
            if !touched.iter().any(is_shared) {
                return Some(story);
            }
            first = first.or(Some(story.clone()));
            excluded.insert(story);
        }
        first
    }

    /// Paths that the story names, and those that its earlier sessions changed.
    fn touched(&self, story: &StoryId) -> Vec<String> {
        let named = self.list.list.story(story).into_iter().flat_map(|story| &story.touches);
        let changed = self.run.attempts(story).iter().flat_map(|attempt| &attempt.files_modified);
        let ralph_dir = |path: &&String| path.starts_with(&self.ralph_dir);
        named.chain(changed.filter(|path| !ralph_dir(path))).cloned().collect()
    }
}

/// Whether the paths are equal, or one is a folder that contains the other. A pattern counts up to its first wildcard.
fn overlap(one: &str, other: &str) -> bool {
    let plain = |path: &str| path.split(['*', '?', '[']).next().unwrap_or_default().to_owned();
    let (one, other) = (plain(one), plain(other));
    let contains = |folder: &str, path: &str| {
        path.strip_prefix(folder).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('/') || folder.is_empty() || folder.ends_with('/')
        })
    };
    contains(&one, &other) || contains(&other, &one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_overlap_with_what_they_contain_and_patterns_with_what_they_may_match() {
        for (one, other, expected) in [
            ("src/a.rs", "src/a.rs", true),
            ("src", "src/a.rs", true),
            ("src/", "src/a/b.rs", true),
            ("src/a", "src/ab.rs", false),
            ("src/*.rs", "src/a.rs", true),
            ("docs/**", "src/a.rs", false),
            ("*", "anything", true),
        ] {
            assert_eq!(overlap(one, other), expected, "{one} {other}");
            assert_eq!(overlap(other, one), expected, "{other} {one}");
        }
    }
}
