//! The options of `init`. Each question of its dialogue can be answered here beforehand.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use settings::{Guardrail, ScmTask};

use super::ProjectArgs;
use super::count_arg::iterations;
use super::guardrail_arg::guardrail;

const AFTER_HELP: &str = "\
On a terminal, what no flag answers is asked; Enter takes the default, Ctrl-C ends the dialogue and \
writes nothing. Without a terminal, or with --yes, nothing is asked: flags, else defaults.

A guardrail says what happens to the next prompt when it fails: its output follows the prompt \
(APPEND, the default), stands before it (PREPEND) or takes its place (REPLACE). What the shell would \
take for a comment is the hint that the agent gets with it.

A plan has project, branch, max_iterations and tasks with id, title, description, status, order, \
acceptance_criteria, depends_on, skills, needs_docs, libraries, max_turns and max_retries. The order \
becomes the priority; done tasks are approved stories, skipped ones are left out, all others are to \
be done. max_iterations becomes maximumIterations of the settings, and the largest max_retries plus \
one their attempts.most. Flags count more than the plan. A plan with problems is not taken over at \
all: each is named with its place, and nothing is written.

Examples:
  ralph-loop init
  ralph-loop init --yes --name checkout --verify 'npm test'
  ralph-loop init --agent codex --scm-task commit \\
    --guardrail 'make lint # Fix lint errors only.' \\
    --guardrail 'PREPEND: make test'
  ralph-loop init --from-plan plan.json --json";

/// The options of `init`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// What is being built; names the branch ralph/<name> (default: the folder's name)
    #[arg(long, value_name = "FEATURE")]
    pub(crate) name: Option<String>,
    /// A check that every story must pass, instead of those found in the project; may be given
    /// several times
    #[arg(long = "verify", value_name = "COMMAND")]
    pub(crate) verify: Vec<String>,
    /// Take the stories over from a plan.json of ordered tasks, instead of an example; what has no
    /// counterpart is reported
    #[arg(long, value_name = "FILE")]
    pub(crate) from_plan: Option<PathBuf>,
    /// Replace files that exist, but for skills and MCP servers; the old ones are kept as .bak
    #[arg(long)]
    pub(crate) force: bool,
    /// Ask nothing: what no flag says gets its default, and settings that exist stay
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
    /// For machines: what was written, and what a plan said that has no counterpart; asks nothing
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "Settings (.ralph/settings.json)")]
    pub(crate) settings: AnswerArgs,
}

/// The answers to what the dialogue asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct AnswerArgs {
    /// The agent's program: claude, codex, amp, cline, opencode, gemini, copilot or any other that
    /// takes a prompt (default: claude)
    #[arg(long, value_name = "COMMAND", value_parser = wording)]
    pub(crate) agent: Option<String>,
    /// One more argument for the agent; may be given several times
    #[arg(long, value_name = "FLAG", value_parser = wording, allow_hyphen_values = true)]
    pub(crate) agent_flag: Vec<String>,
    /// Iterations at most, of any loop that is not told otherwise (default: 10 over a
    /// prompt; over stories 15, or 5 for each if that is more)
    #[arg(short = 'n', long, alias = "maximum-iterations", value_name = "N")]
    #[arg(value_parser = iterations)]
    pub(crate) max_iterations: Option<u64>,
    /// What the agent answers when the work of a prompt is complete (default: DONE)
    #[arg(short = 'c', long, value_name = "TEXT", value_parser = completion_word)]
    pub(crate) completion_response: Option<String>,
    /// A command that must pass after every iteration; may be given several times
    #[arg(long, value_name = "[ACTION:]COMMAND[ # HINT]", value_parser = guardrail)]
    pub(crate) guardrail: Vec<Guardrail>,
    /// The version control program (default: git, if a task is given)
    #[arg(long, value_name = "COMMAND", value_parser = wording)]
    pub(crate) scm_command: Option<String>,
    /// What becomes of work that passed its guardrails; may be given several times (default: commit,
    /// if a command is given)
    #[arg(long, value_enum, value_name = "TASK")]
    pub(crate) scm_task: Vec<ScmTaskArg>,
}

/// What a version control program can be asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScmTaskArg {
    Commit,
    Push,
}

impl From<ScmTaskArg> for ScmTask {
    fn from(task: ScmTaskArg) -> Self {
        match task {
            ScmTaskArg::Commit => Self::Commit,
            ScmTaskArg::Push => Self::Push,
        }
    }
}

pub(crate) fn completion_word(text: &str) -> Result<String, String> {
    match settings::is_completion_word(text) {
        true => Ok(text.trim().to_owned()),
        false => Err(format!("expected {}", settings::COMPLETION_WORD)),
    }
}

/// What is blank answers nothing.
fn wording(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it must not be blank".into()),
        text => Ok(text.to_owned()),
    }
}
