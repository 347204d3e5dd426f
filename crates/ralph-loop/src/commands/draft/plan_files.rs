//! The two files of a plan, before and after each session. Progress and the user's PRD are restored, the rest is
//! validated. Both files are untrusted agent output.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use engine::{Acceptance, Assessment, FileSnapshot, RunError};
use plan_lint::{Finding, Severity};
use project::{LARGEST_TASK_LIST, Layout};
use settings::Settings;
use tasks::TaskList;

use crate::command_error::{message, precondition};
use crate::validate::Validation;

/// Findings in the prompt of a repair session.
const MOST_FINDINGS: usize = 50;

/// Replaces a missing list: no story of a new list has progress.
const NO_STORIES: &str = r#"{"userStories": []}"#;

pub(super) struct PlanFiles<'a> {
    layout: &'a Layout,
    settings: &'a Settings,
    tasks: FileSnapshot,
    prd: FileSnapshot,
    prd_owner: PrdOwner,
    /// Warnings are reported to one session or to the user, errors to every session.
    warnings_reported: bool,
    /// Number of assessed sessions.
    pub(super) assessed: u64,
    /// Reverted changes, one sentence each.
    pub(super) restored: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrdOwner {
    User,
    /// The PRD is empty or missing, so a session writes it.
    Session,
}

impl<'a> PlanFiles<'a> {
    pub(super) fn read(layout: &'a Layout, settings: &'a Settings) -> Result<Self> {
        let tasks = FileSnapshot::read(layout, layout.tasks());
        let prd = FileSnapshot::read(layout, prd(layout));
        refuse_unreadable(&tasks, &layout.tasks(), layout)?;
        refuse_unreadable(&prd, &self::prd(layout), layout)?;
        if let Some(bytes) = tasks.before() {
            refuse_invalid(bytes, layout)?;
        }
        let is_written = |bytes: &[u8]| plan_lint::has_content(&String::from_utf8_lossy(bytes));
        let prd_owner = match prd.before().is_some_and(is_written) {
            true => PrdOwner::User,
            false => PrdOwner::Session,
        };
        let (warnings_reported, assessed, restored) = (false, 0, Vec::new());
        Ok(Self { layout, settings, tasks, prd, prd_owner, warnings_reported, assessed, restored })
    }

    pub(super) fn prd_owner(&self) -> PrdOwner {
        self.prd_owner
    }

    /// From the project's root.
    pub(super) fn names(&self) -> [String; 2] {
        [self.layout.name_of(&prd(self.layout)), self.layout.tasks_name()]
    }

    /// After a session with the user, who has seen the warnings.
    pub(super) fn assess_dialogue(&mut self) -> Result<Assessment> {
        self.warnings_reported = true;
        Ok(self.assess()?)
    }

    pub(super) fn is_unchanged(&self) -> bool {
        let now = [self.layout.tasks(), prd(self.layout)].map(|path| read(&path));
        now == [&self.tasks, &self.prd].map(|file| file.before().map(<[u8]>::to_vec))
    }

    pub(super) fn list(&self) -> Option<TaskList> {
        read(&self.layout.tasks()).and_then(|bytes| tasks::inspect(&bytes).list)
    }

    /// The checks of the list before.
    pub(super) fn checks_before(&self) -> Vec<String> {
        let list = self.tasks.before().and_then(|bytes| tasks::inspect(bytes).list);
        list.map(|list| list.verify_commands).unwrap_or_default()
    }

    pub(super) fn validation(&self) -> Result<Validation> {
        Validation::read(self.layout, self.settings)
    }

    /// Restores both files, saves the session's versions in `folder` and returns their names.
    pub(super) fn restore_and_save(&self, folder: &Path) -> Result<Vec<String>> {
        let mut kept = Vec::new();
        let files = [
            (&self.tasks, self.layout.tasks(), "tasks.draft.json"),
            (&self.prd, prd(self.layout), "prd.draft.md"),
        ];
        for (file, path, copy) in files {
            let written = read(&path).filter(|now| Some(&now[..]) != file.before());
            if let Some(written) = written.filter(|_| !file.is_redirected()) {
                let copy = folder.join(copy);
                let name = self.layout.name_of(&copy);
                FileSnapshot::read(self.layout, copy)
                    .replace(&written)
                    .with_context(|| format!("cannot write {name}"))?;
                kept.push(name);
            }
            restore(file, &path, self.layout)?;
        }
        Ok(kept)
    }

    fn restore_progress(&mut self) -> Result<Vec<String>, RunError> {
        let (layout, mut undone) = (self.layout, Vec::new());
        for (file, path) in [(&self.tasks, layout.tasks()), (&self.prd, prd(layout))] {
            if file.is_redirected() {
                restore_link(file, &path, layout)?;
                undone.push(format!("the session replaced {} with a link", layout.name_of(&path)));
            }
        }
        if self.prd_owner == PrdOwner::User && restore(&self.prd, &prd(layout), layout)? {
            undone.push(format!(
                "the session changed {}, which belongs to the user",
                layout.name_of(&prd(layout))
            ));
        }
        let now = read(&layout.tasks()).and_then(|bytes| String::from_utf8(bytes).ok());
        let before = self.tasks.before().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let before = before.unwrap_or(NO_STORIES);
        // Text that is not a task list has errors and is discarded later.
        if let Some(now) = now
            && let Ok(correction) = tasks::keep_progress(before, &now)
            && !correction.undone.is_empty()
        {
            let written = self.tasks.replace(correction.text.as_bytes());
            written.map_err(|error| RunError::Disk { path: layout.tasks_name(), error })?;
            undone.extend(correction.undone.iter().map(ToString::to_string));
        }
        Ok(undone)
    }

    /// The findings that the next session must fix.
    fn objections(&mut self) -> Vec<String> {
        let validation = match self.validation() {
            Ok(validation) => validation,
            Err(error) => return vec![message(&error)],
        };
        let is_reported =
            |finding: &&Finding| finding.severity() == Severity::Error || !self.warnings_reported;
        let reported: Vec<String> = validation
            .findings()
            .iter()
            .filter(is_reported)
            .map(describe)
            .take(MOST_FINDINGS)
            .collect();
        if !reported.is_empty() {
            self.warnings_reported = true;
        }
        reported
    }
}

impl Acceptance for PlanFiles<'_> {
    fn assess(&mut self) -> Result<Assessment, RunError> {
        self.assessed += 1;
        let undone = self.restore_progress()?;
        let warnings = undone.iter().map(|text| format!("restored: {text}")).collect();
        self.restored.extend(undone.clone());
        // An agent that wrote nothing says why in its last message.
        if self.is_unchanged() && undone.is_empty() {
            return Ok(Assessment { warnings, objections: Vec::new() });
        }
        let objections = self.objections();
        if objections.is_empty() {
            return Ok(Assessment { warnings, objections });
        }
        Ok(Assessment { warnings, objections: vec![self.section(&objections, &undone)] })
    }
}

impl PlanFiles<'_> {
    /// For the prompt of the next session.
    fn section(&self, objections: &[String], undone: &[String]) -> String {
        let [prd, _] = self.names();
        let mut lines = vec![
            "## Repair".to_owned(),
            "An earlier session wrote the current plan. `ralph-loop validate` reports the findings below. Fix them \
             and keep the rest of the plan."
                .to_owned(),
        ];
        if self.prd_owner == PrdOwner::Session {
            lines.push(format!("That session also wrote {prd}: you may change it."));
        }
        lines.push(String::new());
        lines.extend(objections.iter().map(|text| format!("- {text}")));
        if !undone.is_empty() {
            lines.push(
                "\nThe runner reverted these changes of that session. Do not repeat them:\n".into(),
            );
            lines.extend(undone.iter().map(|text| format!("- {text}")));
        }
        lines.join("\n")
    }
}

fn describe(finding: &Finding) -> String {
    let severity = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let story = finding.story().map(|id| format!("{id} ")).unwrap_or_default();
    let field = match &finding.field {
        tasks::FieldPath::Whole => String::new(),
        field => format!("{field} "),
    };
    let (code, what, fix) = (finding.code, &finding.message, &finding.fix);
    sanitize::line(&format!("{severity} {code}: {story}{field}{what}. {fix}"))
}

fn prd(layout: &Layout) -> PathBuf {
    layout.ralph_dir().join("prd.md")
}

fn read(path: &Path) -> Option<Vec<u8>> {
    bounded_read::read_file(path, LARGEST_TASK_LIST).ok()
}

/// Returns whether the file had changed.
fn restore(file: &FileSnapshot, path: &Path, layout: &Layout) -> Result<bool, RunError> {
    file.restore().map_err(|error| RunError::Disk { path: layout.name_of(path), error })
}

/// The target of a new link can have the same contents, but it is not a file of the project.
fn restore_link(file: &FileSnapshot, path: &Path, layout: &Layout) -> Result<(), RunError> {
    let restored = match file.before() {
        Some(before) => file.replace(before),
        None => std::fs::remove_file(path),
    };
    restored.map_err(|error| RunError::Disk { path: layout.name_of(path), error })
}

/// A file that cannot be read cannot be restored later.
fn refuse_unreadable(file: &FileSnapshot, path: &Path, layout: &Layout) -> Result<()> {
    if file.before().is_some() || path.symlink_metadata().is_err() {
        return Ok(());
    }
    let what = format!("cannot read {}", layout.name_of(path));
    Err(precondition(what, "replace it with a text file, or remove it"))
}

/// A draft would lose the progress in an invalid list.
fn refuse_invalid(bytes: &[u8], layout: &Layout) -> Result<()> {
    let Err(problems) = tasks::inspect(bytes).accepted() else { return Ok(()) };
    let first = problems.first().map(|problem| format!(": {problem}")).unwrap_or_default();
    let tasks = layout.tasks_name();
    Err(precondition(
        format!("{tasks} is not a valid task list{first}"),
        format!(
            "fix it (`ralph-loop validate` lists every problem), or remove {tasks} to start over"
        ),
    ))
}
