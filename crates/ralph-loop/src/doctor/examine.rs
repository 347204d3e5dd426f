//! Runs all checks in order.

use std::path::Path;

use agents::Agent;
use anyhow::Result;
use engine::{HookPrograms, UnfitHook, unfit_hooks};
use project::Layout;
use settings::{Flags, Settings};
use supervise::StopRequests;

use super::agent_programs::{self, AgentFound, WantedAgent};
use super::ask::Asker;
use super::check::{Check, CheckId};
use super::isolation::AgentIsolation;
use super::self_test::{self, TestedPrograms, Trial};
use super::{
    Checkup, check_sandbox, claude_files, disk, git, hook_programs, hooks_enabled, in_path, plugin,
    project_checks, sign_in, temporary,
};
use crate::preconditions::refuse_root;
use crate::programs::{self, Base};
use crate::resolve::{self, Machine};

const VERSION: &str = env!("CARGO_PKG_VERSION");

const NO_CLAUDE: &str = "no working Claude Code found";

pub(crate) struct DoctorResult {
    pub(crate) checkup: Checkup,
    /// The effective settings, or the defaults if the files are invalid.
    pub(crate) settings: Settings,
}

/// What to check.
pub(crate) struct DoctorOptions<'w> {
    pub(crate) layout: &'w Layout,
    pub(crate) flags: &'w Flags,
    /// The path from `--agent-program`.
    pub(crate) agent_program: Option<&'w Path>,
    pub(crate) allow_missing_hooks: bool,
    /// Whether to start a session of Claude Code that tests the hooks.
    pub(crate) self_test: bool,
    /// Whether to run the checks of the project.
    pub(crate) check_trials: bool,
    /// Cancels slow checks.
    pub(crate) stop: &'w StopRequests,
}

/// Calls `progress` before each slow step.
pub(crate) fn examine(
    options: &DoctorOptions<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<DoctorResult> {
    let layout = options.layout;
    let loaded = resolve::settings(layout, options.flags);
    let settings = match &loaded {
        Ok(loaded) => loaded.settings.clone(),
        Err(_) => without_files(options.flags),
    };
    let temporary = temporary::look();
    let ProgramChecks { mut checks, self_test, isolation } = match &temporary {
        Ok(()) => check_programs(options, &settings, progress)?,
        Err(_) => ProgramChecks::skipped(&programs::hooks()?),
    };
    let git = git::look_at_git(layout.root());
    checks.extend([
        git::judge_git(&git),
        disk::judge(&disk::look(&[layout.root(), &std::env::temp_dir()])),
        temporary::judge(&temporary),
    ]);
    checks.extend(project_checks::look(layout, loaded.as_ref(), &git));
    Ok(DoctorResult { checkup: Checkup::new(checks, self_test, isolation), settings })
}

/// Checks that start programs.
struct ProgramChecks {
    checks: Vec<Check>,
    self_test: Option<Trial>,
    isolation: Vec<AgentIsolation>,
}

impl ProgramChecks {
    /// Programs cannot start without a temporary folder.
    fn skipped(hooks: &HookPrograms) -> Self {
        let why = "skipped: no folder for temporary files";
        let mut checks = hook_programs::not_checked(hooks, why);
        checks.extend([
            Check::not_checked(CheckId::Agent, why),
            Check::not_checked(CheckId::SelfTest, why),
        ]);
        Self { checks, self_test: None, isolation: Vec::new() }
    }
}

fn check_programs(
    options: &DoctorOptions<'_>,
    settings: &Settings,
    progress: &mut dyn FnMut(&str),
) -> Result<ProgramChecks> {
    progress("asking programs for their versions");
    let DoctorOptions { layout, stop, .. } = *options;
    let keeper = programs::keeper()?;
    let asker = Asker { keeper: &keeper, folder: layout.root(), stop };
    let hooks = programs::hooks()?;
    let unfit = unfit_hooks(&hooks, &keeper, stop);
    let of_a_run = agents_of_a_run(settings, options.agent_program);
    let needs_hooks = of_a_run.iter().any(|wanted| wanted.agent.abilities().hooks);
    let allow_missing_hooks = options.allow_missing_hooks || !needs_hooks;
    let mut checks = own_programs(&hooks, &unfit, allow_missing_hooks, &asker)?;
    let found = agent_programs::look(of_a_run, Base::Root(layout.root()), &asker);
    checks.extend(agents(&found, settings));
    let claude = found.iter().find(|found| found.wanted.agent == Agent::Claude);
    let claude = claude.and_then(|found| found.program.as_ref().filter(|found| found.answers()));
    let claude = claude.map(|found| found.path.as_path());
    checks.extend(claude_code(claude, layout));
    let tested = |claude| TestedPrograms { claude, hooks: &hooks, keeper: &keeper, stop };
    let (check, self_test) = run_self_test(claude.map(tested), options.self_test, progress);
    checks.push(check);
    if stop.current().is_some() {
        return Ok(ProgramChecks { checks, self_test, isolation: Vec::new() });
    }
    progress("looking for sandboxes");
    let guard = unfit.is_empty().then_some(&hooks);
    let isolation = match Machine::new(settings, layout) {
        Ok(machine) => {
            let machine = machine.guarded_by(guard);
            checks.extend(sandbox_of_checks(options, settings, &machine, progress)?);
            isolation_kinds(&found, &machine, &mut checks)
        }
        Err(error) => {
            checks.push(Check::refused(CheckId::Isolation, &error));
            Vec::new()
        }
    };
    Ok(ProgramChecks { checks, self_test, isolation })
}

fn sandbox_of_checks(
    options: &DoctorOptions<'_>,
    settings: &Settings,
    machine: &Machine,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Check>> {
    let found = resolve::check_sandbox(settings, options.layout, machine);
    let mut checks = vec![check_sandbox::judge(&found)];
    if let (true, Ok(sandbox)) = (options.check_trials, &found) {
        let (layout, stop) = (options.layout, options.stop);
        checks.extend(check_sandbox::try_checks(settings, layout, sandbox, stop, progress)?);
    }
    Ok(checks)
}

/// Flags and defaults, if the settings files are invalid.
fn without_files(flags: &Flags) -> Settings {
    let nowhere = Path::new("");
    settings::load(nowhere, nowhere, flags).map(|loaded| loaded.settings).unwrap_or_default()
}

fn own_programs(
    hooks: &HookPrograms,
    unfit: &[UnfitHook],
    allow_missing_hooks: bool,
    asker: &Asker<'_>,
) -> Result<Vec<Check>> {
    let this = programs::this_program()?;
    let mut checks = hook_programs::judge(hooks, unfit, allow_missing_hooks, VERSION);
    let named = in_path::look(&this, std::env::var_os("PATH").as_deref(), asker);
    checks.push(in_path::judge(&named, &this, VERSION));
    Ok(checks)
}

/// The agents of a run, each once.
fn agents_of_a_run(settings: &Settings, program: Option<&Path>) -> Vec<WantedAgent> {
    let mut parts = vec![settings.agent.clone()];
    let reviewer = (!settings.review.skip).then(|| settings.reviewer());
    parts.extend(reviewer.clone());
    parts.extend(settings.quality.enabled.then(|| settings.quality_agent()));
    parts.extend(settings.memory.handoffs.then(|| settings.memory_agent()));
    let worker = &settings.agent;
    let mut wanted: Vec<WantedAgent> = Vec::new();
    for part in parts {
        let agent = resolve::kind(&part);
        if wanted.iter().all(|other| (other.agent, &other.command) != (agent, &part.command)) {
            let is_worker = (&part.command, part.kind) == (&worker.command, worker.kind);
            let program = program.filter(|_| is_worker).map(Path::to_path_buf);
            let reviews = reviewer.as_ref().is_some_and(|reviewer| {
                (resolve::kind(reviewer), &reviewer.command) == (agent, &part.command)
            });
            let (command, used_by_run) = (part.command, true);
            wanted.push(WantedAgent { agent, command, program, used_by_run, reviews });
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
    let claude_config_dir =
        std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    let sources = sign_in::SignInSources {
        is_set: &is_set,
        home: home.as_deref(),
        claude_config_dir: claude_config_dir.as_deref().map(Path::new),
    };
    let mut checks: Vec<Check> = found.iter().map(agent_programs::judge).collect();
    let used = found.iter().filter(|found| found.wanted.used_by_run);
    let used = used.filter(|found| found.program.is_some() && found.wanted.agent.has_adapter());
    checks.extend(used.map(|found| {
        let agent = found.wanted.agent;
        sign_in::judge(agent, sign_in::look(agent, &sources).as_ref())
    }));
    checks
}

fn claude_code(claude: Option<&Path>, layout: &Layout) -> Vec<Check> {
    let Some(folder) = claude.and_then(|_| claude_files::folder()) else {
        return vec![Check::not_checked(CheckId::Plugin, NO_CLAUDE)];
    };
    let settings = layout.claude_settings();
    vec![
        plugin::judge(&plugin::look(&folder, layout.root(), &settings), VERSION),
        hooks_enabled::judge(&hooks_enabled::look(&settings)),
    ]
}

fn run_self_test(
    programs: Option<TestedPrograms<'_>>,
    is_wanted: bool,
    progress: &mut dyn FnMut(&str),
) -> (Check, Option<Trial>) {
    let not_checked = |why: &str| (Check::not_checked(CheckId::SelfTest, why), None);
    let Some(programs) = programs else { return not_checked(NO_CLAUDE) };
    if !is_wanted {
        return not_checked("skipped by --no-self-test");
    }
    progress("testing the hooks in Claude Code with a scripted model");
    let trial = self_test::run(&programs);
    (self_test::judge(trial.as_ref()), trial.ok())
}

/// Adds a failed check if the isolation is too weak for root.
fn isolation_kinds(
    found: &[AgentFound],
    machine: &Machine,
    checks: &mut Vec<Check>,
) -> Vec<AgentIsolation> {
    let mut agents: Vec<(Agent, String)> = Vec::new();
    for found in found.iter().filter(|found| found.wanted.used_by_run) {
        let agent = (found.wanted.agent, found.wanted.name());
        if !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    let kinds = agents.into_iter().map(|(agent, name)| {
        let choice = machine.choose(agent);
        let refused = choice.as_ref().ok().and_then(|choice| refuse_root(agent, choice.kind).err());
        checks.extend(refused.map(|error| Check::refused(CheckId::User, &error)));
        AgentIsolation::of(&name, choice, &machine.survey(agent))
    });
    kinds.collect()
}
