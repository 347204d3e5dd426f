//! The options of the prompt loops: `prompt`, `plan`, `build`.

use std::path::PathBuf;

use clap::Args;
use settings::Flags;

use super::LoopArgs;
use super::count_arg::{former_iterations, iterations};

const PROMPT_HELP: &str = "\
A prompt file tells the agent what to do and to end its last message with ${COMPLETION_TAG} once \
everything is done. Ralph fills in ${ITERATION} ${MAX_ITERATIONS} ${REMAINING} ${MODE} ${SPECS_DIR} \
${PLAN_FILE} ${GUARDRAILS} ${BRANCH} ${RALPH_DIR} ${COMPLETION_TAG} and the `variables` of your \
settings.

After each iteration the guardrails of .ralph/settings.json run; what fails is told in the next \
prompt, and completion counts only if all of them pass.

Examples:
  ralph-loop prompt prompts/refactor.md 20
  ralph-loop prompt -p 'Fix every clippy warning, one at a time'
  ralph-loop prompt -f notes.md --agent codex -c FINISHED";

#[derive(Debug, Clone, Args)]
#[command(after_help = PROMPT_HELP)]
pub(crate) struct PromptArgs {
    /// A prompt file; says <promise>COMPLETE</promise> when done, works in a git repository
    #[arg(value_name = "FILE", required_unless_present_any = ["prompt", "prompt_file"])]
    #[arg(conflicts_with_all = ["prompt", "prompt_file"])]
    pub(crate) file: Option<PathBuf>,
    /// Iterations at most, after FILE
    #[arg(value_name = "N", value_parser = iterations)]
    #[arg(conflicts_with_all = ["max_iterations", "former_max_iterations"])]
    pub(crate) iterations: Option<u64>,
    /// The prompt itself; says <response>DONE</response> when done
    #[arg(short = 'p', long, value_name = "TEXT", conflicts_with = "prompt_file")]
    pub(crate) prompt: Option<String>,
    /// A file with the prompt, read anew for every iteration; says <response>DONE</response>
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) prompt_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) more: PromptLoopArgs,
}

const PLAN_HELP: &str = "\
Works from the files in specs/ (specsDir in the settings) until implementation_plan.md (planFile) \
holds all that is missing. The prompt is built in; your own goes into ralph/plan.md.";

#[derive(Debug, Clone, Args)]
#[command(after_help = PLAN_HELP)]
pub(crate) struct PlanArgs {
    /// Iterations at most
    #[arg(value_name = "N", value_parser = iterations)]
    #[arg(conflicts_with_all = ["max_iterations", "former_max_iterations"])]
    pub(crate) iterations: Option<u64>,
    #[command(flatten)]
    pub(crate) more: PromptLoopArgs,
}

const BUILD_HELP: &str = "\
Works through implementation_plan.md (planFile in the settings), one item an iteration. It is \
complete when the agent says so, every guardrail passes and the plan has no open item (- [ ]) left. \
The prompt is built in; your own goes into ralph/build.md.";

#[derive(Debug, Clone, Args)]
#[command(after_help = BUILD_HELP)]
pub(crate) struct BuildArgs {
    /// Iterations at most
    #[arg(value_name = "N", value_parser = iterations)]
    #[arg(conflicts_with_all = ["max_iterations", "former_max_iterations"])]
    pub(crate) iterations: Option<u64>,
    #[command(flatten)]
    pub(crate) more: PromptLoopArgs,
}

/// What all prompt loops have.
#[derive(Debug, Clone, Args)]
pub(crate) struct PromptLoopArgs {
    /// Iterations at most [default: 10]
    #[arg(short = 'n', long, alias = "maximum-iterations", value_name = "N")]
    #[arg(value_parser = iterations, conflicts_with = "former_max_iterations")]
    pub(crate) max_iterations: Option<u64>,
    /// The former name of -n
    #[arg(short = 'm', value_name = "N", hide = true, value_parser = former_iterations)]
    pub(crate) former_max_iterations: Option<u64>,
    /// The word in the tag that says that everything is done
    #[arg(short = 'c', long, value_name = "TEXT")]
    pub(crate) completion_response: Option<String>,
    /// The agent's model
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) common: LoopArgs,
}

/// Which tag a loop waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Promise,
    Response,
}

impl PromptLoopArgs {
    /// What is given, as settings; `iterations` as the command itself takes them.
    pub(crate) fn flags(&self, iterations: Option<u64>, tag: Tag) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("the command line", &["maximumIterations"], iterations);
        let named = self.max_iterations.or(self.former_max_iterations);
        flags.set_if("--max-iterations", &["maximumIterations"], named);
        let key = match tag {
            Tag::Promise => "completionPromise",
            Tag::Response => "completionResponse",
        };
        flags.set_if("--completion-response", &[key], self.completion_response.clone());
        flags.set_if("--model", &["agent", "model"], self.model.clone());
        flags
    }
}
