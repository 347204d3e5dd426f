//! Answers threads whose story is accepted again, with the commits that fixed it.

use anyhow::Result;
use forge::{PullRequest, ThreadPlace};
use project::Layout;
use tasks::StoryId;
use vcs::{CommitId, LoggedCommit};

use super::branch_tasks::{BranchTasks, deadline};
use super::history::History;
use super::points::{Ignored, OWN_MARK, Point};
use super::report::Answer;
use super::state::PullState;
use crate::report::{beginning, format, neutral_line};
use crate::run_report::quoted;

/// Commits that an answer names.
const MOST_NAMED: usize = 5;
const LONGEST_SUBJECT: usize = 120;

#[derive(Debug)]
pub(super) struct DueAnswer<'p> {
    pub(super) key: String,
    pub(super) at: &'p ThreadPlace,
    pub(super) authors: Vec<String>,
    pub(super) body: String,
    pub(super) answer: Answer,
}

/// What the answers are made of.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    pub(super) layout: &'a Layout,
    pub(super) tasks: &'a BranchTasks,
    pub(super) history: &'a History<'a>,
    pub(super) pull: &'a PullRequest,
}

/// The answers that can be sent, and the threads that wait for a push.
pub(super) fn due<'p>(
    points: &'p [Point],
    known: &PullState,
    sources: &Sources<'_>,
) -> Result<(Vec<DueAnswer<'p>>, Vec<Ignored>)> {
    let (mut due, mut waiting) = (Vec::new(), Vec::new());
    for point in points {
        let Point::Thread { at, .. } = point else { continue };
        let key = point.key();
        let open = known.handed_over.get(&key).filter(|handed| {
            !handed.is_answered
                && handed.digest == point.digest()
                && sources.tasks.list.story(&handed.story).is_some_and(|story| story.passes)
                && sources.history.was_approved_since(&handed.story, handed.at)
        });
        let Some(handed) = open else { continue };
        let Ok(since) = CommitId::new(&handed.since) else { continue };
        let fixes = sources.fixes(&handed.story, &since, at)?;
        if !sources.is_published(&fixes) {
            let branch = quoted(&sources.tasks.branch);
            waiting.push(point.ignored(format!(
                "story {} is accepted, but its commits are not on the forge: push {branch}",
                handed.story
            )));
            continue;
        }
        let commits: Vec<String> = fixes.iter().map(shown).collect();
        let authors = point.authors().map(str::to_owned).collect();
        let answer = Answer {
            story: handed.story.clone(),
            what: point.shown(),
            url: point.url().to_owned(),
            commits: commits.clone(),
        };
        due.push(DueAnswer { key, at, authors, body: body(&commits), answer });
    }
    Ok((due, waiting))
}

impl Sources<'_> {
    fn fixes(
        &self,
        story: &StoryId,
        since: &CommitId,
        at: &ThreadPlace,
    ) -> Result<Vec<LoggedCommit>> {
        let folder = self.tasks.tree.project_folder().join(self.layout.ralph_dir_name());
        let folder = folder.to_string_lossy().replace('\\', "/");
        self.history.fixes(story, since, at.path.as_deref(), &folder)
    }

    /// Whether the forge has the newest fix; without one, whether it has the accepted list.
    fn is_published(&self, fixes: &[LoggedCommit]) -> bool {
        let newest = fixes.first().map_or(&self.tasks.tip, |fix| &fix.id);
        let Ok(head) = CommitId::new(&self.pull.head_sha) else { return false };
        self.tasks.tree.is_ancestor(newest, &head, deadline()).unwrap_or(false)
    }
}

fn shown(commit: &LoggedCommit) -> String {
    let subject = beginning(&neutral_line(&commit.subject), LONGEST_SUBJECT, "…");
    format!("{} {subject}", format::short_id(commit.id.as_str()))
}

/// In code, where a forge reads neither mentions nor references to issues.
fn body(commits: &[String]) -> String {
    let code = |text: &String| format!("`{}`", text.replace('`', "'"));
    match commits {
        [] => format!("{OWN_MARK}no commit changed this. A review accepted the story again."),
        [only] => format!("{OWN_MARK}fixed in {}. A review accepted it.", code(only)),
        [..] => {
            let named: Vec<String> =
                commits.iter().take(MOST_NAMED).map(|it| format!("- {}", code(it))).collect();
            let more = commits.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
            format!("{OWN_MARK}fixed. A review accepted it.\n\n{}{more}", named.join("\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_its_commits_and_mentions_nobody() {
        let commit = |subject: &str| {
            let id = CommitId::new(&"ab".repeat(20)).unwrap();
            shown(&LoggedCommit { id, subject: subject.to_owned() })
        };
        let one = [commit("fix `@all` closes #1\u{1b}[2J")];
        assert_eq!(
            body(&one),
            "**Ralph**: fixed in `ababababab fix '@all' closes #1`. A review accepted it."
        );
        let many: Vec<String> = (0..7).map(|number| commit(&number.to_string())).collect();
        let text = body(&many);
        assert!(text.contains("\n- `ababababab 0`\n"), "{text}");
        assert!(text.ends_with("\n- `ababababab 4`\n- and 2 more"), "{text}");
        assert!(body(&[]).starts_with("**Ralph**: no commit changed this."));
        assert!(commit(&"é".repeat(500)).chars().count() < 140);
    }
}
