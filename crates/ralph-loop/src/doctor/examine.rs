//! Looks at everything, one thing after the other, and has each judged.

use std::path::Path;

use agents::Agent;
use engine::{HookPrograms, unfit_hooks};
use project::Layout;
use settings::{Flags, Loaded, Settings};
use supervise::Keeper;

use super::agent_programs::{self, AgentFound, Role, Wanted};
use super::ask::Asker;
use super::check::{Check, Fix, Id};
use super::isolation::AgentWalls;
use super::self_test::{self, Subject, Trial};
use super::{
    Checkup, disk, git, hook_programs, hooks_heard, in_path, leftovers, plugin, project_files,
    sign_in,
};
use crate::command_error::CommandError;
use crate::programs::{self, Base};
use crate::resolve::{self, Machine};
use crate::status::TaskFile;

const VERSION: &str = env!("CARGO_PKG_VERSION");

const NO_CLAUDE: &str = "there is no Claude Code that answers";

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Everything,
    /// No session of Claude Code is started.
    WithoutSelfTest,
}

pub(crate) struct Examined {
    pub(crate) checkup: Checkup,
    /// Those that hold, or what comes without any where they are broken.
    pub(crate) settings: Settings,
}

/// `tell` hears what takes longer, before it is done.
pub(crate) fn examine(
    layout: &Layout,
    flags: &Flags,
    extent: Extent,
    tell: &mut dyn FnMut(&str),
) -> Result<Examined, CommandError> {
    let this = programs::this_program()?;
    let keeper = Keeper::this_program().map_err(CommandError::io("find this program on disk"))?;
    let loaded = resolve::settings(layout, flags);
    let settings = match &loaded {
        Ok(loaded) => loaded.settings.clone(),
        Err(_) => without_files(flags),
    };
    let asker = Asker { keeper: keeper.clone(), folder: layout.root() };
    tell("asking programs for their versions");

    let hooks = programs::hooks()?;
    let mut checks = ours(&this, &hooks, &asker);
    let of_a_run = agents_of_a_run(&settings);
    let found = agent_programs::look(of_a_run, Base::Root(layout.root()), &asker);
    checks.extend(agents(&found, &settings));
    let claude = found.iter().find(|found| found.wanted.agent == Agent::Claude);
    let claude = claude.and_then(|found| found.program.as_ref().filter(|found| found.answers()));
    let claude = claude.map(|found| found.path.as_path());
    checks.extend(claude_code(claude, layout, &asker));
    let subject = |claude| Subject { claude, hooks: &hooks, keeper: &keeper };
    let (check, self_test) = tried_out(claude.map(subject), extent, tell);
    checks.push(check);

    checks.push(git::judge_git(&git::look_at_git(layout.root())));
    checks.push(disk::judge(&disk::look(&[layout.root(), &std::env::temp_dir()])));
    tell("looking for sandboxes");
    let isolation = match walls(&found, &settings, layout) {
        Ok(isolation) => isolation,
        Err(error) => {
            let fix = Fix::todo(error.hint().unwrap_or_default());
            checks.push(Check::problem(Id::Walls, error.to_string(), fix));
            Vec::new()
        }
    };
    checks.extend(project(layout, loaded.as_ref()));
    Ok(Examined { checkup: Checkup::new(checks, self_test, isolation), settings })
}

/// What the flags say, where the files say nothing that makes sense.
fn without_files(flags: &Flags) -> Settings {
    let nowhere = Path::new("");
    settings::load(nowhere, nowhere, flags).map(|loaded| loaded.settings).unwrap_or_default()
}

fn ours(this: &Path, hooks: &HookPrograms, asker: &Asker<'_>) -> Vec<Check> {
    let mut checks = hook_programs::judge(hooks, &unfit_hooks(hooks, &asker.keeper), VERSION);
    let named = in_path::look(this, std::env::var_os("PATH").as_deref(), asker);
    checks.push(in_path::judge(&named, this, VERSION));
    checks
}

/// Everybody who would have a part in a run, each once.
fn agents_of_a_run(settings: &Settings) -> Vec<Wanted> {
    let mut parts = vec![settings.agent.clone()];
    parts.extend((!settings.review.skip).then(|| settings.reviewer()));
    parts.extend(settings.quality.enabled.then(|| settings.quality_agent()));
    parts.extend(settings.memory.handoffs.then(|| settings.memory_agent()));
    let mut wanted: Vec<Wanted> = Vec::new();
    for part in parts {
        let agent = resolve::kind(&part);
        if wanted.iter().all(|other| (other.agent, &other.command) != (agent, &part.command)) {
            wanted.push(Wanted { agent, command: part.command, role: Role::OfARun });
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
    let used = used.filter(|found| found.program.is_some() && found.wanted.agent != Agent::Text);
    checks.extend(used.map(|found| {
        let agent = found.wanted.agent;
        sign_in::judge(agent, sign_in::look(agent, &outside).as_ref())
    }));
    checks
}

fn claude_code(claude: Option<&Path>, layout: &Layout, asker: &Asker<'_>) -> Vec<Check> {
    let Some(claude) = claude else {
        return vec![Check::not_checked(Id::Plugin, NO_CLAUDE)];
    };
    vec![
        plugin::judge(&plugin::look(claude, asker), VERSION),
        hooks_heard::judge(&hooks_heard::look(&layout.claude_settings())),
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

fn walls(
    found: &[AgentFound],
    settings: &Settings,
    layout: &Layout,
) -> Result<Vec<AgentWalls>, CommandError> {
    let machine = Machine::new(settings, layout)?;
    let mut agents: Vec<Agent> = Vec::new();
    for found in found.iter().filter(|found| found.wanted.role == Role::OfARun) {
        if !agents.contains(&found.wanted.agent) {
            agents.push(found.wanted.agent);
        }
    }
    let walls = agents.into_iter();
    let walls =
        walls.map(|agent| AgentWalls::of(agent.name(), machine.wanted(), &machine.survey(agent)));
    Ok(walls.collect())
}

fn project(layout: &Layout, loaded: Result<&Loaded, &CommandError>) -> Vec<Check> {
    if !layout.is_set_up() {
        let found = format!("none here yet: {}", layout.root().display());
        let check = Check::not_checked(Id::Project, found);
        return vec![check.with_fix(Fix::run("ralph-loop init"))];
    }
    let mut checks = git::judge(git::look(layout.root()).as_ref());
    let gitignore = layout.root().join(".gitignore");
    let gitignore = bounded_read::read_file(&gitignore, settings::SIZE_LIMIT).unwrap_or_default();
    let holder = leftovers::look_at_lock(layout);
    checks.extend([
        project_files::judge_ignored(&gitignore),
        project_files::judge_settings(loaded),
        project_files::judge_tasks(&TaskFile::read(layout), layout),
        leftovers::judge_lock(holder),
        leftovers::judge_marker(leftovers::look_at_marker(layout), holder),
        leftovers::judge_size(leftovers::size_of(&layout.data_dir())),
    ]);
    checks
}
