//! Looks at everything, one thing after the other, and has each judged.

use std::path::Path;

use agents::Agent;
use anyhow::Result;
use engine::{HookPrograms, UnfitHook, unfit_hooks};
use project::Layout;
use settings::{Flags, Settings};
use supervise::StopRequests;

use super::agent_programs::{self, AgentFound, Role, Wanted};
use super::ask::Asker;
use super::check::{Check, Id};
use super::isolation::AgentIsolation;
use super::self_test::{self, Subject, Trial};
use super::{
    Checkup, check_sandbox, claude_files, disk, git, here, hook_programs, hooks_heard, in_path,
    plugin, sign_in, temporary,
};
use crate::guard::Unguarded;
use crate::preconditions::refuse_root;
use crate::programs::{self, Base};
use crate::resolve::{self, Machine};

const VERSION: &str = env!("CARGO_PKG_VERSION");

const NO_CLAUDE: &str = "there is no Claude Code that answers";

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Everything,
    /// No session of Claude Code is started.
    WithoutSelfTest,
}

/// Whether the checks of the project are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckTrials {
    Wanted,
    LeftOut,
}

pub(crate) struct Examined {
    pub(crate) checkup: Checkup,
    /// Those that hold, or what comes without any where they are broken.
    pub(crate) settings: Settings,
}

/// What somebody wants to know.
pub(crate) struct Wish<'w> {
    pub(crate) layout: &'w Layout,
    pub(crate) flags: &'w Flags,
    /// Where the agent's program is, if the user said so.
    pub(crate) agent_program: Option<&'w Path>,
    pub(crate) unguarded: Unguarded,
    pub(crate) extent: Extent,
    pub(crate) check_trials: CheckTrials,
    /// Ends what takes longer.
    pub(crate) stop: &'w StopRequests,
}

/// `tell` hears what takes longer, before it is done.
pub(crate) fn examine(wish: &Wish<'_>, tell: &mut dyn FnMut(&str)) -> Result<Examined> {
    let layout = wish.layout;
    let loaded = resolve::settings(layout, wish.flags);
    let settings = match &loaded {
        Ok(loaded) => loaded.settings.clone(),
        Err(_) => without_files(wish.flags),
    };
    let temporary = temporary::look();
    let Asked { mut checks, self_test, isolation } = match &temporary {
        Ok(()) => ask(wish, &settings, tell)?,
        Err(_) => Asked::nobody(&programs::hooks()?),
    };
    let git = git::look_at_git(layout.root());
    checks.extend([
        git::judge_git(&git),
        disk::judge(&disk::look(&[layout.root(), &std::env::temp_dir()])),
        temporary::judge(&temporary),
    ]);
    checks.extend(here::look(layout, loaded.as_ref(), &git));
    Ok(Examined { checkup: Checkup::new(checks, self_test, isolation), settings })
}

/// What programs were asked for, and said.
struct Asked {
    checks: Vec<Check>,
    self_test: Option<Trial>,
    isolation: Vec<AgentIsolation>,
}

impl Asked {
    /// Without a place for temporary files no program can be started.
    fn nobody(hooks: &HookPrograms) -> Self {
        let why = "not asked: there is no place for temporary files";
        let mut checks = hook_programs::not_checked(hooks, why);
        checks.extend([Check::not_checked(Id::Agent, why), Check::not_checked(Id::SelfTest, why)]);
        Self { checks, self_test: None, isolation: Vec::new() }
    }
}

fn ask(wish: &Wish<'_>, settings: &Settings, tell: &mut dyn FnMut(&str)) -> Result<Asked> {
    tell("asking programs for their versions");
    let Wish { layout, stop, .. } = *wish;
    let keeper = programs::keeper()?;
    let asker = Asker { keeper: &keeper, folder: layout.root(), stop };
    let hooks = programs::hooks()?;
    let unfit = unfit_hooks(&hooks, &keeper, stop);
    let of_a_run = agents_of_a_run(settings, wish.agent_program);
    let mut checks = ours(&hooks, &unfit, needed(&of_a_run, wish.unguarded), &asker)?;
    let found = agent_programs::look(of_a_run, Base::Root(layout.root()), &asker);
    checks.extend(agents(&found, settings));
    let claude = found.iter().find(|found| found.wanted.agent == Agent::Claude);
    let claude = claude.and_then(|found| found.program.as_ref().filter(|found| found.answers()));
    let claude = claude.map(|found| found.path.as_path());
    checks.extend(claude_code(claude, layout));
    let subject = |claude| Subject { claude, hooks: &hooks, keeper: &keeper, stop };
    let (check, self_test) = tried_out(claude.map(subject), wish.extent, tell);
    checks.push(check);
    if stop.current().is_some() {
        return Ok(Asked { checks, self_test, isolation: Vec::new() });
    }
    tell("looking for sandboxes");
    let guard = unfit.is_empty().then_some(&hooks);
    let isolation = match Machine::new(settings, layout) {
        Ok(machine) => {
            let machine = machine.guarded_by(guard);
            checks.extend(sandbox_of_checks(wish, settings, &machine, tell)?);
            kinds(&found, &machine, &mut checks)
        }
        Err(error) => {
            checks.push(Check::refused(Id::Isolation, &error));
            Vec::new()
        }
    };
    Ok(Asked { checks, self_test, isolation })
}

fn sandbox_of_checks(
    wish: &Wish<'_>,
    settings: &Settings,
    machine: &Machine,
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Check>> {
    let found = resolve::check_sandbox(settings, wish.layout, machine);
    let mut checks = vec![check_sandbox::judge(&found)];
    if let (CheckTrials::Wanted, Ok(sandbox)) = (wish.check_trials, &found) {
        let (layout, stop) = (wish.layout, wish.stop);
        checks.extend(check_sandbox::try_checks(settings, layout, sandbox, stop, tell)?);
    }
    Ok(checks)
}

/// What the flags say, where the files say nothing that makes sense.
fn without_files(flags: &Flags) -> Settings {
    let nowhere = Path::new("");
    settings::load(nowhere, nowhere, flags).map(|loaded| loaded.settings).unwrap_or_default()
}

/// An agent that calls no hooks is not guarded by them either.
fn needed(of_a_run: &[Wanted], unguarded: Unguarded) -> Unguarded {
    let calls = |wanted: &Wanted| wanted.agent.abilities().hooks;
    if of_a_run.iter().any(calls) { unguarded } else { Unguarded::Allowed }
}

fn ours(
    hooks: &HookPrograms,
    unfit: &[UnfitHook],
    unguarded: Unguarded,
    asker: &Asker<'_>,
) -> Result<Vec<Check>> {
    let this = programs::this_program()?;
    let mut checks = hook_programs::judge(hooks, unfit, unguarded, VERSION);
    let named = in_path::look(&this, std::env::var_os("PATH").as_deref(), asker);
    checks.push(in_path::judge(&named, &this, VERSION));
    Ok(checks)
}

/// Everybody who would have a part in a run, each once.
fn agents_of_a_run(settings: &Settings, program: Option<&Path>) -> Vec<Wanted> {
    let mut parts = vec![settings.agent.clone()];
    let reviewer = (!settings.review.skip).then(|| settings.reviewer());
    parts.extend(reviewer.clone());
    parts.extend(settings.quality.enabled.then(|| settings.quality_agent()));
    parts.extend(settings.memory.handoffs.then(|| settings.memory_agent()));
    let worker = &settings.agent;
    let mut wanted: Vec<Wanted> = Vec::new();
    for part in parts {
        let agent = resolve::kind(&part);
        if wanted.iter().all(|other| (other.agent, &other.command) != (agent, &part.command)) {
            let is_worker = (&part.command, part.kind) == (&worker.command, worker.kind);
            let program = program.filter(|_| is_worker).map(Path::to_path_buf);
            let reviews = reviewer.as_ref().is_some_and(|reviewer| {
                (resolve::kind(reviewer), &reviewer.command) == (agent, &part.command)
            });
            let (command, role) = (part.command, Role::OfARun);
            wanted.push(Wanted { agent, command, program, role, reviews });
        }
    }
    wanted
}

fn agents(found: &[AgentFound], settings: &Settings) -> Vec<Check> {
    let is_set = |name: &str| {
        settings.env.contains_key(name)
            || std::env::var_os(name).is_some_and(|value| !value.is_empty())
    };
    let home = std::env::home_dir();
    let claudes = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    let outside = sign_in::Outside {
        is_set: &is_set,
        home: home.as_deref(),
        claudes: claudes.as_deref().map(Path::new),
    };
    let mut checks: Vec<Check> = found.iter().map(agent_programs::judge).collect();
    let used = found.iter().filter(|found| found.wanted.role == Role::OfARun);
    let used = used.filter(|found| found.program.is_some() && found.wanted.agent.has_adapter());
    checks.extend(used.map(|found| {
        let agent = found.wanted.agent;
        sign_in::judge(agent, sign_in::look(agent, &outside).as_ref())
    }));
    checks
}

fn claude_code(claude: Option<&Path>, layout: &Layout) -> Vec<Check> {
    let Some(folder) = claude.and_then(|_| claude_files::folder()) else {
        return vec![Check::not_checked(Id::Plugin, NO_CLAUDE)];
    };
    let settings = layout.claude_settings();
    vec![
        plugin::judge(&plugin::look(&folder, layout.root(), &settings), VERSION),
        hooks_heard::judge(&hooks_heard::look(&settings)),
    ]
}

fn tried_out(
    subject: Option<Subject<'_>>,
    extent: Extent,
    tell: &mut dyn FnMut(&str),
) -> (Check, Option<Trial>) {
    let not_checked = |why: &str| (Check::not_checked(Id::SelfTest, why), None);
    let Some(subject) = subject else { return not_checked(NO_CLAUDE) };
    if extent == Extent::WithoutSelfTest {
        return not_checked("left out, as asked");
    }
    tell("trying the hooks in Claude Code, with a scripted model");
    let trial = self_test::run(&subject);
    (self_test::judge(trial.as_ref()), trial.ok())
}

/// Adds a check that failed where the isolation is too weak for a run as root.
fn kinds(found: &[AgentFound], machine: &Machine, checks: &mut Vec<Check>) -> Vec<AgentIsolation> {
    let mut agents: Vec<(Agent, String)> = Vec::new();
    for found in found.iter().filter(|found| found.wanted.role == Role::OfARun) {
        let agent = (found.wanted.agent, found.wanted.name());
        if !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    let kinds = agents.into_iter().map(|(agent, name)| {
        let choice = machine.choose(agent);
        let refused = choice.as_ref().ok().and_then(|choice| refuse_root(agent, choice.kind).err());
        checks.extend(refused.map(|error| Check::refused(Id::User, &error)));
        AgentIsolation::of(&name, choice, &machine.survey(agent))
    });
    kinds.collect()
}
