//! An interactive agent session on the user's terminal: the user answers questions and grants permissions. It is not
//! recorded.

use std::io::{self, IsTerminal};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agents::{CommandLine, Request};
use anyhow::{Context, Result};
use engine::{AgentOptions, RunOptions};

use crate::signals;

/// `None` without a terminal, or if the agent has no interactive mode.
pub(super) fn command(agent: &AgentOptions, prompt: &str) -> Option<CommandLine> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return None;
    }
    let request = Request {
        prompt: prompt.to_owned(),
        model: agent.model.clone(),
        extra_args: agent.extra_args.clone(),
        ..Request::default()
    };
    let mut line = agent.agent.interactive(&agent.program, &request)?;
    line.environment.extend(engine::kept_back(agent.agent));
    line.environment.extend(agent.environment.iter().cloned());
    Some(line)
}

/// Waits for the session. Its exit code is ignored: the files on disk decide.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that starts a program with the user's terminal"
)]
pub(super) fn run(line: CommandLine, run: &RunOptions) -> Result<()> {
    // Ctrl-C is for the session.
    signals::note(&Arc::new(AtomicBool::new(false)))?;
    let mut command = Command::new(&line.program);
    command.args(&line.args).current_dir(run.layout.root());
    for (name, value) in line.environment {
        match value.into_inner() {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let program = line.program.display();
    command.status().with_context(|| format!("cannot start {program}"))?;
    Ok(())
}
