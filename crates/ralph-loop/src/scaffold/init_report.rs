//! What `init` did, as data that reads well.

use std::fmt;
use std::path::{Path, PathBuf};

use project::Layout;
use serde::{Serialize, Serializer};

use super::from_plan::Remark;
use super::one_line;
use super::verify_commands::Detection;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InitReport {
    pub project: String,
    pub branch: String,
    /// From the project root, in the order in which they were written.
    pub files: Vec<FileReport>,
    /// The checks that were written to the task list; `None` where it was kept as it is.
    pub checks: Option<Detection>,
    /// What became of a plan, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanReport>,
    #[serde(skip)]
    ralph_dir: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    #[serde(serialize_with = "shown")]
    pub path: PathBuf,
    #[serde(flatten)]
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum Outcome {
    Created,
    Kept,
    Replaced {
        #[serde(serialize_with = "shown")]
        backup: PathBuf,
    },
    Extended,
    Renewed,
}

/// A plan that was to be taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanReport {
    /// How many stories were written; none where the list was kept.
    pub stories: usize,
    pub remarks: Vec<Remark>,
}

/// A path that is no text is shown as far as it is one.
fn shown<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

impl InitReport {
    pub(super) fn new(
        layout: &Layout,
        (project, branch): (String, String),
        detected: Detection,
        files: Vec<FileReport>,
        plan: Option<PlanReport>,
    ) -> Self {
        let tasks = layout.tasks_name();
        let ralph_dir = tasks.trim_end_matches("tasks.json").to_owned();
        let written = files.iter().any(|file| {
            layout.root().join(&file.path) == layout.tasks() && file.outcome != Outcome::Kept
        });
        Self { project, branch, files, checks: written.then_some(detected), plan, ralph_dir }
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
            writeln!(f, "{project} is set up for a loop on branch {}.", one_line(&self.branch))?;
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
        if let Some(plan) = &self.plan {
            plan.fmt(f)?;
        }
        writeln!(f)?;
        writeln!(f, "Next:")?;
        match &self.plan {
            Some(PlanReport { stories: 1.., .. }) => {
                writeln!(f, "  1. Describe what you want in {dir}prd.md and read the stories in")?;
                writeln!(f, "     {dir}tasks.json.")?;
            }
            _ => {
                writeln!(
                    f,
                    "  1. Plan: ralph-loop draft 'what to build' has the agent write it, or edit"
                )?;
                writeln!(f, "     {dir}prd.md and {dir}tasks.json.")?;
            }
        }
        writeln!(f, "  2. Check the plan: ralph-loop validate")?;
        writeln!(f, "  3. Commit, then start the loop: ralph-loop")
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

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stories, self.remarks.as_slice()) {
            (0, []) => return Ok(()),
            (0, _) => write!(f, "\nFrom the plan:\n")?,
            (1, _) => write!(f, "\nFrom the plan: 1 story.\n")?,
            (stories, _) => write!(f, "\nFrom the plan: {stories} stories.\n")?,
        }
        let mut remarks = self.remarks.iter();
        remarks.try_for_each(|remark| writeln!(f, "  {}", one_line(&remark.to_string())))
    }
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
