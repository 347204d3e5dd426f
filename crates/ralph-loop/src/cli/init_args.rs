//! The options of `init`. Each answers a question of its dialogue.

use std::path::PathBuf;

use clap::Args;
use run_options::{Guardrail, ScmTask};

use super::ProjectArgs;
use super::count_arg::count;
use super::guardrail_arg::guardrail;

const AFTER_HELP: &str = "\
Examples:
  ralph-loop init
  ralph-loop init --yes --name checkout --verify 'npm test'
  ralph-loop init --agent codex --scm-task commit \\
    --guardrail 'make lint # Fix lint errors only.' \\
    --guardrail 'PREPEND: make test'
  ralph-loop init --from-issue 12 --from-issue 15
  ralph-loop init --from-issues label:ralph
  ralph-loop init --from-plan plan.json --json";

/// The options of `init`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Name of the feature and of the branch ralph/<name> [default: the folder's name]
    #[arg(long, value_name = "FEATURE")]
    pub(crate) name: Option<String>,
    /// Check that every story must pass, instead of the detected ones; repeatable
    #[arg(long = "verify", value_name = "COMMAND")]
    pub(crate) verify: Vec<String>,
    #[command(flatten)]
    pub(crate) import: ImportArgs,
    /// Replace files except skills and MCP servers; old ones are kept as .bak
    #[arg(long)]
    pub(crate) force: bool,
    /// Ask nothing: use flags, then defaults
    ///
    /// Otherwise init asks on a terminal for what no flag gives. Enter takes the default, Ctrl-C writes nothing.
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
    /// Print JSON: the written files and the problems of a plan; asks nothing
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten, next_help_heading = "Settings (.ralph/settings.json)")]
    pub(crate) settings: AnswerArgs,
}

/// Where the stories come from.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Import an issue of the git remote's forge; repeatable (docs/forge.md)
    #[arg(long, value_name = "NUMBER", value_parser = issue_number)]
    pub(crate) from_issue: Vec<u64>,
    /// Import the open issues with a label
    #[arg(long, value_name = "label:NAME", value_parser = label)]
    pub(crate) from_issues: Option<String>,
    /// Import the open issues of a milestone
    #[arg(long, value_name = "NAME", value_parser = wording)]
    pub(crate) from_milestone: Option<String>,
    /// Import a Markdown task list, such as tasks.md of spec-kit or OpenSpec
    #[arg(long, value_name = "FILE", conflicts_with_all = ISSUES)]
    pub(crate) from_markdown: Option<PathBuf>,
    /// Import the stories from a plan.json (docs/tasks-json.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = ISSUES, conflicts_with = "from_markdown")]
    pub(crate) from_plan: Option<PathBuf>,
}

const ISSUES: [&str; 3] = ["from_issue", "from_issues", "from_milestone"];

/// Answers to the questions of the dialogue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct AnswerArgs {
    /// Agent: claude, codex, amp, cline, opencode, gemini, copilot, any command [default: claude]
    #[arg(long, value_name = "COMMAND", value_parser = wording)]
    pub(crate) agent: Option<String>,
    /// Additional argument for the agent; repeatable
    #[arg(long, value_name = "FLAG", value_parser = wording, allow_hyphen_values = true)]
    pub(crate) agent_flag: Vec<String>,
    /// Maximum iterations of every loop [default: 10; over stories 15, or 5 per story]
    #[arg(short = 'n', long, alias = "maximum-iterations", value_name = "N")]
    #[arg(value_parser = count("iteration"))]
    pub(crate) max_iterations: Option<u64>,
    /// Word in the completion tag of prompt loops [default: DONE]
    #[arg(short = 'c', long, value_name = "TEXT", value_parser = completion_word)]
    pub(crate) completion_response: Option<String>,
    /// Command that must pass after every iteration; repeatable
    ///
    /// When it fails, its output follows the next prompt (APPEND, the default), precedes it (PREPEND) or replaces it
    /// (REPLACE). A shell comment in the command is the hint that the agent gets.
    #[arg(long, value_name = "[ACTION:]COMMAND[ # HINT]", value_parser = guardrail)]
    pub(crate) guardrail: Vec<Guardrail>,
    /// Each criterion needs a test that another session writes first (docs/proof.md)
    #[arg(long)]
    pub(crate) proof: bool,
    /// Version control program [default: git, if --scm-task is given]
    #[arg(long, value_name = "COMMAND", value_parser = wording)]
    pub(crate) scm_command: Option<String>,
    /// Version control task after accepted work; repeatable [default: commit, if --scm-command is given]
    #[arg(long, value_enum, value_name = "TASK")]
    pub(crate) scm_task: Vec<ScmTask>,
}

pub(crate) fn completion_word(text: &str) -> Result<String, String> {
    match settings::is_completion_word(text) {
        true => Ok(text.trim().to_owned()),
        false => Err(format!("expected {}", settings::COMPLETION_WORD)),
    }
}

fn issue_number(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix('#').unwrap_or(text).parse().ok();
    number.filter(|number| *number > 0).ok_or_else(|| "expected the number of an issue".into())
}

fn label(text: &str) -> Result<String, String> {
    let name = text.strip_prefix("label:").map(str::trim).filter(|name| !name.is_empty());
    name.map(str::to_owned).ok_or_else(|| "expected label:NAME".into())
}

/// Refuses blank text.
fn wording(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it must not be blank".into()),
        text => Ok(text.to_owned()),
    }
}
