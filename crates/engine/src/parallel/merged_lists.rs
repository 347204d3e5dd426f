//! The files of the ralph folder after a merge: they are data, so no text is merged.

use tasks::{EditError, StoryId};

use crate::lane::TaskText;

/// The versions of a file.
pub(crate) struct Versions<T> {
    /// Where the work began.
    pub(crate) start: T,
    /// On the run's branch.
    pub(crate) run: T,
    /// In the work of the story.
    pub(crate) story: T,
}

/// The list of the run's branch with the progress of `story`.
pub(crate) fn task_list(
    versions: &Versions<&TaskText>,
    story: &StoryId,
) -> Result<String, EditError> {
    let Versions { start, run, story: work } = versions;
    if start.text == run.text {
        return Ok(work.text.clone());
    }
    match work.list.story(story) {
        Some(story) => tasks::with_progress_of(&run.text, story),
        None => Ok(run.text.clone()),
    }
}

/// The notes of the run's branch, and after them those that the work added.
pub(crate) fn notes(versions: &Versions<&str>) -> String {
    let Versions { start, run, story } = versions;
    if start == run {
        return (*story).to_owned();
    }
    let added: Vec<&str> = match story.strip_prefix(start) {
        Some(added) => added.lines().collect(),
        // Rewritten: what it did not contain before is new.
        None => story.lines().filter(|line| !start.lines().any(|old| old == *line)).collect(),
    };
    let mut notes = (*run).to_owned();
    if !notes.is_empty() && !notes.ends_with('\n') {
        notes.push('\n');
    }
    added.iter().for_each(|line| notes.extend([line, "\n"]));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(statuses: [&str; 2]) -> TaskText {
        let story = |(id, status): (&str, &str)| {
            let passes = status == "approved";
            format!(
                r#"{{"id":"{id}","title":"t","acceptanceCriteria":["c"],"priority":1,"passes":{passes},
                "reviewStatus":"{status}","reviewCount":1,"reviewFeedback":"","notes":"{status}"}}"#
            )
        };
        let stories = ["US-1", "US-2"].into_iter().zip(statuses).map(story);
        let text = format!(
            r#"{{"project":"p","branchName":"b","description":"d","userStories":[{}]}}"#,
            stories.collect::<Vec<_>>().join(",")
        );
        TaskText::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn only_the_progress_of_the_story_is_taken_over() {
        let id = StoryId::new("US-2").unwrap();
        let start = list(["needs_review", "needs_review"]);
        let work = list(["changes_requested", "approved"]);
        let run = list(["approved", "needs_review"]);
        let merged = |run: &TaskText| {
            task_list(&Versions { start: &start, run, story: &work }, &id).unwrap()
        };
        assert_eq!(merged(&run), list(["approved", "approved"]).text);
        // The run's list is as it was: plan changes of the work are kept too.
        assert_eq!(merged(&start), work.text);
    }

    #[test]
    fn notes_of_both_are_kept() {
        let merged = |start, run, story| notes(&Versions { start, run, story });
        assert_eq!(merged("a\n", "a\n", "new"), "new");
        assert_eq!(merged("a\n", "a\nb\n", "a\nc\n"), "a\nb\nc\n");
        assert_eq!(merged("a", "a\nb", "a\nc"), "a\nb\n\nc\n");
        assert_eq!(merged("", "b\n", "c\n"), "b\nc\n");
        assert_eq!(merged("a\nold\n", "a\nb\n", "a\nc\n"), "a\nb\nc\n");
    }
}
