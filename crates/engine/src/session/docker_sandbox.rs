//! Prepares the Docker sandbox of a run and puts sessions of Claude Code into it.

use std::ffi::OsString;
use std::path::PathBuf;

use agents::{Agent, CommandLine};
use supervise::{EndReason, Ended, Exit};

use crate::RunError;
use crate::control::RunControl;
use crate::isolation::docker::{DockerSandbox, SandboxContext};
use crate::options::{AgentOptions, SessionIsolation};

impl RunControl<'_> {
    /// The sandbox for these agents; `None` if all of them run on the host.
    pub(crate) fn prepare_sandbox<'o>(
        &mut self,
        agents: impl IntoIterator<Item = &'o AgentOptions>,
    ) -> Result<Option<DockerSandbox>, RunError> {
        let (layout, keeper) = (&self.options.layout, &self.options.keeper);
        let mut docker = None;
        for agent in agents {
            match &agent.isolation.chosen {
                SessionIsolation::Docker(isolation) => docker = Some(isolation),
                SessionIsolation::Sandbox(sandbox) => {
                    sandbox.remove_leftovers(keeper, layout.root())?
                }
                SessionIsolation::Guard | SessionIsolation::Open => {}
            }
        }
        // No session runs in the verification clone.
        let has_sessions = self.options.lane.is_none_or(|lane| lane.number > 0);
        let Some(docker) = docker.filter(|_| has_sessions) else { return Ok(None) };
        let context = SandboxContext { layout, keeper, switch: self.switch };
        let sink = &self.sink;
        sink.leftover_found("preparing the sandbox; the first time takes a few minutes");
        DockerSandbox::prepare(docker, context, &mut |text| sink.leftover_found(text)).map(Some)
    }

    /// The command line wrapped for the sandbox; unchanged without one.
    pub(crate) fn enter_sandbox(
        &mut self,
        agent: Agent,
        command: CommandLine,
    ) -> Result<CommandLine, RunError> {
        let Some((sandbox, context)) = self.sandbox_of(agent) else { return Ok(command) };
        let mut own = files_of(&command);
        own.push(context.layout.marker());
        let wrapped = sandbox.wrap(command)?;
        sandbox.before_session(context, &own)?;
        Ok(wrapped)
    }

    /// A sandbox that cannot be stopped now must be stopped before the next session.
    pub(crate) fn leave_sandbox(&mut self, agent: Agent, ended: &Ended) {
        let Some((sandbox, context)) = self.sandbox_of(agent) else { return };
        if let (EndReason::ByItself, Some(Exit::Code(_))) = (ended.how, ended.exit) {
            sandbox.after_session(context);
        } else if let Err(error) = sandbox.after_interrupted_session(context) {
            self.sink.warn(format!("the agent may still be running: {error}"));
        }
    }

    /// A sign-in on the host is not valid in the sandbox.
    pub(crate) fn report_sign_in(&mut self, agent: Agent) {
        let Some((sandbox, _)) = self.sandbox_of(agent) else { return };
        let sign_in = sandbox.sign_in();
        self.sink.warn(format!(
            "Claude Code is not signed in inside the sandbox: run `{sign_in}`, then /login (once for all \
             sandboxes)"
        ));
    }

    fn sandbox_of(&mut self, agent: Agent) -> Option<(&mut DockerSandbox, SandboxContext<'_>)> {
        let sandbox = self.sandbox.as_mut().filter(|_| agent == Agent::Claude)?;
        let (layout, keeper) = (&self.options.layout, &self.options.keeper);
        Some((sandbox, SandboxContext { layout, keeper, switch: self.switch }))
    }
}

/// Files that the runner writes for a session and Claude Code reads at its start.
fn files_of(command: &CommandLine) -> Vec<PathBuf> {
    let named = |flag: &OsString| flag == "--append-system-prompt-file" || flag == "--mcp-config";
    let pairs = command.args.windows(2).filter(|pair| named(&pair[0]));
    pairs.map(|pair| PathBuf::from(&pair[1])).filter(|path| path.is_absolute()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn files_that_a_session_begins_with_are_found_in_its_call() {
        let args = ["-p", "--append-system-prompt-file", "/a b", "--mcp-config", "/c", "--x", "/d"];
        let mut command = CommandLine {
            program: "claude".into(),
            args: args.map(OsString::from).into(),
            environment: Vec::new(),
            stdin: String::new(),
        };
        assert_eq!(files_of(&command), [PathBuf::from("/a b"), PathBuf::from("/c")]);
        command.args = vec!["--mcp-config".into(), "{}".into()];
        assert_eq!(files_of(&command), Vec::<PathBuf>::new());
    }
}
