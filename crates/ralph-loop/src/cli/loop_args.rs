//! The options of every loop. An option that is not given comes from the settings (`settings::Flags`).

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use run_options::{NoticeClass, OnUsageLimit, PromptVia, TimeSpan, Word};
use settings::Flags;

use super::count_arg::count;
use super::{ConfigArgs, LookArgs, SandboxArgs};

#[derive(Debug, Clone, Args)]
pub(crate) struct LoopArgs {
    #[command(flatten)]
    pub(crate) place: ConfigArgs,

    /// Agent: claude, codex, amp, cline, opencode, gemini, copilot, or a command [default: claude]
    #[arg(long, value_name = "AGENT", help_heading = "Agent")]
    pub(crate) agent: Option<String>,
    /// Path of the agent's program [default: found in PATH]
    #[arg(long, value_name = "PATH", help_heading = "Agent")]
    pub(crate) agent_program: Option<PathBuf>,
    /// Model to use while the first one is overloaded
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) fallback_model: Option<String>,
    /// Limit the turns of the agent per iteration
    #[arg(long, value_name = "N", help_heading = "Agent", value_parser = count("turn"))]
    pub(crate) max_turns: Option<u64>,
    /// Additional argument for the agent; repeatable, replaces agent.flags of the settings
    #[arg(long, value_name = "ARG", help_heading = "Agent", allow_hyphen_values = true)]
    pub(crate) agent_arg: Vec<String>,
    /// How a command without an adapter gets its prompt [default: stdin]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Agent")]
    pub(crate) prompt_via: Option<PromptVia>,

    #[command(flatten, next_help_heading = "Isolation")]
    pub(crate) isolation: SandboxArgs,

    /// End the run before it costs more (exit code 3)
    #[arg(long, value_name = "USD", help_heading = "Limits", value_parser = dollars)]
    pub(crate) max_cost_usd: Option<f64>,
    /// End the run when this share of a usage window is used (exit code 3)
    #[arg(long, value_name = "PERCENT", help_heading = "Limits")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) max_quota: Option<u8>,
    /// At the usage limit: wait for the reset, or end the run with exit code 3 [default: wait]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Limits")]
    pub(crate) on_limit: Option<OnUsageLimit>,

    /// Time limit of a session, such as 90s, 45m or 2h; 0s for none [default: 20m, warning at 12m; in prompt loops 60m]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) iteration_timeout: Option<TimeSpan>,
    /// Time limit without output of the agent; 0s for none [default: 15m]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) idle_timeout: Option<TimeSpan>,
    /// Time limit of a check; 0s for none [default: 10m, warning at 5m]
    #[arg(long, alias = "gate-timeout", value_name = "TIME", help_heading = "Time")]
    pub(crate) check_timeout: Option<TimeSpan>,
    /// Time limit of the run; 0s for none [default: 60m, warning at 45m; none in prompt loops]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) run_timeout: Option<TimeSpan>,
    /// Multiply the time limits of sessions, reviews, checks and the run [default: 1]
    #[arg(long, value_name = "X", help_heading = "Time", value_parser = multiplier)]
    pub(crate) timeout_multiplier: Option<f64>,
    /// Time for the agent to exit after its result; then it is killed and the result counts [default: 30s]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) linger: Option<TimeSpan>,
    /// Time for the agent to finish its answer after the first Ctrl-C [default: 30s]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) stop_grace: Option<TimeSpan>,
    /// Pause between two iterations [default: 0s]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) pause: Option<TimeSpan>,
    /// Retries in a row after a crash or an empty answer [default: 3]
    #[arg(long, value_name = "N", help_heading = "Time")]
    pub(crate) retries: Option<u64>,
    /// Wait before the first retry; doubled with each retry [default: 5s]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) retry_wait: Option<TimeSpan>,

    /// Resume the last run with its counters; given-up stories stay given up
    #[arg(long, conflicts_with = "fresh", help_heading = "Start")]
    pub(crate) resume: bool,
    /// Start a new run with new counters; stories that were given up are tried again
    #[arg(long, help_heading = "Start")]
    pub(crate) fresh: bool,
    /// Accept settings that changed during a session that was cut off
    #[arg(long, help_heading = "Start")]
    pub(crate) trust_settings: bool,
    /// Print the prompt and the command of the first iteration; start nothing
    #[arg(long, help_heading = "Start")]
    pub(crate) dry_run: bool,

    /// Output format: text, or events as JSON lines on stdout with progress on stderr
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    #[arg(default_value = "human")]
    pub(crate) output: OutputFormat,
    /// Show a full-screen dashboard, as `ralph-loop watch`
    #[arg(long, help_heading = "Output", conflicts_with = "output")]
    pub(crate) tui: bool,
    /// Show the agent's text and tool calls [default]
    #[arg(long, help_heading = "Output", overrides_with = "no_stream_agent_output")]
    pub(crate) stream_agent_output: bool,
    /// Hide the agent's text and tool calls
    #[arg(long, help_heading = "Output")]
    pub(crate) no_stream_agent_output: bool,
    /// Print the time before every line
    #[arg(long, help_heading = "Output", overrides_with = "no_timestamps")]
    pub(crate) timestamps: bool,
    /// Print no times [default]
    #[arg(long, help_heading = "Output")]
    pub(crate) no_timestamps: bool,
    /// Send a notification when the run finishes, fails or needs attention [default]
    #[arg(long, help_heading = "Output", overrides_with = "no_notify")]
    pub(crate) notify: bool,
    /// Send no notifications
    #[arg(long, help_heading = "Output")]
    pub(crate) no_notify: bool,
    /// Print each step to stderr: settings, commands, prompts, exit codes, times
    #[arg(short = 'V', long, help_heading = "Output")]
    pub(crate) verbose: bool,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) look: LookArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    Human,
    Json,
    /// Progress on stderr; stdout is for the result of the command.
    #[value(skip)]
    Result,
}

impl LoopArgs {
    /// The given options as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.look.flags();
        flags.set_if("--agent", &["agent", "command"], self.agent.as_ref());
        let fallback_model = self.fallback_model.as_ref();
        flags.set_if("--fallback-model", &["agent", "fallbackModel"], fallback_model);
        flags.set_if("--max-turns", &["agent", "maxTurns"], self.max_turns);
        if !self.agent_arg.is_empty() {
            flags.set("--agent-arg", &["agent", "flags"], &self.agent_arg);
        }
        flags.set_if("--prompt-via", &["agent", "promptVia"], self.prompt_via);
        self.isolation.set(&mut flags);
        flags.set_if("--max-cost-usd", &["maxCostUsd"], self.max_cost_usd);
        flags.set_if("--max-quota", &["maxQuotaPercent"], self.max_quota);
        flags.set_if("--on-limit", &["onUsageLimit"], self.on_limit);
        for (name, key, time) in [
            ("--iteration-timeout", "iteration", self.iteration_timeout),
            ("--idle-timeout", "idle", self.idle_timeout),
            ("--check-timeout", "guardrail", self.check_timeout),
            ("--run-timeout", "run", self.run_timeout),
            ("--linger", "linger", self.linger),
            ("--stop-grace", "stopGrace", self.stop_grace),
        ] {
            flags.set_if(name, &["timeLimits", key], time);
        }
        let multiplier = self.timeout_multiplier;
        flags.set_if("--timeout-multiplier", &["timeLimits", "multiplier"], multiplier);
        flags.set_if("--pause", &["pause"], self.pause);
        flags.set_if("--retries", &["retries", "most"], self.retries);
        flags.set_if("--retry-wait", &["retries", "firstWait"], self.retry_wait);
        let names = ["--stream-agent-output", "--no-stream-agent-output"];
        let stream = [self.stream_agent_output, self.no_stream_agent_output];
        flags.set_switch(names, &["streamAgentOutput"], stream);
        if self.no_notify {
            flags.set("--no-notify", &["notifications", "on"], [(); 0]);
        } else if self.notify {
            flags.set("--notify", &["notifications", "on"], NoticeClass::ALL);
        }
        let timestamps = [self.timestamps, self.no_timestamps];
        let names = ["--timestamps", "--no-timestamps"];
        flags.set_switch(names, &["display", "timestamps"], timestamps);
        flags
    }
}

fn multiplier(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(by) if by > 0.0 && by <= 1000.0 => Ok(by),
        _ => Err("expected a number above 0 and up to 1000, such as 2 or 0.5".into()),
    }
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.trim_start_matches('$').parse::<f64>() {
        Ok(amount) if amount.is_finite() && amount > 0.0 => Ok(amount),
        _ => Err("expected an amount above 0, such as 5 or 2.50".into()),
    }
}
