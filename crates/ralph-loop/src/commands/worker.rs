//! `ralph-loop worker`: one session on a node, for a run on another machine.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use engine::{AgentOptions, FetchedWork, StopSwitch, StoryOptions, WorkSource, WorkerOutput};
use isolation::Isolation;
use job_engines::Placement;
use project::Layout;
use run_options::IsolationRequest;
use serde_json::json;
use settings::{Flags, Settings};
use supervise::ProgramRunner;
use tempfile::TempDir;

use super::{CommandResult, run};
use crate::cli::{Cli, WorkerArgs};
use crate::command_error::{self, precondition};
use crate::doctor::{self, Check, CheckState, Fix};
use crate::{resolve, signals};

const LARGEST_SECRETS: u64 = 1024 * 1024;

pub(super) fn worker(args: &WorkerArgs) -> CommandResult {
    let placement = Placement::of_this_process();
    let output = WorkerOutput::new(placement.start, Box::new(io::stdout()));
    let done = work(args, placement, output.clone());
    if let Err(error) = &done {
        // The coordinator shows it as the reason why the session failed.
        output.failed(&command_error::message(error));
    }
    done.map(|()| ExitCode::SUCCESS)
}

fn work(args: &WorkerArgs, placement: Placement, output: WorkerOutput) -> Result<()> {
    let _held = args.lock.as_deref().map(engine::hold_lock).transpose()?;
    let switch = StopSwitch::new(Duration::ZERO);
    signals::listen(switch.clone(), |_| {})?;
    let base = base_folder(args.folder.as_deref())?;
    let root = base.path().canonicalize().context("cannot resolve the folder for the clone")?;
    let Placement { node, start } = placement;
    let (repository, name, commit) =
        (args.work.repository.clone(), args.work.name.clone(), args.work.commit.clone());
    let source = WorkSource { repository, name, commit, node, start };
    let fetched = engine::fetch_work(source, root.join("clone"))?;
    let layout = project(&root.join("project"), &fetched, args.secrets.as_deref())?;
    let mut loaded = resolve::settings(&layout, &Flags::default())?;
    // Further reviewers work where the run is.
    (loaded.settings.review.reviewers, loaded.settings.review.panel) = (None, Vec::new());
    let mut options_of_run = Cli::try_parse_from(["ralph-loop"])?.run;
    options_of_run.common.agent_program.clone_from(&fetched.work.agent_program);
    let options = run::session_options(&options_of_run, layout, &loaded)?;
    if !args.in_container {
        refuse_open_node(loaded.settings.isolation.kind, &options)?;
    }
    if fetched.work.is_trial() {
        look_for_agents(&loaded.settings, &fetched, &options, &switch, &output)?;
    }
    Ok(engine::run_node_work(&options, fetched, &switch, output)?)
}

/// An agent that is missing or too old is an error.
fn look_for_agents(
    settings: &Settings,
    fetched: &FetchedWork,
    options: &StoryOptions,
    switch: &StopSwitch,
    output: &WorkerOutput,
) -> Result<()> {
    let run = &options.run;
    let (keeper, folder, stop) = (&run.keeper, run.layout.root(), switch.requests());
    let runner = ProgramRunner { keeper, folder, stop };
    let program = fetched.work.agent_program.as_deref();
    for check in doctor::agents_on_node(settings, program, &runner) {
        let Check { title, state, found, fix, .. } = check;
        let found = format!("{title}: {found}");
        match (state, fix) {
            (CheckState::Problem, Some(Fix::Do(fix) | Fix::Run(fix))) => {
                return Err(precondition(found, fix));
            }
            _ => output.note(&found),
        }
    }
    Ok(())
}

/// Without a sandbox, an agent could write the output of other jobs, such as that of its own review. The user may
/// accept that.
fn refuse_open_node(wanted: IsolationRequest, options: &StoryOptions) -> Result<()> {
    let is_open = |agent: &AgentOptions| {
        matches!(agent.isolation.chosen.kind(), Isolation::Guard | Isolation::Open)
    };
    match options.agents().find(|agent| is_open(agent)) {
        Some(agent) if wanted == IsolationRequest::Auto => {
            let passed_over = agent.isolation.passed_over.iter();
            let why: Vec<String> =
                passed_over.map(|(kind, obstacle)| format!("{kind}: {}", obstacle.why)).collect();
            Err(precondition(
                format!("this node has no sandbox for {} ({})", agent.name(), why.join("; ")),
                "install bubblewrap on the nodes, or set isolation.kind to \"guard\" to run sessions without a sandbox",
            ))
        }
        _ => Ok(()),
    }
}

/// Readable only for this user.
fn base_folder(parent: Option<&Path>) -> Result<TempDir> {
    let parent = parent.map_or_else(std::env::temp_dir, PathBuf::from);
    let made = tempfile::Builder::new().prefix("ralph-worker-").tempdir_in(&parent);
    made.with_context(|| format!("cannot write to {}", parent.display()))
}

/// The settings of the run, and the secrets of this node, as a project has them.
fn project(root: &Path, fetched: &FetchedWork, secrets: Option<&Path>) -> Result<Layout> {
    let layout = Layout::new(root).with_ralph_dir(&fetched.work.ralph_dir);
    std::fs::create_dir_all(layout.data_dir())?;
    std::fs::write(layout.settings(), fetched.work.settings.to_string())?;
    if let Some(file) = secrets {
        let settings = json!({ "env": variables(file)? });
        std::fs::write(layout.local_settings(), settings.to_string())?;
    }
    Ok(layout)
}

/// Of a file, or of a folder with one file for each variable, as Kubernetes makes it of a Secret.
fn variables(place: &Path) -> Result<BTreeMap<String, String>> {
    if !place.is_dir() {
        refuse_readable(place)?;
        return lines(place);
    }
    let read = || -> Result<BTreeMap<String, String>> {
        let mut variables = BTreeMap::new();
        for entry in std::fs::read_dir(place)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Kubernetes keeps the files behind links, in folders with such names.
            if !name.starts_with('.') {
                let text = bounded_read::read_file(&entry.path(), LARGEST_SECRETS)?;
                variables.insert(name, String::from_utf8_lossy(&text).into_owned());
            }
        }
        Ok(variables)
    };
    read().with_context(|| format!("cannot read the secrets in {}", place.display()))
}

fn lines(file: &Path) -> Result<BTreeMap<String, String>> {
    let name = file.display();
    let bytes = bounded_read::read_file(file, LARGEST_SECRETS).map_err(|error| {
        precondition(
            format!("secrets file {name}: {error}"),
            "create it on the nodes, with mode 0600; or remove `secrets` from the executor",
        )
    })?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let variable = |line: &str| {
        let (key, value) = line.split_once('=').filter(|(key, _)| !key.trim().is_empty())?;
        Some((key.trim().to_owned(), value.to_owned()))
    };
    let read: Option<BTreeMap<String, String>> = lines.map(variable).collect();
    read.ok_or_else(|| {
        precondition(
            format!("secrets file {name}: a line is not NAME=value"),
            "write one variable per line; lines that begin with # are ignored",
        )
    })
}

/// Other users of a node must not be able to read it.
fn refuse_readable(file: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata().map_or(0, |found| found.permissions().mode());
        if mode & 0o077 != 0 {
            return Err(precondition(
                format!("secrets file {}: other users can read it", file.display()),
                format!("run `chmod 600 {}`", file.display()),
            ));
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}
