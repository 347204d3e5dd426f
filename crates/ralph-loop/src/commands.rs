//! The subcommands, one module each: from parsed arguments to an exit code.

mod archive;
mod check_trial;
mod demo;
mod doctor;
mod draft;
mod dry_run;
mod init;
mod install_files;
mod lanes;
mod notify;
mod order;
mod outside;
mod pr;
mod prompt;
mod proof;
mod questions;
mod relay;
mod report;
mod review;
mod run;
mod runs;
mod serve;
mod settings;
mod stats;
mod status;
mod sync;
mod validate;
mod watch;
mod worker;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use ::settings::{Flags, Settings};
use anyhow::{Error, Result};
use chrono::{Local, NaiveDate};
use project::Layout;
use project::orders::Order;
use serde::Serialize;

use crate::cli::{Cli, Command, ConfigArgs, ProjectArgs};
use crate::command_error::{self, precondition};
use crate::dialogue::NoAnswer;
use crate::{json, project_root, resolve};

/// The exit code of a program that SIGINT ended, as shells report it.
const INTERRUPTED: u8 = 130;

type CommandResult = Result<ExitCode>;

pub(crate) fn execute(cli: Cli) -> CommandResult {
    let Some(command) = cli.command else { return run::run(&cli.run) };
    match command {
        Command::Run(_) => run::run(&cli.run),
        Command::Prompt(args) => prompt::prompt(&args),
        Command::Plan(args) => prompt::plan(&args),
        Command::Build(args) => prompt::build(&args),
        Command::Draft(args) => draft::draft(&args),
        Command::Review(args) => review::review(&args),
        Command::Init(args) => init::init(&args),
        Command::Questions(args) => questions::questions(&args),
        Command::Answer(args) => questions::answer(&args),
        Command::Steer(args) => order::steer(&args),
        Command::Pause(args) => order::give(&args, Order::Pause),
        Command::Resume(args) => order::give(&args, Order::GoOn),
        Command::Skip(args) => order::give(&args.order, Order::Skip { story: args.story }),
        Command::Stop(args) => order::give(&args, Order::Stop),
        Command::Watch(args) => watch::watch(&args),
        Command::Report(args) => report::report(&args),
        Command::Pr(args) => pr::pr(&args),
        Command::Sync(args) => sync::sync(&args),
        Command::Proof(args) => proof::proof(&args),
        Command::Runs(args) => runs::runs(&args),
        Command::Stats(args) => stats::stats(&args),
        Command::Lanes(args) => lanes::lanes(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::Status(args) => status::status(&args),
        Command::Validate(args) => validate::validate(&args),
        Command::Settings(args) => settings::settings(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Archive(args) => archive::archive(&args),
        Command::Notify(args) => notify::notify(&args),
        Command::Demo(args) => demo::demo(&args),
        Command::Worker(args) => worker::worker(&args),
        Command::Relay(args) => relay::relay(args),
        Command::Containerfile => install_files::containerfile(),
        Command::Completions { shell } => install_files::completions(shell),
        Command::Man { dir } => install_files::man(dir.as_deref()),
    }
}

/// For commands that also work with broken settings: the next run reports those, here the defaults apply.
fn settings_or_default(layout: &Layout) -> Settings {
    resolve::settings(layout, &Flags::default()).map(|loaded| loaded.settings).unwrap_or_default()
}

/// Prints the error of a plan also as JSON on standard output.
fn with_json_error(is_json: bool, done: CommandResult) -> CommandResult {
    #[derive(Serialize)]
    struct PlanError {
        v: u32,
        error: String,
        hint: Option<String>,
    }
    if let (true, Err(error)) = (is_json, &done) {
        let (error, hint) = (command_error::message(error), command_error::hint(error));
        print(&json::pretty(&PlanError { v: 1, error, hint })?);
    }
    done
}

/// Refuses the first option that was given.
fn refuse_given(options: &[(&str, bool)], refusal: impl Fn(&str) -> Error) -> Result<()> {
    options.iter().find(|(_, given)| *given).map_or(Ok(()), |(flag, _)| Err(refusal(flag)))
}

fn today() -> NaiveDate {
    events::now().with_timezone(&Local).date_naive()
}

/// The project to work on, by its canonical path, which hooks and git use too.
fn layout(args: &ProjectArgs) -> Result<Layout> {
    let at = |root: &Path| Layout::new(root).with_ralph_dir(&args.ralph_dir);
    if args.ralph_dir.to_str().is_none() {
        let what = format!("the path of the folder {} is not UTF-8", args.ralph_dir.display());
        return Err(precondition(what, "choose another folder with --ralph-dir"));
    }
    if let Some(folder) = &args.project_dir {
        return Ok(at(&root(folder)?));
    }
    let nearest = project_root::nearest(at(&root(Path::new("."))?), at);
    // An agent can commit a folder that looks like a project, with a list in which everything is done.
    if let (true, Some(outer)) = (nearest.is_set_up(), project_root::enclosing(&nearest, at)) {
        let (inner, outer) = (nearest.root().display(), outer.root().display());
        let note = format!("note: using the project {inner}, which is inside the project {outer}");
        command_error::say(&note, &mut anstream::stderr());
    }
    Ok(nearest)
}

/// [`layout`] with the settings file that `--config` names.
fn layout_with_config(ConfigArgs { project, config }: &ConfigArgs) -> Result<Layout> {
    let layout = layout(project)?;
    let Some(file) = config else { return Ok(layout) };
    let missing = || {
        let what = format!("settings file {} not found", file.display());
        precondition(what, "pass an existing file with --config")
    };
    if !file.is_file() {
        return Err(missing());
    }
    // Only the folder is resolved: a settings file that is a link stays a link.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().map_err(|_| missing())?;
    Ok(layout.with_settings(folder.join(file.file_name().ok_or_else(missing)?)))
}

fn root(folder: &Path) -> Result<std::path::PathBuf> {
    let refused = |why: &dyn std::fmt::Display| {
        let what = format!("cannot open the project folder {}: {why}", folder.display());
        precondition(what, "choose another folder with --project-dir")
    };
    let root = folder.canonicalize().map_err(|error| refused(&error))?;
    match root.to_str() {
        _ if !root.is_dir() => Err(refused(&"not a folder")),
        // Agents and hooks pass the path in JSON.
        None => Err(refused(&"the path is not UTF-8, which agents cannot handle")),
        Some(_) => Ok(root),
    }
}

/// The user left a dialogue; `consequence` ends the message.
fn stopped(no_answer: NoAnswer, consequence: &str) -> CommandResult {
    match no_answer {
        NoAnswer::End => {
            // The cursor is still behind a question.
            print(&format!("\nStopped: {consequence}.\n"));
            Ok(ExitCode::from(INTERRUPTED))
        }
        NoAnswer::Failed(error) => {
            Err(anyhow::Error::from(error).context("cannot ask questions on the terminal"))
        }
    }
}

/// Prints text that already has its colours.
fn print(text: &str) {
    // A run counts even if its output cannot be written.
    let _: io::Result<()> = write(text);
}

/// Prints text that is the only result of a command. A closed pipe is no error.
fn print_result(text: &str) -> Result<()> {
    match write(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(anyhow::Error::from(error).context("cannot write to standard output"))
        }
        _ => Ok(()),
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = anstream::AutoStream::new(io::stdout(), anstream::ColorChoice::Always);
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}
