//! The quality check: an agent reviews how a story was done. Its warnings are reported. Neither they nor its
//! failures block anything.

use std::path::Path;

use events::{AgentOutcome, LoopEvent, QualityOutcome, TimedTask};

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::lane::prompt::{self};
use crate::lane::{Iteration, LARGEST_TEMPLATE, SideSession};
use crate::options::QualityOptions;
use crate::run_files::{deadline, no_commit};
use crate::session::{Allowance, Session};
use crate::workspace::Actor;

const TEMPLATE: &str = include_str!("../../../../templates/quality.md");

const MOST_WARNINGS: usize = 50;
const LONGEST_WARNING: usize = 500;

impl<'a> Coordinator<'a> {
    pub(crate) fn check_quality(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        let options = self.options;
        let Some(quality) = &options.quality else { return Ok(()) };
        let expected = self.expected_tasks()?;
        let head = self.lane.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let story = Some(iteration.assignment.story.clone());
        let snapshot =
            self.lane.workspace.snapshot(Actor::QualityCheck, story, head, &expected.text);
        let session = match self.quality_prompt(quality, iteration) {
            Ok(prompt) => {
                let story = iteration.assignment.story.clone();
                self.control.sink.emit(LoopEvent::QualityStarted { story });
                self.ask_about_quality(quality, iteration, &prompt)?
            }
            // The template existed when the run began, but the check must not block the run.
            Err(error) => {
                self.control.sink.warn(format!("quality check skipped: {error}"));
                return Ok(());
            }
        };
        for finding in
            self.lane.workspace.restore_unexpected_changes(&snapshot, &iteration.folder)?
        {
            self.control.sink.warn(format!("{finding}; restored"));
        }
        self.record_quality(iteration, &session)
    }

    fn ask_about_quality(
        &mut self,
        quality: &'a QualityOptions,
        iteration: &Iteration,
        prompt: &str,
    ) -> Result<Session, RunError> {
        let (limit, servers) = (self.options.run.limits.quality, self.layout.mcp_coding());
        self.run_aside(&quality.agent, &iteration.assignment.story, |agent| SideSession {
            agent,
            prompt: prompt.to_owned(),
            prompt_file: iteration.folder.join("quality-prompt.md"),
            recording: iteration.folder.join("quality.jsonl"),
            iteration: iteration.assignment.iteration,
            servers: servers.clone(),
            answer_schema: None,
            allowance: Allowance { what: TimedTask::Quality, limit },
        })
    }

    fn quality_prompt(
        &self,
        quality: &QualityOptions,
        iteration: &Iteration,
    ) -> Result<String, RunError> {
        let own = quality.prompt.as_deref().map(read).transpose()?;
        let id = &iteration.assignment.story;
        let story = iteration
            .before
            .list
            .story(id)
            .ok_or_else(|| RunError::precondition(format!("story {id} not found"), ""))?;
        let record = self.state.stories.get(id);
        Ok(prompt::about_quality(
            own.as_deref().unwrap_or(TEMPLATE),
            story,
            record.and_then(|record| record.began_at.as_deref()),
            &self.lane.workspace.baseline.branch,
            &self.options.run.variables,
        ))
    }

    fn record_quality(&mut self, iteration: &Iteration, session: &Session) -> Result<(), RunError> {
        let conclusion = &session.conclusion;
        let cost_usd = conclusion.cost_usd().unwrap_or_default();
        self.state.counters.add_session(conclusion);
        self.state.tokens.add(conclusion.tokens());
        let story = iteration.assignment.story.clone();
        self.state.story(&story).cost_usd += cost_usd;
        let (outcome, warnings) = match (conclusion.outcome, warnings(session.last_message())) {
            (AgentOutcome::Answered, Some(warnings)) => (QualityOutcome::Checked, warnings),
            (AgentOutcome::TimedOut, warnings) => {
                (QualityOutcome::TimedOut, warnings.unwrap_or_default())
            }
            (AgentOutcome::Stopped, _) => (QualityOutcome::Stopped, Vec::new()),
            (_, warnings) => (QualityOutcome::Failed, warnings.unwrap_or_default()),
        };
        let seconds = session.elapsed.as_secs_f64();
        self.control.sink.emit(LoopEvent::QualityChecked {
            story,
            outcome,
            warnings,
            seconds,
            cost_usd,
        });
        self.save()
    }
}

fn read(path: &Path) -> Result<String, RunError> {
    let bytes = bounded_read::read_file(path, LARGEST_TEMPLATE).map_err(|error| {
        RunError::precondition(
            format!("cannot read {}: {error}", path.display()),
            "fix quality.promptFile in the settings",
        )
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The warnings in an answer; empty for "no warnings", `None` if the answer has neither.
fn warnings(answer: &str) -> Option<Vec<String>> {
    let bare = |line: &str| {
        let line = line.trim().trim_start_matches(['-', '*', '#', '>', '`', ' ']);
        line.trim_end_matches(['`', '*', ' ']).to_owned()
    };
    let lines: Vec<String> = answer.lines().map(bare).collect();
    let warning = |line: &String| {
        let (mark, what) = line.split_once(':')?;
        let what = what.trim_start_matches(['*', ' ']).trim();
        let warns = mark.trim_end_matches('*').eq_ignore_ascii_case("warning") && !what.is_empty();
        warns.then(|| what.chars().take(LONGEST_WARNING).collect::<String>())
    };
    let found: Vec<String> = lines.iter().filter_map(warning).take(MOST_WARNINGS).collect();
    let none = |line: &String| line.trim_end_matches('.').eq_ignore_ascii_case("no warnings");
    (!found.is_empty() || lines.iter().any(none)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_lines_that_begin_with_warning() {
        let answer = "I looked at it.\n\nWARNING: src/a.rs:3 twice the same\n- **Warning:** no \
                      test\n> warning: x\nwarning\nThis WARNING: is none";
        let expected = ["src/a.rs:3 twice the same", "no test", "x"];
        assert_eq!(warnings(answer).unwrap(), expected);
    }

    #[test]
    fn no_warnings_is_an_answer_too() {
        for answer in ["NO WARNINGS", "fine.\n`no warnings`", "**No warnings.**"] {
            assert_eq!(warnings(answer), Some(vec![]), "{answer}");
        }
        assert_eq!(warnings("looks good to me"), None);
        assert_eq!(warnings(""), None);
    }
}
