//! The simulated agent replaces `claude -p`, or `codex exec`, in the demo and in end-to-end tests.
//!
//! It takes Claude Code's flags, prints its stream, runs the real hooks of a plugin and changes the
//! project. A [`Scenario`] defines what it does; without one it works honestly on its assignment.
//! With `--json-schema` it ends with a structured answer: a handoff of its story, or what the
//! scenario's `structured` or `handoff` says. A review ends with the verdict of the task list, or
//! with that of the scenario's `verdict`. The format of its lines is that of Claude Code 2.1.325.

mod act;
mod answer;
mod arguments;
mod assignment;
mod claude_lines;
mod codex_lines;
#[cfg_attr(not(unix), allow(dead_code, reason = "only a signal needs some of it"))]
mod command;
mod config_paths;
#[cfg_attr(not(unix), allow(dead_code, reason = "only a signal needs some of it"))]
mod ending;
mod failures;
mod final_answer;
mod handoff;
mod honest;
mod hook_run;
mod hooks;
mod message;
mod noise;
mod perform;
mod plugin;
mod scenario;
mod session;
#[cfg(unix)]
mod signals;
mod specify;
#[cfg_attr(not(unix), allow(dead_code, reason = "only a signal needs some of it"))]
mod stream;
mod tally;
mod task_edit;
mod tool;
mod tool_calls;
mod verdict;
mod visits;
mod when;

use std::error::Error;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use project::Layout;

pub use self::act::{Act, LimitStatus, Lingering};
use self::arguments::{Arguments, VERSION};
use self::assignment::Assignment;
use self::config_paths::ConfigPaths;
pub use self::scenario::Scenario;
use self::session::Session;
pub use self::verdict::ScenarioVerdict;
pub use self::when::When;

/// The file with the scenario of the agent; without it the agent is honest.
pub const SCENARIO_VARIABLE: &str = "RALPH_SCENARIO";

/// Milliseconds that the agent pauses after each line, for spectators.
pub const PAUSE_VARIABLE: &str = "RALPH_SIMULATED_PAUSE_MS";

/// If set, tools ignore the denial of a hook.
pub const IGNORE_DENIALS_VARIABLE: &str = "RALPH_SIMULATED_IGNORE_DENIALS";

/// Runs one session, or another command that the arguments name, and returns the exit code. Prints
/// on stderr why a session could not start.
pub fn run_agent(args: impl IntoIterator<Item = String>) -> u8 {
    let args: Vec<String> = args.into_iter().collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words[..] {
        [command::IN_OWN_SESSION, script] => Err(command::become_command(script).into()),
        [command::AS_DAEMON, pid_file, script] => {
            command::start_daemon(script, Path::new(pid_file)).map(|()| 0).map_err(Into::into)
        }
        ["--version" | "-v"] => {
            writeln!(io::stdout(), "{VERSION} (Claude Code)").map(|()| 0).map_err(Into::into)
        }
        _ => session(args),
    };
    done.unwrap_or_else(|error| {
        // If stderr is closed too, only the exit code reports the error.
        let _ = writeln!(io::stderr(), "simulated-agent: {error}");
        1
    })
}

fn session(words: Vec<String>) -> Result<u8, Box<dyn Error>> {
    let args = Arguments::parse(words.clone())?;
    let is_set = |(name, value): &(String, String)| std::env::var(name).as_ref() == Ok(value);
    if !args.variables.iter().all(is_set) {
        return Err(command::restart_with(&words, &args.variables).into());
    }
    let layout = Layout::new(std::env::current_dir()?);
    let assignment = Assignment::read(layout, args.chosen_id.as_deref());
    let scenario_path = std::env::var_os(SCENARIO_VARIABLE).filter(|path| !path.is_empty());
    let (scenario, visit) = match scenario_path.map(PathBuf::from) {
        Some(path) => {
            let scenario = Scenario::load(&path)?;
            let visit = visits::count(&scenario.memory_folder(&path), &assignment)?;
            (scenario, visit)
        }
        None => (Scenario::new(), 1),
    };
    let mut prompt = args.prompt.clone().unwrap_or_default().into_bytes();
    if args.prompt.is_none() && !scenario.has_unread_prompts() {
        io::stdin().read_to_end(&mut prompt)?;
    }
    let prompt = String::from_utf8_lossy(&prompt);
    let honest;
    let (acts, when_blocked) = match scenario.plan(&assignment, visit, (&prompt, &words.join(" ")))
    {
        Some(plan) => plan,
        None => {
            let list = task_edit::read(&assignment.layout.tasks()).unwrap_or_default();
            honest = self::honest::acts(&assignment, &list, args.structured_answer);
            (&honest[..], &[][..])
        }
    };
    if !acts.contains(&Act::NotReading) {
        io::stdin().read_to_end(&mut Vec::new())?;
    }
    let config_paths = ConfigPaths::from_env(&args.session_id);
    let mut session = Session::new(args, assignment, config_paths.clone())?;
    #[cfg(unix)]
    signals::watch_for(&session, &config_paths)?;
    let ended = session.run(acts, when_blocked);
    match session.lingering {
        Some(Lingering::Ms(ms)) => std::thread::sleep(Duration::from_millis(ms)),
        Some(Lingering::Forever) => park_forever(),
        None => {}
    }
    config_paths.remove_if_temporary();
    Ok(ended?.exit_code())
}

fn park_forever() -> ! {
    loop {
        std::thread::park();
    }
}

/// The number in a variable, if it has one.
fn number_from_env<T: FromStr>(name: &str, default: T) -> T {
    project::env::variable(name).and_then(|text| text.parse().ok()).unwrap_or(default)
}
