//! The result of `init`, as text and as JSON.

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
    /// Relative to the project root, in the order of writing.
    pub files: Vec<FileReport>,
    /// The checks written to the task list; `None` if the list was kept.
    pub checks: Option<Detection>,
    /// The result of `--from-plan`.
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
    pub outcome: FileOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum FileOutcome {
    Created,
    Kept,
    Replaced {
        #[serde(serialize_with = "shown")]
        backup: PathBuf,
    },
    Extended,
    Renewed,
}

/// The result of importing a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanReport {
    /// Number of imported stories; 0 if the list was kept.
    pub stories: usize,
    pub remarks: Vec<Remark>,
}

/// Replaces invalid UTF-8 in paths.
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
            layout.root().join(&file.path) == layout.tasks() && file.outcome != FileOutcome::Kept
        });
        Self { project, branch, files, checks: written.then_some(detected), plan, ralph_dir }
    }

    /// Whether all files existed before.
    pub fn changed_nothing(&self) -> bool {
        self.files.iter().all(|file| file.outcome == FileOutcome::Kept)
    }
}

impl fmt::Display for InitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dir = one_line(&self.ralph_dir);
        if self.changed_nothing() {
            writeln!(f, "Nothing to do: all files exist.")?;
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
                    "  1. Plan: let the agent write it with ralph-loop draft 'what to build', or edit"
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
        writeln!(f, "No checks found. Add the commands that must pass to verifyCommands in")?;
        writeln!(f, "{dir}tasks.json: without checks, only reviews find broken work.")?;
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
            FileOutcome::Created => write!(f, "created   {path}"),
            FileOutcome::Kept => write!(f, "kept      {path}"),
            FileOutcome::Extended => write!(f, "extended  {path}"),
            FileOutcome::Renewed => write!(f, "renewed   {path}"),
            FileOutcome::Replaced { backup } => {
                write!(f, "replaced  {path} (backup: {})", one_line(&backup.to_string_lossy()))
            }
        }
    }
}
