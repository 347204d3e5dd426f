//! After the last session of a draft: the result is shown, and committed if the user agrees.

use std::process::ExitCode;

use events::RunEnd;

use super::super::{CommandResult, print, stopped};
use super::Draft;
use super::outcome::{DraftOutcome, DraftResult};
use crate::cli::DraftArgs;
use crate::command_error;
use crate::dialogue::{NoAnswer, Terminal, wants_commit};
use crate::validate::{ValidationVerdict, render};
use crate::{display, json};

/// The exit code of `validate` for an invalid plan.
const ERRORS: u8 = 2;
const UNCHANGED: u8 = 1;

impl Draft<'_> {
    pub(super) fn finish(&self, mut outcome: DraftOutcome, end: Option<RunEnd>) -> CommandResult {
        let code = match outcome.result {
            DraftResult::Planned => 0,
            DraftResult::Unchanged => UNCHANGED,
            DraftResult::Errors => ERRORS,
            DraftResult::Stopped => end.map_or(UNCHANGED, RunEnd::exit_code),
        };
        if !self.args.json {
            self.show(&outcome);
        }
        let is_planned = outcome.result == DraftResult::Planned;
        if let Some(repository) = self.repository.as_ref().filter(|_| is_planned) {
            match self.is_to_be_committed() {
                Ok(true) => {
                    outcome.commit = repository.commit(&self.files.names(), &self.description)?
                }
                Ok(false) => {}
                Err(no_answer) => {
                    return stopped(no_answer, "the plan is written, but not committed");
                }
            }
        }
        if self.args.json {
            print(&json::pretty(&outcome)?);
        } else if is_planned {
            self.say_next(outcome.commit.as_deref());
        }
        Ok(ExitCode::from(code))
    }

    fn show(&self, outcome: &DraftOutcome) {
        if outcome.result == DraftResult::Unchanged {
            let [prd, tasks] = self.files.names();
            let text = format!(
                "error: the agent changed neither {prd} nor {tasks}\nhint: read its last message, then describe \
                 in more detail what to build"
            );
            return command_error::say(&text, &mut anstream::stderr());
        }
        let look = display::look(&self.loaded.settings.display);
        print(&outcome.render(&look));
        if let Some(validation) = &outcome.validation
            && validation.verdict != ValidationVerdict::Ok
        {
            print(&format!("\n{}", render(validation, &look)));
        }
        if matches!(outcome.result, DraftResult::Errors | DraftResult::Stopped) {
            let drafts = match outcome.drafts.as_slice() {
                [] => String::new(),
                drafts => format!("; the draft is saved in {}", drafts.join(" and ")),
            };
            print(&format!("\nThe plan was discarded: both files are restored{drafts}\n"));
        }
    }

    /// Whether to commit the plan; without a terminal only if a flag says so.
    fn is_to_be_committed(&self) -> Result<bool, NoAnswer> {
        let DraftArgs { yes, no_commit, json, .. } = self.args;
        if *yes || *no_commit || *json {
            return Ok(*yes);
        }
        match Terminal::open().map_err(NoAnswer::Failed)? {
            Some(mut terminal) => {
                print("\n");
                wants_commit(&mut terminal)
            }
            None => Ok(false),
        }
    }

    fn say_next(&self, commit: Option<&str>) {
        let [prd, tasks] = self.files.names();
        let committed = match commit {
            Some(commit) => format!("Committed as {}.\n", commit.get(..10).unwrap_or(commit)),
            None => format!("Not committed: commit {prd} and {tasks} yourself.\n"),
        };
        print(&format!(
            "\n{committed}\nNext:\n  ralph-loop --dry-run   show the prompt of the first iteration\n  ralph-loop             \
             work through the stories\n"
        ));
    }
}
