//! Builds a handoff for an iteration that left none, from known facts, so that the chain never
//! breaks. It does not interpret the agent's text as bugs or decisions.

use itertools::Itertools;

use crate::clean::{cut, one_line};
use crate::handoff::{FileTouched, Handoff, TaskCompleted};

const LONGEST_SUMMARY: usize = 600;
const LONGEST_SUBJECT: usize = 100;
const MOST_SUBJECTS: usize = 10;
const MOST_FILES: usize = 200;

#[derive(Debug, Clone, Copy)]
pub struct FallbackInput<'a> {
    pub story: &'a str,
    /// The agent's last message.
    pub text: &'a str,
    /// The subjects of the iteration's commits.
    pub commits: &'a [String],
    /// As git reports them.
    pub files: &'a [FileTouched],
}

/// Never complete, because the agent did not claim it.
pub fn fallback(input: &FallbackInput<'_>) -> Handoff {
    let commits = subjects(input.commits);
    let paragraph = first_paragraph(input.text);
    let (summary, recommendations) = match (paragraph, commits) {
        (Some(paragraph), commits) => (paragraph, commits.into_iter().collect()),
        (None, Some(commits)) => (commits, Vec::new()),
        (None, None) => ("the iteration left no handoff".to_owned(), Vec::new()),
    };
    let task_id = input.story.to_owned();
    Handoff {
        task_completed: TaskCompleted { task_id, summary, fully_complete: false },
        recommendations,
        files_touched: input.files.iter().take(MOST_FILES).cloned().collect(),
        ..Handoff::default()
    }
}

fn subjects(commits: &[String]) -> Option<String> {
    let subjects = commits.iter().map(|subject| cut(&one_line(subject), LONGEST_SUBJECT));
    let listed = subjects.filter(|subject| !subject.is_empty()).take(MOST_SUBJECTS).join("; ");
    (!listed.is_empty()).then(|| cut(&format!("Commits: {listed}"), LONGEST_SUMMARY))
}

/// The first consecutive lines of prose: no heading, code, table or JSON.
fn first_paragraph(text: &str) -> Option<String> {
    let mut paragraph = String::new();
    let mut fence = None;
    for line in text.lines().map(str::trim) {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(_), _) if fence == mark => fence = None,
            (Some(_), _) => continue,
            (None, None) if is_prose(line) => {
                paragraph.push_str(line);
                paragraph.push(' ');
                if paragraph.len() > 4 * LONGEST_SUMMARY {
                    break;
                }
                continue;
            }
            (None, None) => {}
        }
        if !paragraph.is_empty() {
            break;
        }
    }
    let listed = cut(&one_line(&paragraph), LONGEST_SUMMARY);
    (!listed.is_empty()).then_some(listed)
}

fn is_prose(line: &str) -> bool {
    !line.starts_with(['#', '{', '}', '[', '|', '"', '<']) && line.contains(char::is_alphanumeric)
}
