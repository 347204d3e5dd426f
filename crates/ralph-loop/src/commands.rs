//! One file a command: from its arguments to what it does and the exit code.

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
use crate::dialogue::Silence;
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

/// As a shell reports it for a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

type Done = Result<ExitCode>;

/// The project that is meant, by its real path: hooks and git name it that way.
fn layout(args: &ProjectArgs) -> Result<Layout> {
    let at = |root: &Path| Layout::new(root).with_ralph_dir(&args.ralph_dir);
    if args.ralph_dir.to_str().is_none() {
        let what = format!("the path of the folder {} is not UTF-8", args.ralph_dir.display());
        return Err(precondition(what, "name another one with --ralph-dir"));
    }
    if let Some(folder) = &args.project_dir {
        return Ok(at(&root(folder)?));
    }
    let nearest = project_root::nearest(at(&root(Path::new("."))?), at);
    // An agent can commit a folder that looks like a project, with a list in which everything is done.
    if let (true, Some(outer)) = (nearest.is_set_up(), project_root::enclosing(&nearest, at)) {
        let (inner, outer) = (nearest.root().display(), outer.root().display());
        let note =
            format!("note: this is the project {inner}, which is inside the project {outer}");
        command_error::say(&note, &mut anstream::stderr());
    }
    Ok(nearest)
}

/// The same for commands that obey settings.
fn layout_with(args: &ProjectArgs, ConfigArgs { config }: &ConfigArgs) -> Result<Layout> {
    let layout = layout(args)?;
    let Some(file) = config else { return Ok(layout) };
    let missing = || {
        let what = format!("there is no settings file {}", file.display());
        precondition(what, "name another one with --config")
    };
    if !file.is_file() {
        return Err(missing());
    }
    // A link stays one: what it leads to is what is read.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().map_err(|_| missing())?;
    Ok(layout.with_settings(folder.join(file.file_name().ok_or_else(missing)?)))
}

fn root(folder: &Path) -> Result<std::path::PathBuf> {
    let refused = |why: &dyn std::fmt::Display| {
        let what = format!("the project folder {} cannot be entered: {why}", folder.display());
        precondition(what, "name another one with --project-dir")
    };
    let root = folder.canonicalize().map_err(|error| refused(&error))?;
    match root.to_str() {
        _ if !root.is_dir() => Err(refused(&"it is no folder")),
        // Agents and hooks name it in JSON, which is text.
        None => Err(refused(&"its path is not UTF-8, which agents cannot work with")),
        Some(_) => Ok(root),
    }
}

/// Somebody left a dialogue; `so` says what came of that.
fn stopped(silence: Silence, so: &str) -> Done {
    match silence {
        Silence::Interrupted | Silence::End => {
            // The cursor stands behind a question.
            print(&format!("\nStopped: {so}.\n"));
            Ok(ExitCode::from(INTERRUPTED))
        }
        Silence::Failed(error) => {
            Err(anyhow::Error::from(error).context("cannot talk on the terminal"))
        }
    }
}

/// What was asked for, with the colours it has: whoever painted it knows where it goes.
fn print(text: &str) {
    // What a run did counts, whether or not its words were heard.
    let _: io::Result<()> = write(text);
}

/// Where the text is all there is. A reader that has gone has seen enough.
fn answer(text: &str) -> Result<()> {
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
