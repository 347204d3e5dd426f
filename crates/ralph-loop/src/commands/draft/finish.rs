//! After the last session of a draft: the result is shown, and committed if the user agrees.

use std::process::ExitCode;

use anyhow::Result;
use events::RunEnd;
use settings::LoadedSettings;

use super::super::{CommandResult, print, stopped};
use super::DraftEnd;
use super::outcome::{DraftOutcome, DraftResult};
use super::repository::Repository;
use crate::cli::DraftArgs;
use crate::command_error;
use crate::dialogue::{NoAnswer, Terminal, wants_commit};
use crate::validate::{ValidationVerdict, render};
use crate::{display, json};

/// The exit code of `validate` for an invalid plan.
const ERRORS: u8 = 2;
const UNCHANGED: u8 = 1;

pub(super) struct DraftFinish<'a> {
    pub(super) args: &'a DraftArgs,
    pub(super) loaded: &'a LoadedSettings,
    pub(super) repository: Option<Repository<'a>>,
    pub(super) names: [String; 2],
    pub(super) description: String,
}

impl DraftFinish<'_> {
    pub(super) fn finish(&self, outcome: &DraftOutcome, end: &DraftEnd) -> CommandResult {
        let code = match outcome.ended {
            DraftResult::Planned => 0,
            DraftResult::Unchanged => UNCHANGED,
            DraftResult::Errors => ERRORS,
            DraftResult::Stopped => end.run.map_or(UNCHANGED, RunEnd::exit_code),
        };
        if !self.args.json {
            self.show(outcome);
        }
        let commit = match outcome.ended {
            DraftResult::Planned => match self.is_to_be_committed() {
                Ok(true) => self.commit()?,
                Ok(false) => None,
                Err(no_answer) => {
                    return stopped(no_answer, "the plan is written, but not committed");
                }
            },
            _ => None,
        };
        if self.args.json {
            print(&json::pretty(&outcome.to_json(commit.as_deref()))?);
        } else if outcome.ended == DraftResult::Planned {
            self.say_next(commit.as_deref());
        }
        Ok(ExitCode::from(code))
    }

    fn show(&self, outcome: &DraftOutcome) {
        if outcome.ended == DraftResult::Unchanged {
            let [prd, tasks] = &self.names;
            let text = format!(
                "error: the agent changed neither {prd} nor {tasks}\nhint: read its last message, then describe \
                 in more detail what to build"
            );
            return command_error::say(&text, &mut anstream::stderr());
        }
        let look = display::look(&self.loaded.settings.display);
        print(&outcome.render(&look));
        if let Some(validation) = &outcome.validation
            && validation.verdict() != ValidationVerdict::Ok
        {
            print(&format!("\n{}", render(validation, &look)));
        }
        if matches!(outcome.ended, DraftResult::Errors | DraftResult::Stopped) {
            let drafts = match outcome.drafts.as_slice() {
                [] => String::new(),
                drafts => format!("; the draft is saved in {}", drafts.join(" and ")),
            };
            print(&format!("\nThe plan was discarded: both files are restored{drafts}\n"));
        }
    }

    /// Whether to commit the plan; without a terminal only if a flag says so.
    fn is_to_be_committed(&self) -> Result<bool, NoAnswer> {
        if self.repository.is_none() || self.args.no_commit {
            return Ok(false);
        }
        if self.args.yes || self.args.json {
            return Ok(self.args.yes);
        }
        match Terminal::open().map_err(NoAnswer::Failed)? {
            Some(mut terminal) => {
                print("\n");
                wants_commit(&mut terminal)
            }
            None => Ok(false),
        }
    }

    fn commit(&self) -> Result<Option<String>> {
        let Some(repository) = &self.repository else { return Ok(None) };
        let commit = repository.commit(&self.names, &self.description)?;
        Ok(commit.map(|commit| commit.to_string()))
    }

    fn say_next(&self, commit: Option<&str>) {
        let [prd, tasks] = &self.names;
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
