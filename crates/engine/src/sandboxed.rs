//! A sandbox is prepared for a run; a session of Claude Code goes into it and comes out again.

use std::ffi::OsString;
use std::path::PathBuf;

use agents::{Agent, CommandLine};
use supervise::Ended;

use crate::RunError;
use crate::isolation::docker::{DockerSandbox, Ground, SessionEnd};
use crate::options::{AgentOptions, SessionIsolation};
use crate::session_context::SessionContext;

impl SessionContext<'_, '_> {
    /// The sandbox that one of these agents is to work in; none if all of them work on the host.
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
        let Some(docker) = docker else { return Ok(None) };
        let ground = Ground { layout, keeper, switch: self.switch };
        let sink = &mut *self.sink;
        sink.found("the sandbox is being prepared; the first time takes a few minutes");
        DockerSandbox::prepare(docker, ground, &mut |text| sink.found(text)).map(Some)
    }

    /// The call as it is made in the sandbox, which is ready for it; the call itself where there is none.
    pub(crate) fn enter_sandbox(
        &mut self,
        agent: Agent,
        command: CommandLine,
    ) -> Result<CommandLine, RunError> {
        let Some((sandbox, ground)) = self.sandbox_of(agent) else { return Ok(command) };
        let mut own = files_of(&command);
        own.push(ground.layout.marker());
        let wrapped = sandbox.wrap(command)?;
        sandbox.before_session(ground, &own)?;
        Ok(wrapped)
    }

    /// What cannot be stopped now has to be before the next session.
    pub(crate) fn leave_sandbox(&mut self, agent: Agent, ended: &Ended) {
        let Some((sandbox, ground)) = self.sandbox_of(agent) else { return };
        if let Err(error) = sandbox.after_session(ground, SessionEnd::from(ended)) {
            self.sink.warn(format!("the agent may still be at work: {error}"));
        }
    }

    /// Who is signed in on the host is not signed in there.
    pub(crate) fn report_sign_in(&mut self, agent: Agent) {
        let Some((sandbox, _)) = self.sandbox_of(agent) else { return };
        let sign_in = sandbox.sign_in();
        self.sink.warn(format!(
            "nobody is signed in to Claude Code in the sandbox: `{sign_in}`, then /login, signs in once \
             for all sandboxes"
        ));
    }

    fn sandbox_of(&mut self, agent: Agent) -> Option<(&mut DockerSandbox, Ground<'_>)> {
        let sandbox = self.sandbox.as_deref_mut().filter(|_| agent == Agent::Claude)?;
        let (layout, keeper) = (&self.options.layout, &self.options.keeper);
        Some((sandbox, Ground { layout, keeper, switch: self.switch }))
    }
}

/// What the runner writes for a session and Claude Code reads as it begins.
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
