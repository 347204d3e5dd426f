//! The options of the prompt loops: `prompt`, `plan`, `build`.

use std::path::PathBuf;

use agents::CompletionTag;
use clap::Args;
use settings::Flags;

use super::LoopArgs;
use super::count_arg::{former_iterations, iterations};

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
    #[arg(value_name = "N", value_parser = iterations)]
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
    #[arg(value_name = "N", value_parser = iterations)]
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
    #[arg(value_parser = iterations, conflicts_with = "former_max_iterations")]
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
