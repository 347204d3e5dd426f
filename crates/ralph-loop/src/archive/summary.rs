//! `summary.md`: the result of an archived loop.

use std::fmt;

use chrono::NaiveDate;
use tasks::{Inspection, ReviewStatus, Story, TaskList};

use crate::run_report::concerns_at_cap;
use crate::scaffold::one_line;

pub(super) const FILE: &str = "summary.md";

const LONGEST_DATE: usize = 40;
const MOST_PROBLEMS: usize = 20;

#[derive(Debug)]
pub(super) struct Summary<'i> {
    inspection: &'i Inspection,
    /// From progress.txt, where a person can have written anything.
    started: Option<String>,
    archived: NaiveDate,
}

impl<'i> Summary<'i> {
    pub(super) fn of(inspection: &'i Inspection, progress: &str, archived: NaiveDate) -> Self {
        let started = progress.lines().find_map(|line| line.strip_prefix("Started:"));
        let started: Option<String> =
            started.map(|date| one_line(date.trim()).chars().take(LONGEST_DATE).collect());
        Self { inspection, started: started.filter(|date| !date.is_empty()), archived }
    }

    pub(super) fn result(&self) -> String {
        match &self.inspection.list {
            Some(list) => {
                let done = list.stories.iter().filter(|story| story.passes).count();
                format!("{done} of {} stories done", list.stories.len())
            }
            None if self.inspection.problems.is_empty() => "no task list".to_owned(),
            None => "unreadable task list".to_owned(),
        }
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inspection { list, problems, .. } = self.inspection;
        let list = list.as_ref();
        let project = list.map(|list| one_line(&list.project)).unwrap_or_default();
        let project = if project.trim().is_empty() { "a loop".to_owned() } else { project };
        writeln!(f, "# Archive of {project}\n")?;
        let started = self.started.as_deref().unwrap_or("unknown");
        writeln!(f, "- From {started} to {}", self.archived)?;
        writeln!(f, "- Result: {}", self.result())?;
        if let Some(list) = list {
            let reviews: u128 = list.stories.iter().map(|s| u128::from(s.review_count)).sum();
            writeln!(f, "- Reviews: {reviews}")?;
            writeln!(f, "- Branch: {}", one_line(&list.branch_name))?;
            if !list.description.trim().is_empty() {
                writeln!(f, "\n{}", one_line(list.description.trim()))?;
            }
            write_stories(f, list)?;
        }
        if !problems.is_empty() {
            writeln!(f, "\n## Problems in tasks.json\n")?;
            for problem in problems.iter().take(MOST_PROBLEMS) {
                writeln!(f, "- {problem}")?;
            }
            let more = problems.len().saturating_sub(MOST_PROBLEMS);
            if more > 0 {
                writeln!(f, "- and {more} more")?;
            }
        }
        Ok(())
    }
}

fn write_stories(f: &mut fmt::Formatter<'_>, list: &TaskList) -> fmt::Result {
    writeln!(f, "\n## Stories\n")?;
    writeln!(f, "| story | title | status | reviews |")?;
    writeln!(f, "|---|---|---|---:|")?;
    for story in &list.stories {
        let (title, status) = (cell(&story.title), status(story));
        writeln!(f, "| {} | {title} | {status} | {} |", story.id, story.review_count)?;
    }
    let at_cap = list.stories.iter().filter(|story| is_at_cap(story));
    let concerns = at_cap.map(|story| (story, story.review_feedback.as_str()));
    write_texts(f, "Approved at the review cap: check these yourself", concerns)?;
    write_texts(f, "Notes", list.stories.iter().map(|story| (story, story.notes.as_str())))
}

fn write_texts<'s>(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    texts: impl Iterator<Item = (&'s Story, &'s str)>,
) -> fmt::Result {
    let mut texts = texts.filter(|(_, text)| !text.trim().is_empty()).peekable();
    if texts.peek().is_some() {
        writeln!(f, "\n## {heading}\n")?;
    }
    texts.try_for_each(|(story, text)| writeln!(f, "- **{}** {}", story.id, one_line(text.trim())))
}

fn status(story: &Story) -> &'static str {
    match (story.passes, story.review_status) {
        (true, ReviewStatus::Approved) if is_at_cap(story) => "approved at the cap",
        (true, ReviewStatus::Approved) => "approved",
        (true, _) => "done, not reviewed",
        (false, ReviewStatus::NeedsReview) => "needs review",
        (false, ReviewStatus::ChangesRequested) => "changes requested",
        (false, _) => "open",
    }
}

fn is_at_cap(story: &Story) -> bool {
    story.passes && concerns_at_cap(&story.review_feedback).is_some()
}

fn cell(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORIES: &str = r#"{"project": "Shop", "branchName": "ralph/shop", "description": "Sells",
      "userStories": [
        {"id": "US-001", "title": "a | b\nc", "acceptanceCriteria": ["x"], "priority": 1,
         "passes": true, "reviewStatus": "approved", "reviewCount": 2, "reviewFeedback": "",
         "notes": "in\nsrc/a.rs"},
        {"id": "US-002", "title": "hard", "acceptanceCriteria": ["x"], "priority": 2,
         "passes": true, "reviewStatus": "approved", "reviewCount": 5,
         "reviewFeedback": "[AUTO-APPROVED AT CAP] slow", "notes": "n"},
        {"id": "US-003", "title": "quick", "acceptanceCriteria": ["x"], "priority": 3,
         "passes": true, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "n"},
        {"id": "US-004", "title": "open", "acceptanceCriteria": ["x"], "priority": 4,
         "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": ""}]}"#;

    fn summary(tasks: Option<&str>, progress: &str) -> String {
        let inspection = tasks.map(|text| tasks::inspect(text.as_bytes())).unwrap_or_default();
        let day = NaiveDate::from_ymd_opt(2026, 3, 9).unwrap();
        Summary::of(&inspection, progress, day).to_string()
    }

    #[test]
    fn every_story_has_a_row_and_open_concerns_are_listed() {
        let text = summary(Some(STORIES), "# Log\nStarted: 2026-03-01\n");
        for line in [
            "# Archive of Shop",
            "- From 2026-03-01 to 2026-03-09",
            "- Result: 3 of 4 stories done",
            "- Reviews: 7",
            "| US-001 | a \\| b c | approved | 2 |",
            "| US-002 | hard | approved at the cap | 5 |",
            "| US-003 | quick | done, not reviewed | 0 |",
            "| US-004 | open | open | 0 |",
            "- **US-002** [AUTO-APPROVED AT CAP] slow",
            "- **US-001** in src/a.rs",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n---\n{text}");
        }
    }

    #[test]
    fn an_unreadable_list_is_reported() {
        let text = summary(Some("{"), "Started: \n");
        assert!(text.contains("- From unknown to 2026-03-09\n"), "{text}");
        assert!(text.contains("- Result: unreadable task list\n"), "{text}");
        assert!(text.contains("the file is not valid JSON"), "{text}");
        assert!(summary(None, "").contains("- Result: no task list\n"));
    }
}
