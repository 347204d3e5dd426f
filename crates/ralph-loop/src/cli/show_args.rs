//! The options of the commands that show runs: `watch`, `report`, `proof`, `serve` and `stats`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::{Args, ValueEnum};
use tasks::StoryId;

use super::{LookArgs, ProjectArgs, since};

const WATCH_HELP: &str = "\
Keys: ? lists all of them, q leaves and the loop continues. During a run: p pauses after this iteration, s skips the \
story, x stops, t adds an instruction.";

#[derive(Debug, Args)]
#[command(after_help = WATCH_HELP)]
pub(crate) struct WatchArgs {
    /// Run id or its beginning [default: the latest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Replay the run from its start; long gaps are shortened
    #[arg(long)]
    pub(crate) replay: bool,
    /// Speed of the replay: 10 is ten times real time
    #[arg(long, value_name = "X", default_value = "10", requires = "replay")]
    #[arg(value_parser = dashboard::read_speed)]
    pub(crate) speed: f64,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

const RALPH_DIR: &str = "Accepted as in `run`, without effect: the run has recorded its folder";

#[derive(Debug, Args)]
#[command(mut_arg("ralph_dir", |arg| arg.help(RALPH_DIR)))]
pub(crate) struct ReportArgs {
    /// Run id or its beginning [default: the latest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Format of the report [default: markdown, rendered on a terminal]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<ReportFormat>,
    /// Write to this file; `-` is stdout [default: stdout; html on a terminal: report.html in the run's folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    #[value(alias = "md")]
    Markdown,
    Json,
    Html,
}

const PROOF_HELP: &str = "\
Without --at, the results of the newest run are shown. With --at, the tests run in a clone outside of the project: the \
test files of one commit with all other files of another.

Examples:
  ralph-loop proof US-001
  ralph-loop proof US-001 --at HEAD            do they still pass?
  ralph-loop proof US-001 --at main            do they fail without the work?
  ralph-loop proof US-001 --at HEAD --tests-of HEAD~9

Exit codes with --at: 0 all tests pass, 1 a test does not pass, 2 they cannot run; 128+n ended by a signal.";

#[derive(Debug, Args)]
#[command(after_help = PROOF_HELP)]
pub(crate) struct ProofArgs {
    /// Story id
    #[arg(value_name = "STORY", value_parser = |id: &str| StoryId::new(id))]
    pub(crate) story: StoryId,
    /// Run the tests now, on the files of this commit
    #[arg(long, value_name = "COMMIT")]
    pub(crate) at: Option<String>,
    /// Commit whose test files run [default: HEAD]
    #[arg(long, value_name = "COMMIT", requires = "at")]
    pub(crate) tests_of: Option<String>,
    /// Run the tests with your rights, without a sandbox
    #[arg(long, requires = "at")]
    pub(crate) no_sandbox: bool,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const PR_HELP: &str = "\
Examples:
  ralph-loop pr --dry-run   show the pull request without opening it
  ralph-loop pr             push the branch; open or update a draft
  ralph-loop pr --ready     ask for reviews

A second call changes nothing if nothing changed. The branch is never pushed with force. `ralph-loop run --pr` does the \
same when a run ends. docs/forge.md has the permissions of the access token.

Exit codes: 0 done, 1 try again later, 2 usage error or failed precondition, 5 git failed.";

#[derive(Debug, Args)]
#[command(after_help = PR_HELP)]
pub(crate) struct PrArgs {
    /// Run id or its beginning [default: the latest run]
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Print title, branches and text; needs no access token
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Not as a draft
    #[arg(long)]
    pub(crate) ready: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

const STATS_HELP: &str = "\
Examples:
  ralph-loop stats --since 7d             the last seven days
  ralph-loop stats --since 2026-11-01     from that day on
  ralph-loop stats --html stats.html      a page to share
  ralph-loop stats --json | jq .perStory  iterations, time and cost of a story

A review belongs to the agent that reviewed, a finished story to the agent that coded last. Averages of a story contain \
the work on unfinished stories. The estimate at the start of a run uses the newest runs.";

#[derive(Debug, Args)]
#[command(after_help = STATS_HELP)]
#[command(mut_arg("ralph_dir", |arg| arg.help(RALPH_DIR)))]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Leave out what happened before: a duration such as 7d, or a date such as 2026-11-01
    #[arg(long, value_name = "DURATION-OR-DATE", value_parser = since::parse)]
    pub(crate) since: Option<DateTime<Utc>>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write an HTML page to this file; `-` is stdout
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

const SERVE_HELP: &str = "\
The link contains a token, and only requests with the token see the page. The page is read-only unless you give \
--allow-orders. Each start makes a new token; RALPH_SERVE_TOKEN sets it.

From another machine: ssh -L 8123:127.0.0.1:8123 HOST, with --port 8123 here.

Exit codes: 0 stopped or the run ended, 2 usage error or the address cannot be used.";

#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
#[command(mut_arg("ralph_dir", |arg| arg.help(RALPH_DIR)))]
pub(crate) struct ServeArgs {
    /// Run id or its beginning [default: the latest run, and each later one]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Port to listen on [default: a free port]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Address to listen on; a public one needs --allow-remote
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    #[arg(value_parser = address)]
    pub(crate) bind: IpAddr,
    /// Allow other machines; plain HTTP, so the network can read page and token
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// Host name that browsers may use, with a port if it differs; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Let the page control the run and answer its questions
    #[arg(long)]
    pub(crate) allow_orders: bool,
    /// Exit when the run ends and every open page shows it
    #[arg(long)]
    pub(crate) until_end: bool,
    /// Print the link as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Names are not resolved: a name can have several addresses, and some of them can be public.
fn address(text: &str) -> Result<IpAddr, &'static str> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    text.parse().map_err(|_| "expected an address such as 127.0.0.1 or ::1, or localhost")
}
