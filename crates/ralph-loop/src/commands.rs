//! The subcommands, one module each: from parsed arguments to an exit code.

mod archive;
mod check_trial;
mod completions;
mod containerfile;
mod context_table;
mod demo;
mod doctor;
mod draft;
mod dry_run;
mod init;
mod isolation_in_effect;
mod limits_in_effect;
mod man;
mod notify;
mod order;
mod prompt;
mod report;
mod rerun;
mod run;
mod runs;
mod serve;
mod settings;
mod status;
mod validate;
mod watch;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use project::Layout;

use crate::cli::{ConfigArgs, ProjectArgs};
use crate::command_error::{self, precondition};
use crate::dialogue::NoAnswer;
use crate::project_root;

pub(crate) use archive::archive;
pub(crate) use completions::completions;
pub(crate) use containerfile::containerfile;
pub(crate) use demo::demo;
pub(crate) use doctor::doctor;
pub(crate) use draft::draft;
pub(crate) use init::init;
pub(crate) use man::man;
pub(crate) use notify::notify;
pub(crate) use order::{give, steer};
pub(crate) use prompt::{build, plan, prompt};
pub(crate) use report::report;
pub(crate) use run::run;
pub(crate) use runs::runs;
pub(crate) use serve::serve;
pub(crate) use settings::settings;
pub(crate) use status::status;
pub(crate) use validate::validate;
pub(crate) use watch::watch;

/// The exit code of a program that SIGINT ended, as shells report it.
const INTERRUPTED: u8 = 130;

type CommandResult = Result<ExitCode>;

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
fn layout_with_config(args: &ProjectArgs, ConfigArgs { config }: &ConfigArgs) -> Result<Layout> {
    let layout = layout(args)?;
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
        NoAnswer::Interrupted | NoAnswer::End => {
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
