//! What `init` did, as data that reads well.

use std::fmt;
use std::path::PathBuf;

use project::Layout;

use super::one_line;
use super::templates::Subject;
use super::verify_commands::Detection;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitReport {
    pub project: String,
    pub branch: String,
    /// From the project root, in the order in which they were written.
    pub files: Vec<FileReport>,
    /// The checks that were written to the task list; `None` where it was kept as it is.
    pub checks: Option<Detection>,
    ralph_dir: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    pub path: PathBuf,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Kept,
    Replaced { backup: PathBuf },
    Extended,
    Renewed,
}

impl InitReport {
    pub(super) fn new(
        layout: &Layout,
        subject: Subject,
        detected: Detection,
        files: Vec<FileReport>,
    ) -> Self {
        let tasks = layout.tasks_name();
        let ralph_dir = tasks.trim_end_matches("tasks.json").to_owned();
        let written = files.iter().any(|file| {
            layout.root().join(&file.path) == layout.tasks() && file.outcome != Outcome::Kept
        });
        Self {
            project: subject.project,
            branch: format!("ralph/{}", subject.feature),
            files,
            checks: written.then_some(detected),
            ralph_dir,
        }
    }

    /// Whether everything was there before.
    pub fn changed_nothing(&self) -> bool {
        self.files.iter().all(|file| file.outcome == Outcome::Kept)
    }
}

impl fmt::Display for InitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dir = one_line(&self.ralph_dir);
        if self.changed_nothing() {
            writeln!(f, "Nothing to do: everything was here already.")?;
        } else if self.checks.is_some() {
            let project = one_line(&self.project);
            writeln!(f, "{project} is set up for a loop on branch {}.", self.branch)?;
        } else {
            writeln!(f, "{} is set up for a loop.", one_line(&self.project))?;
        }
        writeln!(f)?;
        for file in &self.files {
            writeln!(f, "  {file}")?;
        }
        if let Some(checks) = &self.checks {
            write_checks(f, checks, &dir)?;
        }
        writeln!(f)?;
        writeln!(f, "Next:")?;
        writeln!(f, "  1. Say what you want in {dir}prd.md and break it into stories in")?;
        writeln!(f, "     {dir}tasks.json.")?;
        writeln!(f, "  2. Commit, then start the loop: ralph-loop")
    }
}

fn write_checks(f: &mut fmt::Formatter<'_>, checks: &Detection, dir: &str) -> fmt::Result {
    writeln!(f)?;
    if checks.commands.is_empty() {
        writeln!(f, "No checks found. Put the commands that must pass into verifyCommands of")?;
        writeln!(f, "{dir}tasks.json: without them, nothing but reviews stands in the way.")?;
    } else {
        writeln!(f, "Checks that every story must pass (verifyCommands in {dir}tasks.json):")?;
    }
    let shown: Vec<String> = checks.commands.iter().map(|c| one_line(&c.command)).collect();
    let width = shown.iter().map(|command| command.chars().count()).max().unwrap_or_default();
    for (command, found) in shown.iter().zip(&checks.commands) {
        writeln!(f, "  {command:width$}  ({})", one_line(&found.source))?;
    }
    checks.notes.iter().try_for_each(|note| writeln!(f, "  note: {}", one_line(note)))
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = one_line(&self.path.to_string_lossy());
        match &self.outcome {
            Outcome::Created => write!(f, "created   {path}"),
            Outcome::Kept => write!(f, "kept      {path}"),
            Outcome::Extended => write!(f, "extended  {path}"),
            Outcome::Renewed => write!(f, "renewed   {path}"),
            Outcome::Replaced { backup } => {
                write!(
                    f,
                    "replaced  {path} (the old one is {})",
                    one_line(&backup.to_string_lossy())
                )
            }
        }
    }
}
