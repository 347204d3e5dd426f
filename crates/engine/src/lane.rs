//! One iteration of one story in one work tree: prepare, run the session, settle. A lane knows the options and its
//! work tree, never the state of the run: what it needs arrives as values, what it found is returned as values.

pub(crate) mod assignment;
pub(crate) mod attempt;
mod base_checks;
pub(crate) mod build_prompt;
mod candidate;
mod check_step;
pub(crate) mod checks;
pub(crate) mod context_expansion;
pub(crate) mod core;
pub(crate) mod extra_help;
pub(crate) mod findings;
pub(crate) mod handoff;
pub(crate) mod iteration;
pub(crate) mod mcp_servers;
mod node_checks;
pub(crate) mod node_session;
mod panel;
pub(crate) mod passed_checks;
pub(crate) mod prepare;
pub(crate) mod prompt;
mod proof;
pub(crate) mod question;
pub(crate) mod recorded;
pub(crate) mod revert;
pub(crate) mod rollback;
pub(crate) mod session;
pub(crate) mod settle;
pub(crate) mod settlement;
pub(crate) mod side_session;
pub(crate) mod state_md;
pub(crate) mod story_context;
pub(crate) mod story_record;
pub(crate) mod take_back;
pub(crate) mod task_text;
pub(crate) mod verdict;
pub(crate) mod work_done;

pub(crate) use assignment::{Assignment, ChosenAgent, StoryWork};
pub(crate) use attempt::{Attempt, Evidence, strategy_shifts};
pub(crate) use candidate::{Candidate, Candidates, chosen_in};
pub(crate) use checks::ChecksResult;
pub(crate) use core::Lane;
pub(crate) use extra_help::{ATTEMPTS_PER_HELP, ExtraHelp};
pub(crate) use findings::{answer_schema, findings};
pub(crate) use handoff::SessionHandoff;
pub(crate) use iteration::Iteration;
pub(crate) use node_session::JOB_LOG;
pub(crate) use node_session::NodeTask;
pub use node_session::NodeWork;
pub(crate) use prepare::{MarkerInput, StartInput};
pub(crate) use prompt::{
    AnswerFormat, CompactionInput, Escalation, FinalReviewInput, LARGEST_TEMPLATE,
};
pub(crate) use proof::{MOST_DISPUTES, StoryProof, TestedWork, complaints};
pub(crate) use question::{Answer, Question};
pub(crate) use recorded::{
    RunningIteration, TakeBackReason, protected_before, session_folder, write_before,
};
pub(crate) use rollback::{RollbackPoint, RollingBack};
pub(crate) use session::context_parts;
pub(crate) use settlement::{PendingCorrection, SessionEnd, SettledStep, Settlement};
pub(crate) use side_session::SideSession;
pub(crate) use state_md::FailedAttempts;
pub(crate) use story_context::{StoryContext, is_last_open};
pub(crate) use story_record::{IterationFailure, OwnCommits, SavedReviewFields, StoryRecord};
pub(crate) use take_back::claims_nothing;
pub(crate) use task_text::TaskText;
pub(crate) use verdict::{RULE, void_step};
pub(crate) use work_done::WorkDone;
