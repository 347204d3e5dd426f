//! A story made from an issue or a Markdown task list, and what could not be mapped.

use std::collections::{BTreeMap, BTreeSet};

use derive_more::Display;
use tasks::{StoryDraft, StoryId};

use crate::untrusted::cut;

/// Characters and entries of a story. What is longer is cut, and noted.
pub(crate) const MOST_TITLE: usize = 200;
pub(crate) const MOST_DESCRIPTION: usize = 16_000;
pub(crate) const MOST_CRITERION: usize = 1000;
pub(crate) const MOST_CRITERIA: usize = 50;

/// Something that was not mapped, or not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[display("{about}: {what}: {why}")]
pub struct Note {
    /// The issue as `#12`, or the place in the file.
    pub about: String,
    pub what: String,
    pub why: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Import {
    /// They pass the schema of a task list.
    pub stories: Vec<StoryDraft>,
    pub notes: Vec<Note>,
}

/// The text of a story before its limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StoryText {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) criteria: Vec<String>,
}

impl StoryText {
    /// A story within all limits; `notes` says what was cut. `about` is for the notes.
    pub(crate) fn into_story(
        self,
        id: StoryId,
        source: String,
        about: &str,
        notes: &mut Vec<Note>,
    ) -> StoryDraft {
        let text = self;
        let mut note = |what: String, why: &str| notes.push(Note::new(about, &what, why));
        let title = cut(text.title.clone(), MOST_TITLE);
        let mut description = text.description.trim().to_owned();
        if title != text.title {
            note("title".into(), "it is longer than 200 characters; the description has all of it");
            description = format!("{}\n\n{description}", text.title);
        }
        let short = cut(description.clone(), MOST_DESCRIPTION);
        if short != description {
            note("description".into(), "it is longer than 16,000 characters; the end is left out");
        }
        let mut seen = BTreeSet::new();
        let mut criteria = Vec::new();
        for criterion in text.criteria {
            let short = cut(criterion.trim().to_owned(), MOST_CRITERION);
            if short != criterion.trim() {
                note(
                    format!("criterion {:?}", cut(criterion, 60)),
                    "it is cut at 1,000 characters",
                );
            }
            if short.contains(char::is_alphanumeric) && seen.insert(short.clone()) {
                criteria.push(short);
            }
        }
        if criteria.len() > MOST_CRITERIA {
            let left_out = criteria.len() - MOST_CRITERIA;
            note(format!("{left_out} criteria"), "a story has at most 50; split it");
            criteria.truncate(MOST_CRITERIA);
        }
        if criteria.is_empty() {
            note("acceptance criteria".into(), "none were found; the title became the criterion");
            criteria.push(format!("The change is complete and tested: {title}"));
        }
        let story = StoryDraft::new(id, title, short, criteria);
        StoryDraft { source: Some(source), ..story }
    }
}

impl Note {
    pub(crate) fn new(about: &str, what: &str, why: &str) -> Self {
        let short = |text: &str| cut(sanitize::line(text), 300);
        Self { about: short(about), what: short(what), why: short(why) }
    }
}

/// Adds a dependency unless it closes a cycle, which a task list must not have.
pub(crate) fn depend(stories: &mut [StoryDraft], story: &StoryId, on: &StoryId) -> bool {
    let by_id: BTreeMap<&StoryId, &StoryDraft> =
        stories.iter().map(|each| (&each.id, each)).collect();
    let mut reached: BTreeSet<&StoryId> = BTreeSet::new();
    let mut open = vec![on];
    while let Some(id) = open.pop() {
        if id == story {
            return false;
        }
        if reached.insert(id) {
            open.extend(by_id.get(id).into_iter().flat_map(|found| &found.depends_on));
        }
    }
    let found = stories.iter_mut().find(|each| each.id == *story);
    if let Some(story) = found.filter(|story| !story.depends_on.contains(on)) {
        story.depends_on.push(on.clone());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(title: &str, criteria: &[String]) -> (StoryDraft, Vec<String>) {
        let text = StoryText {
            title: title.to_owned(),
            description: "d".into(),
            criteria: criteria.to_vec(),
        };
        let (id, mut notes) = (StoryId::new("A").unwrap(), Vec::new());
        let story = text.into_story(id, "u".into(), "#1", &mut notes);
        (story, notes.into_iter().map(|note| note.what).collect())
    }

    #[test]
    fn a_story_keeps_its_limits_and_says_what_was_cut() {
        let (found, notes) = story("t", &["b".into(), " b ".into(), " - ".into(), "a".into()]);
        assert_eq!((found.acceptance_criteria, notes), (vec!["b".into(), "a".into()], vec![]));
        let many: Vec<String> = (0..60).map(|number| format!("c{number}")).collect();
        let (found, notes) = story(&"t".repeat(300), &many);
        assert_eq!(found.title.chars().count(), MOST_TITLE);
        assert!(found.description.starts_with(&"t".repeat(300)), "the whole title");
        assert_eq!(found.acceptance_criteria.len(), MOST_CRITERIA);
        assert_eq!(notes, ["title", "10 criteria"]);
        let (found, notes) = story("t", &["c".repeat(2000)]);
        assert_eq!(found.acceptance_criteria[0].chars().count(), MOST_CRITERION);
        assert_eq!(notes.len(), 1);
        let (found, notes) = story("Round sums", &[]);
        assert_eq!(found.acceptance_criteria, ["The change is complete and tested: Round sums"]);
        assert_eq!(notes, ["acceptance criteria"]);
    }

    #[test]
    fn a_dependency_that_closes_a_cycle_is_not_added() {
        let (first, _) = story("t", &[]);
        let ids = ["A", "B", "C"].map(|id| StoryId::new(id).unwrap());
        let mut stories = ids.each_ref().map(|id| StoryDraft { id: id.clone(), ..first.clone() });
        let [a, b, c] = &ids;
        assert!(depend(&mut stories, a, b) && depend(&mut stories, b, c));
        assert!(depend(&mut stories, a, b), "it has it already");
        assert!(!depend(&mut stories, c, a) && !depend(&mut stories, a, a));
        assert_eq!(stories[0].depends_on, vec![b.clone()]);
        assert!(stories[2].depends_on.is_empty());
    }
}
