//! The agents that are installed here, and those that a run would use.

use std::path::{Path, PathBuf};

use agents::Agent;

use super::ask::{Asker, Said};
use super::check::{Check, Fix, Id};
use super::version::Version;
use crate::programs::{self, Base};

/// With which the hooks and the stream were tested.
const TESTED_CLAUDE: &str = include_str!("../../../../scripts/claude-code.version");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It has a part in a run here.
    OfARun,
    Spare,
}

/// Who is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) agent: Agent,
    pub(crate) command: String,
    /// Where it is, if the user said so.
    pub(crate) program: Option<PathBuf>,
    pub(crate) role: Role,
    /// Whether it would review.
    pub(crate) reviews: bool,
}

impl Wanted {
    /// For people.
    pub(crate) fn name(&self) -> String {
        self.agent.name_of(self.program.as_deref().unwrap_or(Path::new(&self.command)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentFound {
    pub(crate) wanted: Wanted,
    pub(crate) program: Option<Program>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// Nothing where asking might start any work.
    version: Option<Said>,
}

impl Program {
    /// One that does not even say who it is is asked nothing more.
    pub(crate) fn answers(&self) -> bool {
        matches!(self.version, Some(Ok(_)))
    }
}

/// `of_a_run` first, then every other agent that is installed.
pub(crate) fn look(of_a_run: Vec<Wanted>, base: Base<'_>, asker: &Asker<'_>) -> Vec<AgentFound> {
    let is_known = |agent: Agent| of_a_run.iter().any(|wanted| wanted.agent == agent);
    let spare = Agent::ALL.into_iter().filter(|agent| agent.has_adapter() && !is_known(*agent));
    let spare: Vec<Wanted> = spare
        .map(|agent| Wanted {
            agent,
            command: agent.name().into(),
            program: None,
            role: Role::Spare,
            reviews: false,
        })
        .collect();
    let all = of_a_run.into_iter().chain(spare);
    all.map(|wanted| {
        let path =
            programs::agent(wanted.agent, &wanted.command, wanted.program.as_deref(), base).ok();
        let program = path.map(|path| Program { version: version(&wanted, &path, asker), path });
        AgentFound { wanted, program }
    })
    .filter(|found| found.wanted.role == Role::OfARun || found.program.is_some())
    .collect()
}

/// Nobody knows what a program that is no known agent does with `--version`.
fn version(wanted: &Wanted, path: &Path, asker: &Asker<'_>) -> Option<Said> {
    wanted.agent.has_adapter().then(|| asker.version(path))
}

pub(crate) fn judge(found: &AgentFound) -> Check {
    let Wanted { agent, command, program, role, reviews } = &found.wanted;
    let named = program.as_ref().map(|path| path.display().to_string());
    let title = found.wanted.name();
    let check = match &found.program {
        None => missing(*agent, named.as_deref().unwrap_or(command)),
        Some(program) if *reviews && *agent == Agent::Text => weak_reviewer(program),
        Some(program) => installed(*agent, *role, program),
    };
    check.about(&title)
}

fn missing(agent: Agent, command: &str) -> Check {
    let found = format!("a run needs it, and {command} is not a program that can be run");
    let fix = format!("{}, or choose another with --agent", agent.installed().hint);
    Check::problem(Id::Agent, found, Fix::todo(fix))
}

/// Whatever a program prints that it runs is its own message, verdicts included.
fn weak_reviewer(program: &Program) -> Check {
    let found = format!(
        "{}; a run uses it, also to review; its answers are plain text, so a program that it runs can \
         print a verdict in its name",
        program.path.display()
    );
    let fix = "use a reviewer whose stream separates its messages from tool output: --review-agent";
    Check::warning(Id::Agent, found, Fix::todo(fix))
}

fn installed(agent: Agent, role: Role, program: &Program) -> Check {
    let path = program.path.display();
    let part = match role {
        Role::OfARun => "; a run uses it",
        Role::Spare => "",
    };
    match &program.version {
        None => Check::ok(Id::Agent, format!("{path}{part}; its answers are plain text")),
        Some(Ok(said)) => known(agent, said, &format!("{path}{part}")),
        Some(Err(why)) => {
            let found = format!("{path} does not tell its version: {why}");
            let fix = Fix::run(format!("{} --version", super::quoted(&program.path)));
            match role {
                Role::OfARun => Check::problem(Id::Agent, found, fix),
                Role::Spare => Check::warning(Id::Agent, found, fix),
            }
        }
    }
}

fn known(agent: Agent, said: &str, place: &str) -> Check {
    let tested = TESTED_CLAUDE.trim();
    let is_older = |found: Version| tested.parse().is_ok_and(|tested: Version| found < tested);
    let shown = said.parse::<Version>().map_or_else(|_| said.to_owned(), |v| v.to_string());
    if agent == Agent::Claude && said.parse().is_ok_and(is_older) {
        let found = format!("{shown}, older than {tested}, with which Ralph was tested; {place}");
        return Check::warning(Id::Agent, found, Fix::run("claude update"));
    }
    if agent == Agent::Claude && said.parse::<Version>().is_err() {
        let found = format!("says no version that can be read: {said}; {place}");
        return Check::warning(Id::Agent, found, Fix::run("claude update"));
    }
    Check::ok(Id::Agent, format!("{shown}; {place}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    fn judged(agent: Agent, role: Role, version: Option<Option<Said>>) -> Check {
        let wanted =
            Wanted { agent, command: agent.name().into(), program: None, role, reviews: false };
        let program = version.map(|version| Program { path: "/bin/x".into(), version });
        judge(&AgentFound { wanted, program })
    }

    fn said(agent: Agent, role: Role, said: &str) -> Check {
        judged(agent, role, Some(Some(Ok(said.into()))))
    }

    #[test]
    fn a_known_agent_is_told_with_its_version_and_its_place() {
        let check = said(Agent::Claude, Role::OfARun, "2.1.325 (Claude Code)");
        assert_eq!((check.state, check.title.as_str()), (State::Ok, "claude"));
        assert_eq!(check.found, "2.1.325; /bin/x; a run uses it");
        assert_eq!(said(Agent::Claude, Role::OfARun, "2.2.0").state, State::Ok);
        assert_eq!(said(Agent::Codex, Role::Spare, "codex-cli 0.1.0").found, "0.1.0; /bin/x");
    }

    #[test]
    fn a_claude_code_older_than_the_tested_one_is_a_warning_that_says_how_to_update() {
        let check = said(Agent::Claude, Role::OfARun, "2.1.99 (Claude Code)");
        assert_eq!((check.state, check.fix), (State::Warning, Some(Fix::run("claude update"))));
        assert_eq!(said(Agent::Claude, Role::OfARun, "\u{fffd}\u{1}x").state, State::Warning);
    }

    #[test]
    fn one_that_does_not_answer_stands_in_the_way_only_of_those_who_use_it() {
        let silent = || Some(Some(Err("it took longer than 10 seconds".to_owned())));
        let used = judged(Agent::Codex, Role::OfARun, silent());
        assert_eq!(used.state, State::Problem);
        assert!(used.found.contains("longer than 10 seconds"), "{used:?}");
        assert_eq!(judged(Agent::Codex, Role::Spare, silent()).state, State::Warning);
    }

    #[test]
    fn a_reviewer_that_answers_in_plain_text_is_a_weak_one() {
        let judged = |agent, version, reviews| {
            let (command, role) = ("x".to_owned(), Role::OfARun);
            let wanted = Wanted { agent, command, program: None, role, reviews };
            let program = Some(Program { path: "/bin/x".into(), version });
            judge(&AgentFound { wanted, program })
        };
        let weak = judged(Agent::Text, None, true);
        assert_eq!(weak.state, State::Warning);
        assert!(weak.found.contains("can print a verdict in its name"), "{weak:?}");
        assert_eq!(judged(Agent::Text, None, false).state, State::Ok);
        let codex = Some(Ok("codex-cli 0.1.0".to_owned()));
        assert_eq!(judged(Agent::Codex, codex, true).state, State::Ok);
    }

    #[test]
    fn the_line_that_asks_again_can_be_pasted() {
        let path = PathBuf::from("/c laude/claude");
        let program = Program { path, version: Some(Err("no".into())) };
        let check = installed(Agent::Claude, Role::OfARun, &program);
        assert_eq!(check.fix, Some(Fix::run("'/c laude/claude' --version")));
    }

    #[test]
    fn one_that_a_run_needs_and_nobody_installed_is_a_problem_with_the_way_to_it() {
        let check = judged(Agent::Codex, Role::OfARun, None);
        assert_eq!(check.state, State::Problem);
        let fix = check.fix.unwrap();
        assert!(fix.text().contains("npm install -g @openai/codex"), "{fix:?}");
    }
}
