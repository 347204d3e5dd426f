//! The options that every loop has. What is not given comes from the settings, and then from their
//! defaults; `settings::Flags` is how it is told.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use settings::Flags;

use super::count_arg::turns;
use super::{ConfigArgs, LookArgs, ProjectArgs, SandboxArgs};

#[derive(Debug, Clone, Args)]
pub(crate) struct LoopArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    /// Who does the work: claude, codex, amp, cline, opencode, gemini, copilot, or any command that
    /// takes a prompt [default: claude]
    #[arg(long, value_name = "AGENT", help_heading = "Agent")]
    pub(crate) agent: Option<String>,
    /// Where the agent's program is [default: found in PATH]
    #[arg(long, value_name = "PATH", help_heading = "Agent")]
    pub(crate) agent_program: Option<PathBuf>,
    /// The model to go on with where the agent's own is overloaded
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) fallback_model: Option<String>,
    /// Turns of the agent in one iteration
    #[arg(long, value_name = "N", help_heading = "Agent", value_parser = turns)]
    pub(crate) max_turns: Option<u64>,
    /// One more argument for the agent; may be given several times, instead of the settings' flags
    #[arg(long, value_name = "ARG", help_heading = "Agent", allow_hyphen_values = true)]
    pub(crate) agent_arg: Vec<String>,
    /// How a command without an adapter takes its prompt; refused for the other agents [default: stdin]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Agent")]
    pub(crate) prompt_via: Option<PromptViaArg>,

    #[command(flatten, next_help_heading = "Isolation")]
    pub(crate) isolation: SandboxArgs,

    /// End the run before it costs more than this (exit code 3)
    #[arg(long, value_name = "USD", help_heading = "Ceilings", value_parser = dollars)]
    pub(crate) max_cost_usd: Option<f64>,
    /// End the run once this much of a usage window is used (exit code 3)
    #[arg(long, value_name = "PERCENT", help_heading = "Ceilings")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) max_quota: Option<u8>,
    /// When the usage limit is reached: sleep until its reset, or end the run (exit code 3)
    /// [default: wait]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Ceilings")]
    pub(crate) on_limit: Option<OnLimit>,

    /// One session of the agent (90s, 45m, 2h); 0s for no limit [default: 12m warns, 20m ends; over
    /// a prompt, 60m ends]
    #[arg(long, value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) iteration_timeout: Option<Duration>,
    /// The agent prints nothing; 0s for no limit [default: 15m]
    #[arg(long, value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) idle_timeout: Option<Duration>,
    /// One of your checks; 0s for no limit [default: 5m warns, 10m ends]
    #[arg(long, alias = "gate-timeout", value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) check_timeout: Option<Duration>,
    /// The whole run, which then ends with everything saved (exit code 1); 0s for no limit [default:
    /// 45m warns, 60m ends; over a prompt, none]
    #[arg(long, value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) run_timeout: Option<Duration>,
    /// Makes the limits of sessions, reviews, checks and the run longer or shorter, for work that is
    /// known to take long: 2 doubles them [default: 1]
    #[arg(long, value_name = "X", help_heading = "Time", value_parser = multiplier)]
    pub(crate) timeout_multiplier: Option<f64>,
    /// After its result, for the agent to exit; then it is ended, and its answer counts
    /// [default: 30s]
    #[arg(long, value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) linger: Option<Duration>,
    /// After the first Ctrl-C, for the agent to finish its answer [default: 30s]
    #[arg(long, value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) stop_grace: Option<Duration>,
    /// Between two iterations [default: 0s]
    #[arg(long, value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) pause: Option<Duration>,
    /// Retries in a row when the agent crashes or gives an empty answer [default: 3]
    #[arg(long, value_name = "N", help_heading = "Time")]
    pub(crate) retries: Option<u64>,
    /// Before the first retry; doubled with each one [default: 5s]
    #[arg(long, value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) retry_wait: Option<Duration>,

    /// Go on with the last run, however it ended: its iterations, time and cost count on, so give it
    /// more of what was used up. Stories that failed stay set aside. A run that is paused goes on with
    /// `ralph-loop resume`
    #[arg(long, conflicts_with = "fresh", help_heading = "Start")]
    pub(crate) resume: bool,
    /// Begin a new run, whatever the last one left: everything counts anew, and stories that failed
    /// are tried again. What is done stays done
    #[arg(long, help_heading = "Start")]
    pub(crate) fresh: bool,
    /// The settings are what you want, though they changed while a session ran that was cut off
    #[arg(long, help_heading = "Start")]
    pub(crate) trust_settings: bool,
    /// Print what the first iteration would do: command and prompt
    #[arg(long, help_heading = "Start")]
    pub(crate) dry_run: bool,

    /// For people, or events as JSON lines on standard output (progress then goes to standard error)
    #[arg(
        long,
        value_enum,
        default_value = "human",
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub(crate) output: OutputFormat,
    /// A dashboard on the whole terminal, as `ralph-loop watch` shows it; q goes back to lines
    #[arg(long, help_heading = "Output", conflicts_with = "output")]
    pub(crate) tui: bool,
    /// Show the agent's text and tool calls [default]
    #[arg(long, help_heading = "Output", overrides_with = "no_stream_agent_output")]
    pub(crate) stream_agent_output: bool,
    /// Leave out the agent's text and tool calls
    #[arg(long, help_heading = "Output")]
    pub(crate) no_stream_agent_output: bool,
    /// A time before every line
    #[arg(long, help_heading = "Output", overrides_with = "no_timestamps")]
    pub(crate) timestamps: bool,
    /// No time before the lines [default]
    #[arg(long, help_heading = "Output")]
    pub(crate) no_timestamps: bool,
    /// A word when the run has finished, failed or needs attention, as the settings say [default]
    #[arg(long, help_heading = "Output", overrides_with = "no_notify")]
    pub(crate) notify: bool,
    /// No notices: no bell, no command, no webhook
    #[arg(long, help_heading = "Output")]
    pub(crate) no_notify: bool,
    /// Tell each step on standard error: settings, commands, prompt, exit codes, timing
    #[arg(short = 'V', long, help_heading = "Output")]
    pub(crate) verbose: bool,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) look: LookArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromptViaArg {
    Stdin,
    Argument,
    File,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnLimit {
    Wait,
    Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    Human,
    Json,
    /// Progress on standard error: standard output is for what the command itself prints at its end.
    #[value(skip)]
    Result,
}

impl LoopArgs {
    /// What is given, as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.look.flags();
        flags.set_if("--agent", &["agent", "command"], self.agent.clone());
        let fallback_model = self.fallback_model.clone();
        flags.set_if("--fallback-model", &["agent", "fallbackModel"], fallback_model);
        flags.set_if("--max-turns", &["agent", "maxTurns"], self.max_turns);
        if !self.agent_arg.is_empty() {
            flags.set("--agent-arg", &["agent", "flags"], self.agent_arg.clone());
        }
        flags.set_if("--prompt-via", &["agent", "promptVia"], self.prompt_via.map(word));
        self.isolation.set(&mut flags);
        flags.set_if("--max-cost-usd", &["maxCostUsd"], self.max_cost_usd);
        flags.set_if("--max-quota", &["maxQuotaPercent"], self.max_quota);
        flags.set_if("--on-limit", &["onUsageLimit"], self.on_limit.map(word));
        for (name, key, time) in [
            ("--iteration-timeout", "iteration", self.iteration_timeout),
            ("--idle-timeout", "idle", self.idle_timeout),
            ("--check-timeout", "guardrail", self.check_timeout),
            ("--run-timeout", "run", self.run_timeout),
            ("--linger", "linger", self.linger),
            ("--stop-grace", "stopGrace", self.stop_grace),
        ] {
            flags.set_if(name, &["timeLimits", key], time.map(in_words));
        }
        let multiplier = self.timeout_multiplier;
        flags.set_if("--timeout-multiplier", &["timeLimits", "multiplier"], multiplier);
        flags.set_if("--pause", &["pause"], self.pause.map(in_words));
        flags.set_if("--retries", &["retries", "most"], self.retries);
        flags.set_if("--retry-wait", &["retries", "firstWait"], self.retry_wait.map(in_words));
        if self.no_stream_agent_output {
            flags.set("--no-stream-agent-output", &["streamAgentOutput"], false);
        } else if self.stream_agent_output {
            flags.set("--stream-agent-output", &["streamAgentOutput"], true);
        }
        if self.no_notify {
            flags.set("--no-notify", &["notifications", "on"], Vec::<String>::new());
        } else if self.notify {
            let all = Vec::from(["finished", "failed", "needs-attention"]);
            flags.set("--notify", &["notifications", "on"], all);
        }
        if self.no_timestamps {
            flags.set("--no-timestamps", &["display", "timestamps"], false);
        } else if self.timestamps {
            flags.set("--timestamps", &["display", "timestamps"], true);
        }
        flags
    }
}

/// The word that stands for it on the command line, and in the settings too.
pub(super) fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

pub(super) fn in_words(time: Duration) -> String {
    humantime::format_duration(time).to_string()
}

pub(super) fn time(text: &str) -> Result<Duration, humantime::DurationError> {
    humantime::parse_duration(text)
}

fn multiplier(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(by) if by > 0.0 && by <= 1000.0 => Ok(by),
        _ => Err("a number above 0 and up to 1000 is expected, such as 2 or 0.5".into()),
    }
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.trim_start_matches('$').parse::<f64>() {
        Ok(amount) if amount.is_finite() && amount > 0.0 => Ok(amount),
        _ => Err("an amount above 0 is expected, such as 5 or 2.50".into()),
    }
}
