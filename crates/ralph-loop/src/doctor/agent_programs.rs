//! The installed agents and the agents that a run uses.

use std::path::{Path, PathBuf};

use agents::Agent;
use supervise::ProgramRunner;

use super::check::{Check, CheckId, Fix};
use super::version::{self, Version, VersionOutput};
use crate::programs::{self, Base};

/// The version with which hooks and stream were tested.
const TESTED_CLAUDE: &str = include_str!("../../../../scripts/claude-code.version");

/// An agent to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WantedAgent {
    pub(crate) agent: Agent,
    pub(crate) command: String,
    /// The path from `--agent-program`.
    pub(crate) program: Option<PathBuf>,
    pub(crate) used_by_run: bool,
    /// Whether it reviews.
    pub(crate) reviews: bool,
}

impl WantedAgent {
    pub(crate) fn name(&self) -> String {
        self.agent.name_of(self.program.as_deref().unwrap_or(Path::new(&self.command)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentFound {
    pub(crate) wanted: WantedAgent,
    pub(crate) program: Option<Program>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// `None` if the program is not a known agent.
    version: Option<VersionOutput>,
}

impl Program {
    /// A program that does not print its version is not tested further.
    pub(crate) fn answers(&self) -> bool {
        matches!(self.version, Some(Ok(_)))
    }
}

/// `of_a_run` first, then every other installed agent.
pub(crate) fn look(of_a_run: Vec<WantedAgent>, runner: &ProgramRunner<'_>) -> Vec<AgentFound> {
    let is_known = |agent: Agent| of_a_run.iter().any(|wanted| wanted.agent == agent);
    let spare = Agent::ALL.iter().copied().filter(|agent| agent.has_adapter() && !is_known(*agent));
    let spare: Vec<WantedAgent> = spare
        .map(|agent| WantedAgent {
            agent,
            command: agent.name().into(),
            program: None,
            used_by_run: false,
            reviews: false,
        })
        .collect();
    let find = |wanted: WantedAgent| {
        let WantedAgent { agent, command, program, .. } = &wanted;
        let path =
            programs::agent(*agent, command, program.as_deref(), Base::Root(runner.folder)).ok();
        // Only known agents are started: another program might do anything with `--version`.
        let version = |path: &Path| agent.has_adapter().then(|| version::ask(path, runner));
        let program = path.map(|path| Program { version: version(&path), path });
        AgentFound { program, wanted }
    };
    let all = of_a_run.into_iter().chain(spare).map(find);
    all.filter(|found| found.wanted.used_by_run || found.program.is_some()).collect()
}

pub(crate) fn judge(found: &AgentFound) -> Check {
    let WantedAgent { agent, command, program, used_by_run, reviews } = &found.wanted;
    let check = match &found.program {
        None => {
            let named = program.as_ref().map(|path| path.display().to_string());
            let command = named.as_ref().unwrap_or(command);
            let found = format!("a run needs it, but {command} is not an executable program");
            let fix = format!("{}, or choose another with --agent", agent.installed().hint);
            CheckId::Agent.problem(found, Fix::todo(fix))
        }
        Some(program) if *reviews && *agent == Agent::Text => weak_reviewer(program),
        Some(program) => installed(*agent, *used_by_run, program),
    };
    check.about(found.wanted.name())
}

/// In plain text, the output of a program that the reviewer runs looks like the reviewer's own message.
fn weak_reviewer(program: &Program) -> Check {
    let found = format!(
        "{}; a run uses it, also to review; its output is plain text, so a program that it runs can forge a verdict",
        program.path.display()
    );
    let fix = "use a reviewer whose stream separates its messages from tool output: --review-agent";
    CheckId::Agent.warning(found, Fix::todo(fix))
}

fn installed(agent: Agent, used_by_run: bool, program: &Program) -> Check {
    let path = program.path.display();
    let use_note = if used_by_run { "; a run uses it" } else { "" };
    match &program.version {
        None => CheckId::Agent.ok(format!("{path}{use_note}; its output is plain text")),
        Some(Ok(output)) => known(agent, output, &format!("{path}{use_note}")),
        Some(Err(why)) => {
            let found = format!("{path} does not report its version: {why}");
            let fix = Fix::run(format!("{} --version", super::quoted(&program.path)));
            match used_by_run {
                true => CheckId::Agent.problem(found, fix),
                false => CheckId::Agent.warning(found, fix),
            }
        }
    }
}

fn known(agent: Agent, output: &str, place: &str) -> Check {
    let tested = TESTED_CLAUDE.trim();
    let update = Fix::run("claude update");
    match Version::of(output) {
        Some(version) if agent == Agent::Claude && version.is_before(tested) => {
            let found = format!("{version}, older than the tested version {tested}; {place}");
            CheckId::Agent.warning(found, update)
        }
        Some(version) => CheckId::Agent.ok(format!("{version}; {place}")),
        None if agent == Agent::Claude => {
            CheckId::Agent.warning(format!("unreadable version: {output}; {place}"), update)
        }
        None => CheckId::Agent.ok(format!("{output}; {place}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    const USED: bool = true;
    const UNUSED: bool = false;

    fn judged(agent: Agent, used_by_run: bool, version: Option<Option<VersionOutput>>) -> Check {
        let wanted = WantedAgent {
            agent,
            command: agent.name().into(),
            program: None,
            used_by_run,
            reviews: false,
        };
        let program = version.map(|version| Program { path: "/bin/x".into(), version });
        judge(&AgentFound { wanted, program })
    }

    fn with_version(agent: Agent, used_by_run: bool, output: &str) -> Check {
        judged(agent, used_by_run, Some(Some(Ok(output.into()))))
    }

    #[test]
    fn a_known_agent_is_shown_with_version_and_path() {
        let check = with_version(Agent::Claude, USED, "2.1.325 (Claude Code)");
        assert_eq!((check.state, check.title.as_str()), (CheckState::Ok, "claude"));
        assert_eq!(check.found, "2.1.325; /bin/x; a run uses it");
        assert_eq!(with_version(Agent::Claude, USED, "2.2.0").state, CheckState::Ok);
        assert_eq!(with_version(Agent::Codex, UNUSED, "codex-cli 0.1.0").found, "0.1.0; /bin/x");
    }

    #[test]
    fn an_old_claude_code_is_a_warning_with_the_update_command() {
        let check = with_version(Agent::Claude, USED, "2.1.99 (Claude Code)");
        assert_eq!(
            (check.state, check.fix),
            (CheckState::Warning, Some(Fix::run("claude update")))
        );
        assert_eq!(with_version(Agent::Claude, USED, "\u{fffd}\u{1}x").state, CheckState::Warning);
    }

    #[test]
    fn an_agent_that_does_not_answer_is_a_problem_only_if_a_run_uses_it() {
        let silent = || Some(Some(Err("no answer within 10 seconds".to_owned())));
        let used = judged(Agent::Codex, USED, silent());
        assert_eq!(used.state, CheckState::Problem);
        assert!(used.found.contains("no answer within 10 seconds"), "{used:?}");
        assert_eq!(judged(Agent::Codex, UNUSED, silent()).state, CheckState::Warning);
    }

    #[test]
    fn a_plain_text_reviewer_is_a_warning() {
        let judged = |agent, version, reviews| {
            let (command, used_by_run) = ("x".to_owned(), true);
            let wanted = WantedAgent { agent, command, program: None, used_by_run, reviews };
            let program = Some(Program { path: "/bin/x".into(), version });
            judge(&AgentFound { wanted, program })
        };
        let weak = judged(Agent::Text, None, true);
        assert_eq!(weak.state, CheckState::Warning);
        assert!(weak.found.contains("can forge a verdict"), "{weak:?}");
        assert_eq!(judged(Agent::Text, None, false).state, CheckState::Ok);
        let codex = Some(Ok("codex-cli 0.1.0".to_owned()));
        assert_eq!(judged(Agent::Codex, codex, true).state, CheckState::Ok);
    }

    #[test]
    fn the_fix_can_be_pasted() {
        let path = PathBuf::from("/c laude/claude");
        let program = Program { path, version: Some(Err("no".into())) };
        let check = installed(Agent::Claude, USED, &program);
        assert_eq!(check.fix, Some(Fix::run("'/c laude/claude' --version")));
    }

    #[test]
    fn a_missing_agent_is_a_problem_with_the_install_command() {
        let check = judged(Agent::Codex, USED, None);
        assert_eq!(check.state, CheckState::Problem);
        let fix = check.fix.unwrap();
        assert!(fix.text().contains("npm install -g @openai/codex"), "{fix:?}");
    }
}
