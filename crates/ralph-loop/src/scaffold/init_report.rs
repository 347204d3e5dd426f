//! The result of `init`, as text and as JSON.

use std::fmt;

use proof::Framework;
use serde::Serialize;

use super::imported::Remark;
use super::one_line;
use super::verify_commands::{DetectedCheck, Detection};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct InitReport {
    pub(crate) project: String,
    pub(crate) branch: String,
    /// Relative to the project root, in the order of writing.
    pub(crate) files: Vec<FileReport>,
    /// The checks written to the task list; `None` if the list was kept.
    pub(crate) checks: Option<Detection>,
    /// The commands that prepare a clone, if they were written to the settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) setup: Vec<DetectedCheck>,
    /// The test frameworks with which proofs are proposed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) frameworks: Vec<Framework>,
    /// The result of an import.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<PlanReport>,
    /// With `/` at the end.
    #[serde(skip)]
    pub(super) ralph_dir: String,
    #[serde(skip)]
    pub(super) is_in_repository: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FileReport {
    pub(crate) path: String,
    #[serde(flatten)]
    pub(crate) outcome: FileOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, strum::Display)]
#[serde(tag = "outcome", rename_all = "camelCase")]
#[strum(serialize_all = "camelCase")]
pub(crate) enum FileOutcome {
    Created,
    Kept,
    Replaced { backup: String },
    Extended,
    Renewed,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct PlanReport {
    #[serde(skip)]
    pub(super) from: String,
    /// Number of imported stories; 0 if the list was kept.
    pub(crate) stories: usize,
    pub(crate) remarks: Vec<Remark>,
}

/// Replaces invalid UTF-8 in paths.
impl InitReport {
    /// Whether all files existed before.
    pub(crate) fn changed_nothing(&self) -> bool {
        self.files.iter().all(|file| file.outcome == FileOutcome::Kept)
    }
}

impl fmt::Display for InitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dir = one_line(&self.ralph_dir);
        let project = one_line(&self.project);
        match &self.checks {
            _ if self.changed_nothing() => writeln!(f, "Nothing to do: all files exist.\n")?,
            Some(_) => {
                let branch = one_line(&self.branch);
                writeln!(f, "{project} is set up for a loop on branch {branch}.\n")?;
            }
            None => writeln!(f, "{project} is set up for a loop.\n")?,
        }
        for file in &self.files {
            writeln!(f, "  {file}")?;
        }
        if let Some(checks) = &self.checks {
            write_checks(f, checks, &dir)?;
        }
        if !self.frameworks.is_empty() {
            let names: Vec<String> = self.frameworks.iter().map(ToString::to_string).collect();
            let names = names.join(", ");
            writeln!(
                f,
                "\nTests: {names}; --proof has each criterion proven by a test that another session writes."
            )?;
        }
        if !self.setup.is_empty() {
            let heading =
                "Setup of clones for ralph-loop -j N (lanes.setup in .ralph/settings.json):";
            writeln!(f, "\n{heading}")?;
            write_commands(f, &self.setup)?;
        }
        if let Some(plan) = &self.plan {
            plan.fmt(f)?;
        }
        let plan = match &self.plan {
            Some(PlanReport { stories: 1.., .. }) => format!(
                "Describe what you want in {dir}prd.md and read the stories in\n     {dir}tasks.json."
            ),
            _ => format!(
                "Plan: let the agent write it with ralph-loop draft 'what to build', or edit\n     \
                 {dir}prd.md and {dir}tasks.json."
            ),
        };
        writeln!(f, "\nNext:\n  1. {plan}\n  2. Check the plan: ralph-loop validate")?;
        let commit = match self.is_in_repository {
            true => "Commit",
            false => "Create a repository with git init, commit",
        };
        writeln!(f, "  3. {commit}, then start the loop: ralph-loop")
    }
}

fn write_checks(f: &mut fmt::Formatter<'_>, checks: &Detection, dir: &str) -> fmt::Result {
    let heading = match checks.commands.is_empty() {
        true => format!(
            "No checks found. Add the commands that must pass to verifyCommands in\n\
             {dir}tasks.json: without checks, only reviews find broken work."
        ),
        false => {
            format!("Checks that every story must pass (verifyCommands in {dir}tasks.json):")
        }
    };
    writeln!(f, "\n{heading}")?;
    write_commands(f, &checks.commands)?;
    checks.notes.iter().try_for_each(|note| writeln!(f, "  note: {}", one_line(note)))
}

fn write_commands(f: &mut fmt::Formatter<'_>, commands: &[DetectedCheck]) -> fmt::Result {
    let shown: Vec<String> = commands.iter().map(|found| one_line(&found.command)).collect();
    let width = shown.iter().map(|command| command.chars().count()).max().unwrap_or_default();
    let mut lines = shown.iter().zip(commands);
    lines.try_for_each(|(command, found)| {
        writeln!(f, "  {command:width$}  ({})", one_line(&found.source))
    })
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = one_line(&self.from);
        match (self.stories, self.remarks.as_slice()) {
            (0, []) => return Ok(()),
            (0, _) => write!(f, "\nFrom {from}:\n")?,
            (1, _) => write!(f, "\nFrom {from}: 1 story.\n")?,
            (stories, _) => write!(f, "\nFrom {from}: {stories} stories.\n")?,
        }
        let mut remarks = self.remarks.iter();
        remarks.try_for_each(|remark| writeln!(f, "  {}", one_line(&remark.message)))
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<9} {}", self.outcome, one_line(&self.path))?;
        match &self.outcome {
            FileOutcome::Replaced { backup } => write!(f, " (backup: {})", one_line(backup)),
            _ => Ok(()),
        }
    }
}
