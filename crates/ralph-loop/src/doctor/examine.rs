//! Runs all checks in order.

use std::path::Path;

use agents::Agent;
use anyhow::Result;
use engine::unfit_hooks;
use project::Layout;
use settings::{Flags, Settings};
use supervise::{ProgramRunner, StopRequests};

use super::agent_programs::{self, AgentFound, WantedAgent};
use super::check::{Check, CheckId};
use super::isolation::AgentIsolation;
use super::self_test::{self, TestedPrograms, Trial};
use super::{
    Checkup, check_sandbox, claude_files, disk, executor, git, hooks_enabled, own_programs, plugin,
    project_checks, sign_in,
};
use crate::preconditions::refuse_root;
use crate::programs;
use crate::resolve::{self, Machine};

const VERSION: &str = env!("CARGO_PKG_VERSION");

const NO_CLAUDE: &str = "no working Claude Code found";

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

/// Calls `progress` before each slow step. Also returns the effective settings, or the defaults if the files are invalid.
pub(crate) fn examine(
    options: &DoctorOptions<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<(Checkup, Settings)> {
    let layout = options.layout;
    let loaded = resolve::settings(layout, options.flags);
    let settings = match &loaded {
        Ok(loaded) => loaded.settings.clone(),
        Err(_) => without_files(options.flags),
    };
    // Every start of a program needs a folder for temporary files.
    let temporary = tempfile::tempdir().map(drop);
    let mut checks = Vec::new();
    let (self_test, isolation) = match &temporary {
        Ok(()) => check_programs(options, &settings, &mut checks, progress)?,
        Err(_) => {
            let why = "skipped: no folder for temporary files";
            checks.extend(own_programs::hooks_not_checked(&programs::hooks()?, why));
            checks.extend([CheckId::Agent, CheckId::SelfTest].map(|id| id.not_checked(why)));
            (None, Vec::new())
        }
    };
    let git = git::look_at_git(layout.root());
    checks.extend([
        git::judge_git(&git),
        disk::judge(&disk::look(&[layout.root(), &std::env::temp_dir()])),
        disk::judge_temporary(&temporary),
    ]);
    checks.extend(project_checks::look(layout, loaded.as_ref(), &git));
    if let Ok(loaded) = &loaded {
        let DoctorOptions { agent_program, stop, .. } = *options;
        checks.extend(executor::look(layout, loaded, agent_program, stop, progress));
    }
    Ok((Checkup::new(checks, self_test, isolation), settings))
}

/// Adds the checks that start programs.
fn check_programs(
    options: &DoctorOptions<'_>,
    settings: &Settings,
    checks: &mut Vec<Check>,
    progress: &mut dyn FnMut(&str),
) -> Result<(Option<Trial>, Vec<AgentIsolation>)> {
    progress("asking programs for their versions");
    let DoctorOptions { layout, stop, .. } = *options;
    let (keeper, hooks, this) =
        (programs::keeper()?, programs::hooks()?, programs::this_program()?);
    let runner = ProgramRunner { keeper: &keeper, folder: layout.root(), stop };
    let unfit = unfit_hooks(&hooks, &keeper, stop);
    let of_a_run = agents_of_a_run(settings, options.agent_program);
    let needs_hooks = of_a_run.iter().any(|wanted| wanted.agent.abilities().hooks);
    let allow_missing_hooks = options.allow_missing_hooks || !needs_hooks;
    checks.extend(own_programs::judge_hooks(&hooks, &unfit, allow_missing_hooks, VERSION));
    let named = own_programs::look_in_path(&this, &runner);
    checks.push(own_programs::judge_path(&named, &this, VERSION));
    let found = agent_programs::look(of_a_run, &runner);
    checks.extend(agents(&found, settings));
    let claude = found.iter().find(|found| found.wanted.agent == Agent::Claude);
    let claude = claude.and_then(|found| found.program.as_ref().filter(|found| found.answers()));
    let claude = claude.map(|found| found.path.as_path());
    checks.extend(claude_code(claude, layout));
    let tested = |claude| TestedPrograms { claude, hooks: &hooks, keeper: &keeper, stop };
    let (check, self_test) = run_self_test(claude.map(tested), options.self_test, progress);
    checks.push(check);
    if stop.current().is_some() {
        return Ok((self_test, Vec::new()));
    }
    progress("looking for sandboxes");
    let machine = match Machine::new(settings, layout, unfit.is_empty().then_some(&hooks)) {
        Ok(machine) => machine,
        Err(error) => {
            checks.push(CheckId::Isolation.refused(&error));
            return Ok((self_test, Vec::new()));
        }
    };
    let sandbox = resolve::check_sandbox(settings, layout, &machine);
    checks.push(check_sandbox::judge(&sandbox));
    if let (true, Ok(sandbox)) = (options.check_trials, &sandbox) {
        checks.extend(check_sandbox::try_checks(settings, layout, sandbox, stop, progress)?);
    }
    Ok((self_test, isolation_kinds(&found, &machine, checks)))
}

/// The agents of a run, on the node of a job.
pub(crate) fn agents_on_node(
    settings: &Settings,
    program: Option<&Path>,
    runner: &ProgramRunner<'_>,
) -> Vec<Check> {
    let found = agent_programs::look(agents_of_a_run(settings, program), runner);
    found.iter().filter(|found| found.wanted.used_by_run).map(agent_programs::judge).collect()
}

/// Flags and defaults, if the settings files are invalid.
fn without_files(flags: &Flags) -> Settings {
    let nowhere = Path::new("");
    settings::load(nowhere, nowhere, flags).map(|loaded| loaded.settings).unwrap_or_default()
}

/// The agents of a run, each once.
fn agents_of_a_run(settings: &Settings, program: Option<&Path>) -> Vec<WantedAgent> {
    let worker = &settings.agent;
    let reviewer = (!settings.review.skip).then(|| settings.reviewer());
    let parts = [
        Some(worker.clone()),
        reviewer.clone(),
        settings.quality.enabled.then(|| settings.quality_agent()),
        settings.memory.handoffs.then(|| settings.memory_agent()),
    ];
    let mut wanted: Vec<WantedAgent> = Vec::new();
    let others = settings.other_commands().map(|command| settings.other_agent(command));
    for part in parts.into_iter().flatten().chain(others) {
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
    let sources = sign_in::SignInSources {
        is_set: &is_set,
        home: std::env::home_dir(),
        claude_folder: claude_files::folder(),
    };
    let mut checks: Vec<Check> = found.iter().map(agent_programs::judge).collect();
    let used = found.iter().filter(|found| found.wanted.used_by_run);
    let used = used.filter(|found| found.program.is_some() && found.wanted.agent.has_adapter());
    checks.extend(used.map(|found| sign_in::judge(found.wanted.agent, &sources)));
    checks
}

fn claude_code(claude: Option<&Path>, layout: &Layout) -> Vec<Check> {
    let Some(folder) = claude.and_then(|_| claude_files::folder()) else {
        return vec![CheckId::Plugin.not_checked(NO_CLAUDE)];
    };
    let settings = layout.claude_settings();
    vec![
        plugin::judge(&folder, layout.root(), &settings, VERSION),
        hooks_enabled::judge(&hooks_enabled::look(&settings)),
    ]
}

fn run_self_test(
    programs: Option<TestedPrograms<'_>>,
    is_wanted: bool,
    progress: &mut dyn FnMut(&str),
) -> (Check, Option<Trial>) {
    let not_checked = |why: &str| (CheckId::SelfTest.not_checked(why), None);
    let Some(programs) = programs else { return not_checked(NO_CLAUDE) };
    if !is_wanted {
        return not_checked("skipped by --no-self-test");
    }
    progress("testing the hooks in Claude Code with a scripted model");
    let trial = self_test::run(&programs);
    (self_test::judge(&trial), trial.ok())
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
        checks.extend(refused.map(|error| CheckId::User.refused(&error)));
        AgentIsolation::of(&name, choice, &machine.survey(agent))
    });
    kinds.collect()
}
