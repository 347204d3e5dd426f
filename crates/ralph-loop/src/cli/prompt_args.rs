//! The options of the prompt loops: `prompt`, `plan`, `build` and `draft`.

use std::path::PathBuf;

use agents::CompletionTag;
use clap::Args;
use settings::Flags;

use super::LoopArgs;
use super::count_arg::{count, former_iterations};

const PROMPT_HELP: &str = "\
The prompt says what to do, and to end the last message with ${COMPLETION_TAG} when everything is done. Variables: \
${ITERATION} ${MAX_ITERATIONS} ${REMAINING} ${MODE} ${SPECS_DIR} ${PLAN_FILE} ${GUARDRAILS} ${BRANCH} ${RALPH_DIR} \
${COMPLETION_TAG} and `variables` of the settings.

The guardrails of .ralph/settings.json run after each iteration. A failure is reported in the next prompt. Completion \
counts only if all guardrails pass.

Examples:
  ralph-loop prompt prompts/refactor.md 20
  ralph-loop prompt -p 'Fix every clippy warning, one at a time'
  ralph-loop prompt -f notes.md --agent codex -c FINISHED";

#[derive(Debug, Clone, Args)]
#[command(after_help = PROMPT_HELP)]
pub(crate) struct PromptArgs {
    /// Prompt file; completion tag <promise>COMPLETE</promise>
    #[arg(value_name = "FILE", required_unless_present_any = ["prompt", "prompt_file"])]
    #[arg(conflicts_with_all = ["prompt", "prompt_file"])]
    pub(crate) file: Option<PathBuf>,
    /// Maximum iterations
    #[arg(value_name = "N", value_parser = count("iteration"))]
    #[arg(conflicts_with_all = ["max_iterations", "former_max_iterations"])]
    pub(crate) iterations: Option<u64>,
    /// The prompt; completion tag <response>DONE</response>
    #[arg(short = 'p', long, value_name = "TEXT", conflicts_with = "prompt_file")]
    pub(crate) prompt: Option<String>,
    /// Prompt file, read again for every iteration; completion tag <response>DONE</response>
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) prompt_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) more: PromptLoopArgs,
}

pub(super) const PLAN_HELP: &str = "\
Reads the files in specs/ (specsDir in the settings) and writes implementation_plan.md (planFile). The prompt is built \
in; ralph/plan.md replaces it.";

pub(super) const BUILD_HELP: &str = "\
Works through implementation_plan.md (planFile in the settings). It is complete when the agent reports completion, \
every guardrail passes and the plan has no open item (- [ ]). The prompt is built in; ralph/build.md replaces it.";

/// Arguments and options of `plan` and `build`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PlanArgs {
    /// Maximum iterations
    #[arg(value_name = "N", value_parser = count("iteration"))]
    #[arg(conflicts_with_all = ["max_iterations", "former_max_iterations"])]
    pub(crate) iterations: Option<u64>,
    #[command(flatten)]
    pub(crate) more: PromptLoopArgs,
}

/// Options of all prompt loops.
#[derive(Debug, Clone, Args)]
pub(crate) struct PromptLoopArgs {
    /// Maximum iterations [default: 10]
    #[arg(short = 'n', long, alias = "maximum-iterations", value_name = "N")]
    #[arg(value_parser = count("iteration"), conflicts_with = "former_max_iterations")]
    pub(crate) max_iterations: Option<u64>,
    /// The former name of -n
    #[arg(short = 'm', value_name = "N", hide = true, value_parser = former_iterations)]
    pub(crate) former_max_iterations: Option<u64>,
    /// Word in the completion tag [default: COMPLETE or DONE]
    #[arg(short = 'c', long, value_name = "TEXT")]
    pub(crate) completion_response: Option<String>,
    /// Model of the agent
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) common: LoopArgs,
}

impl PromptLoopArgs {
    /// The given options as settings; `iterations` is the positional argument of the command.
    pub(crate) fn flags(&self, iterations: Option<u64>, tag: CompletionTag) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("the command line", &["maximumIterations"], iterations);
        let named = self.max_iterations.or(self.former_max_iterations);
        flags.set_if("--max-iterations", &["maximumIterations"], named);
        let key = match tag {
            CompletionTag::Promise => "completionPromise",
            CompletionTag::Response => "completionResponse",
        };
        flags.set_if("--completion-response", &[key], self.completion_response.as_ref());
        flags.set_if("--model", &["agent", "model"], self.model.as_ref());
        flags
    }
}

const DRAFT_HELP: &str = "\
The agent gets the instructions of the skill /ralph-plan. Claude Code asks you on the terminal; other agents work \
without questions and record their assumptions. ralph-loop validates the plan and lets the agent repair it up to three \
times. If errors remain, ralph-loop restores the old files. Stories with progress and a PRD of yours never change.

Examples:
  ralph-loop draft 'a filter for the task list'
  ralph-loop draft --agent codex --yes 'a filter for the task list'
  ralph-loop draft --json - <idea.txt

Exit codes: 0 the plan is valid, 1 the agent wrote no plan or was stopped, 2 the plan has errors or usage error; \
others as for `run`.";

#[derive(Debug, Clone, Args)]
#[command(after_help = DRAFT_HELP)]
#[command(mut_arg("resume", |arg| arg.hide(true)), mut_arg("fresh", |arg| arg.hide(true)))]
#[command(mut_arg("output", |arg| arg.hide(true)), mut_arg("tui", |arg| arg.hide(true)))]
pub(crate) struct DraftArgs {
    /// What to build, in your words; `-` reads it from stdin
    #[arg(value_name = "DESCRIPTION", required = true)]
    pub(crate) description: Vec<String>,
    /// Commit the plan without asking
    #[arg(short = 'y', long, conflicts_with = "no_commit")]
    pub(crate) yes: bool,
    /// Leave the plan uncommitted without asking
    #[arg(long)]
    pub(crate) no_commit: bool,
    /// Let the agent work without questions; implied by --json and --sandbox
    #[arg(long)]
    pub(crate) headless: bool,
    /// Print the result as JSON; progress goes to stderr
    #[arg(long)]
    pub(crate) json: bool,
    /// Model of the agent
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) common: LoopArgs,
}

impl DraftArgs {
    /// The given options as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("--model", &["agent", "model"], self.model.as_ref());
        flags
    }
}
