//! The simulated agent: stands in for `claude -p` in the demo and in end-to-end tests, and for
//! `codex exec` where it is called like that.
//!
//! It takes Claude Code's flags, prints its stream, runs the real hooks of a plugin and really
//! changes the project; only the thinking is pretended. What it does is decided by a [`Scenario`],
//! else it works honestly on its assignment. Given `--json-schema` it ends by a structured answer: the
//! honest agent by a handoff of its story, a scenario by `structured` or `handoff`. A review ends with the verdict that it
//! wrote into the task list, or with what `verdict` says. The shapes of its lines are those of
//! Claude Code 2.1.325.

mod act;
mod answer;
mod arguments;
mod assignment;
mod claude_lines;
mod codex_lines;
#[cfg_attr(not(unix), allow(dead_code, reason = "only a signal needs some of it"))]
mod command;
#[cfg_attr(not(unix), allow(dead_code, reason = "only a signal needs some of it"))]
mod ending;
mod handoff;
mod hands;
mod honest;
mod hook_run;
mod hooks;
mod noise;
mod perform;
mod places;
mod plugin;
mod said;
mod scenario;
mod session;
mod signals;
#[cfg_attr(not(unix), allow(dead_code, reason = "only a signal needs some of it"))]
mod stream;
mod tally;
mod task_edit;
mod tool;
mod trouble;
mod verdict;
mod visits;
mod when;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use project::Layout;

pub use self::act::{Act, LimitStatus, Lingering};
use self::arguments::{ArgumentError, Arguments, VERSION};
use self::assignment::Assignment;
use self::places::Places;
use self::scenario::Plan;
pub use self::scenario::{Scenario, ScenarioError};
use self::session::Session;
pub use self::verdict::SaidVerdict;
pub use self::when::When;

/// Read by the agent: the file with its scenario; without it the agent is honest.
pub const SCENARIO_VARIABLE: &str = "RALPH_SCENARIO";

/// Read by the agent: how many milliseconds it pauses after each line, for those who watch.
pub const PAUSE_VARIABLE: &str = "RALPH_SIMULATED_PAUSE_MS";

/// Switched on, tools do what a hook denied.
pub const UNHEEDING_VARIABLE: &str = "RALPH_SIMULATED_UNHEEDING";

/// Why there was no session. It is said on stderr and ends the agent with 1.
#[derive(Debug, thiserror::Error)]
enum AgentError {
    #[error("{0}")]
    Arguments(#[from] ArgumentError),
    #[error("{0}")]
    Scenario(#[from] ScenarioError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Lives one session, or whatever else the arguments ask for, and returns the exit code.
pub fn run_agent(args: impl IntoIterator<Item = String>) -> u8 {
    let args: Vec<String> = args.into_iter().collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words[..] {
        [command::IN_OWN_SESSION, script] => Err(command::become_command(script).into()),
        [command::AS_DAEMON, pid_file, script] => {
            command::leave_behind(script, Path::new(pid_file)).map(|()| 0).map_err(Into::into)
        }
        ["--version" | "-v"] => version().map_err(Into::into),
        _ => session(args),
    };
    done.unwrap_or_else(|error| {
        // Where stderr is gone too, the exit code has to do.
        let _ = writeln!(io::stderr(), "simulated-agent: {error}");
        1
    })
}

fn version() -> io::Result<u8> {
    writeln!(io::stdout(), "{VERSION} (Claude Code)").map(|()| 0)
}

fn session(words: Vec<String>) -> Result<u8, AgentError> {
    let args = Arguments::parse(words.clone())?;
    let is_set = |(name, value): &(String, String)| std::env::var(name).as_ref() == Ok(value);
    if !args.variables.iter().all(is_set) {
        return Err(command::become_itself(&words, &args.variables).into());
    }
    let layout = Layout::new(std::env::current_dir()?);
    let assignment = Assignment::read(layout, args.chosen_id.as_deref());
    let scenario_path = std::env::var_os(SCENARIO_VARIABLE).filter(|path| !path.is_empty());
    let scenario_path = scenario_path.map(PathBuf::from);
    let scenario = match &scenario_path {
        Some(path) => Scenario::load(path)?,
        None => Scenario::new(),
    };
    let visit = match &scenario_path {
        Some(path) => visits::count(&scenario.memory_folder(path), &assignment)?,
        None => 1,
    };
    let mut prompt = args.prompt.clone().unwrap_or_default().into_bytes();
    if args.prompt.is_none() && !scenario.has_unread_prompts() {
        io::stdin().read_to_end(&mut prompt)?;
    }
    let prompt = String::from_utf8_lossy(&prompt);
    let honest;
    let (acts, when_blocked) = match scenario.plan(&assignment, visit, &prompt) {
        Plan::Acts { acts, when_blocked } => (acts, when_blocked),
        Plan::Honest => {
            let list = task_edit::read(&assignment.layout.tasks()).unwrap_or_default();
            honest = self::honest::acts(&assignment, &list, args.answering);
            (&honest[..], &[][..])
        }
    };
    if !acts.contains(&Act::NotReading) {
        io::stdin().read_to_end(&mut Vec::new())?;
    }
    let places = Places::from_env(&args.session_id);
    let mut session = Session::new(args, assignment, places.clone())?;
    signals::watch_for(&session, &places)?;
    let ended = session.live(acts, when_blocked);
    match session.lingering {
        Some(Lingering::Ms(ms)) => std::thread::sleep(Duration::from_millis(ms)),
        Some(Lingering::Forever) => loop {
            std::thread::park();
        },
        None => {}
    }
    places.tidy();
    Ok(ended?.exit_code())
}
