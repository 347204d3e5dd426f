//! After the last session of a draft: the result is shown, and committed if the user agrees.

use std::process::ExitCode;

use anyhow::Result;
use engine::RunEnd;
use settings::Loaded;

use super::super::{Done, print, stopped};
use super::End;
use super::outcome::{Ended, Outcome};
use super::repository::Repository;
use crate::cli::DraftArgs;
use crate::command_error;
use crate::dialogue::{Silence, Terminal, wants_commit};
use crate::validate::{Verdict, render};
use crate::{display, json};

/// As `validate`, which says the same of the plan.
const ERRORS: u8 = 2;
const UNCHANGED: u8 = 1;

pub(super) struct Finish<'a> {
    pub(super) args: &'a DraftArgs,
    pub(super) loaded: &'a Loaded,
    pub(super) repository: Option<Repository<'a>>,
    pub(super) names: [String; 2],
    pub(super) description: String,
}

impl Finish<'_> {
    pub(super) fn finish(&self, outcome: &Outcome, end: &End) -> Done {
        let code = match outcome.ended {
            Ended::Planned => 0,
            Ended::Unchanged => UNCHANGED,
            Ended::Errors => ERRORS,
            Ended::Stopped => end.run.map_or(UNCHANGED, RunEnd::exit_code),
        };
        if !self.args.json {
            self.show(outcome);
        }
        let commit = match outcome.ended {
            Ended::Planned => match self.is_to_be_committed() {
                Ok(true) => self.commit()?,
                Ok(false) => None,
                Err(silence) => return stopped(silence, "the plan is written and not committed"),
            },
            _ => None,
        };
        if self.args.json {
            print(&json::pretty(&outcome.wire(commit.as_deref()))?);
        } else if outcome.ended == Ended::Planned {
            self.say_next(commit.as_deref());
        }
        Ok(ExitCode::from(code))
    }

    fn show(&self, outcome: &Outcome) {
        if outcome.ended == Ended::Unchanged {
            let [prd, tasks] = &self.names;
            let text = format!(
                "error: the agent changed neither {prd} nor {tasks}\nhint: its last message says why; describe in \
                 more detail what to build"
            );
            return command_error::say(&text, &mut anstream::stderr());
        }
        let look = display::look(&self.loaded.settings.display);
        print(&outcome.render(&look));
        if let Some(validation) = &outcome.validation
            && validation.verdict() != Verdict::Ok
        {
            print(&format!("\n{}", render(validation, &look)));
        }
        if matches!(outcome.ended, Ended::Errors | Ended::Stopped) {
            let drafts = match outcome.drafts.as_slice() {
                [] => String::new(),
                drafts => format!("; the draft is kept in {}", drafts.join(" and ")),
            };
            print(&format!("\nThe plan was not kept: both files are as they were{drafts}\n"));
        }
    }

    /// Whether the plan is to be committed; without a terminal only if a flag says so.
    fn is_to_be_committed(&self) -> Result<bool, Silence> {
        if self.repository.is_none() || self.args.no_commit {
            return Ok(false);
        }
        if self.args.yes || self.args.json {
            return Ok(self.args.yes);
        }
        match Terminal::open().map_err(Silence::Failed)? {
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
            None => format!("Not committed: {prd} and {tasks} are yours to commit.\n"),
        };
        print(&format!(
            "\n{committed}\nNext:\n  ralph-loop --dry-run   what the first iteration would be told\n  ralph-loop             \
             work through the stories\n"
        ));
    }
}
