//! The two files of a plan, before and after each session. Progress and the user's PRD are restored, the rest is
//! validated. Both files are untrusted agent output.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use engine::{Acceptance, Assessment, FileSnapshot, RunError};
use plan_lint::{Finding, Severity};
use project::{LARGEST_TASK_LIST, Layout};
use settings::Settings;
use tasks::{TaskList, VerifyCommand};

use crate::command_error::{message, precondition};
use crate::validate::Validation;

/// Findings in the prompt of a repair session.
const MOST_FINDINGS: usize = 50;

/// Replaces a missing list: no story of a new list has progress.
const NO_STORIES: &str = r#"{"userStories": []}"#;

pub(super) struct PlanFiles<'a> {
    layout: &'a Layout,
    settings: &'a Settings,
    tasks: PlanFile,
    prd: PlanFile,
    /// The PRD was empty or missing. Otherwise it belongs to the user.
    pub(super) session_writes_prd: bool,
    /// Warnings are reported to one session or to the user, errors to every session.
    warnings_reported: bool,
    /// Number of assessed sessions.
    pub(super) assessed: u64,
    /// Reverted changes, one sentence each.
    pub(super) restored: Vec<String>,
}

struct PlanFile {
    path: PathBuf,
    /// From the project's root.
    name: String,
    before: FileSnapshot,
}

impl PlanFile {
    fn read(layout: &Layout, path: PathBuf) -> Result<Self> {
        let before = FileSnapshot::read(layout, path.clone());
        let name = layout.name_of(&path);
        if before.before().is_none() && path.symlink_metadata().is_ok() {
            // It could not be restored later.
            let what = format!("cannot read {name}");
            return Err(precondition(what, "replace it with a text file, or remove it"));
        }
        Ok(Self { path, name, before })
    }

    fn now(&self) -> Option<Vec<u8>> {
        bounded_read::read_file(&self.path, LARGEST_TASK_LIST).ok()
    }

    fn is_unchanged(&self) -> bool {
        self.now().as_deref() == self.before.before()
    }

    /// Returns whether the file had changed.
    fn restore(&self) -> Result<bool, RunError> {
        self.before.restore().map_err(|error| self.unwritable(error))
    }

    /// The target of a new link can have the same contents, but it is not a file of the project.
    fn restore_link(&self) -> Result<(), RunError> {
        let restored = match self.before.before() {
            Some(before) => self.before.replace(before),
            None => std::fs::remove_file(&self.path),
        };
        restored.map_err(|error| self.unwritable(error))
    }

    fn unwritable(&self, error: io::Error) -> RunError {
        RunError::Disk { path: self.name.clone(), error }
    }
}

impl<'a> PlanFiles<'a> {
    pub(super) fn read(layout: &'a Layout, settings: &'a Settings) -> Result<Self> {
        let tasks = PlanFile::read(layout, layout.tasks())?;
        let prd = PlanFile::read(layout, layout.ralph_dir().join("prd.md"))?;
        if let Some(bytes) = tasks.before.before() {
            refuse_invalid(bytes, &tasks.name)?;
        }
        let is_written = |bytes: &[u8]| plan_lint::has_content(&String::from_utf8_lossy(bytes));
        Ok(Self {
            layout,
            settings,
            session_writes_prd: !prd.before.before().is_some_and(is_written),
            tasks,
            prd,
            warnings_reported: false,
            assessed: 0,
            restored: Vec::new(),
        })
    }

    /// From the project's root.
    pub(super) fn names(&self) -> [String; 2] {
        [self.prd.name.clone(), self.tasks.name.clone()]
    }

    /// After a session with the user, who has seen the warnings.
    pub(super) fn assess_dialogue(&mut self) -> Result<Assessment> {
        self.warnings_reported = true;
        Ok(self.assess()?)
    }

    pub(super) fn is_unchanged(&self) -> bool {
        self.tasks.is_unchanged() && self.prd.is_unchanged()
    }

    pub(super) fn list(&self) -> Option<TaskList> {
        self.tasks.now().and_then(|bytes| tasks::inspect(&bytes).list)
    }

    /// The checks of the list before.
    pub(super) fn checks_before(&self) -> Vec<VerifyCommand> {
        let list = self.tasks.before.before().and_then(|bytes| tasks::inspect(bytes).list);
        list.map(|list| list.verify_commands).unwrap_or_default()
    }

    pub(super) fn validation(&self) -> Result<Validation> {
        Validation::read(self.layout, self.settings)
    }

    /// Restores both files, saves the session's versions in `folder` and returns their names.
    pub(super) fn restore_and_save(&self, folder: &Path) -> Result<Vec<String>> {
        let mut kept = Vec::new();
        for (file, copy) in [(&self.tasks, "tasks.draft.json"), (&self.prd, "prd.draft.md")] {
            let written = file.now().filter(|now| Some(&now[..]) != file.before.before());
            if let Some(written) = written.filter(|_| !file.before.is_redirected()) {
                let copy = folder.join(copy);
                let name = self.layout.name_of(&copy);
                FileSnapshot::read(self.layout, copy)
                    .replace(&written)
                    .with_context(|| format!("cannot write {name}"))?;
                kept.push(name);
            }
            file.restore()?;
        }
        Ok(kept)
    }

    fn restore_progress(&mut self) -> Result<Vec<String>, RunError> {
        let mut undone = Vec::new();
        for file in [&self.tasks, &self.prd] {
            if file.before.is_redirected() {
                file.restore_link()?;
                undone.push(format!("the session replaced {} with a link", file.name));
            }
        }
        if !self.session_writes_prd && self.prd.restore()? {
            let name = &self.prd.name;
            undone.push(format!("the session changed {name}, which belongs to the user"));
        }
        let now = self.tasks.now().and_then(|bytes| String::from_utf8(bytes).ok());
        let before = self.tasks.before.before().and_then(|bytes| std::str::from_utf8(bytes).ok());
        // Text that is not a task list has errors and is discarded later.
        if let Some(now) = now
            && let Ok(correction) = tasks::keep_progress(before.unwrap_or(NO_STORIES), &now)
            && !correction.undone.is_empty()
        {
            let written = self.tasks.before.replace(correction.text.as_bytes());
            written.map_err(|error| self.tasks.unwritable(error))?;
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
        let reported = validation.findings.iter().filter(is_reported);
        let reported: Vec<String> = reported.map(describe).take(MOST_FINDINGS).collect();
        self.warnings_reported |= !reported.is_empty();
        reported
    }

    /// For the prompt of the next session.
    fn section(&self, objections: &[String], undone: &[String]) -> String {
        let list = |texts: &[String]| texts.iter().map(|text| format!("\n- {text}")).collect();
        let findings: String = list(objections);
        let mut text = "## Repair\n\
            An earlier session wrote the current plan. `ralph-loop validate` reports the findings below. Fix them \
            and keep the rest of the plan.\n"
            .to_owned();
        if self.session_writes_prd {
            text += &format!("That session also wrote {}: you may change it.\n", self.prd.name);
        }
        text += &findings;
        if !undone.is_empty() {
            let undone: String = list(undone);
            text += "\n\nThe runner reverted these changes of that session. Do not repeat them:\n";
            text += &undone;
        }
        text
    }
}

impl Acceptance for PlanFiles<'_> {
    fn assess(&mut self) -> Result<Assessment, RunError> {
        self.assessed += 1;
        let undone = self.restore_progress()?;
        let warnings = undone.iter().map(|text| format!("restored: {text}")).collect();
        self.restored.extend(undone.clone());
        // An agent that wrote nothing says why in its last message.
        let objections = match self.is_unchanged() && undone.is_empty() {
            true => Vec::new(),
            false => self.objections(),
        };
        let section = (!objections.is_empty()).then(|| self.section(&objections, &undone));
        Ok(Assessment { warnings, objections: section.into_iter().collect() })
    }
}

fn describe(finding: &Finding) -> String {
    let story = finding.story().map(|id| format!("{id} ")).unwrap_or_default();
    let field = match &finding.field {
        tasks::FieldPath::Whole => String::new(),
        field => format!("{field} "),
    };
    let (severity, code) = (finding.severity(), finding.code);
    let (what, fix) = (&finding.message, &finding.fix);
    sanitize::line(&format!("{severity} {code}: {story}{field}{what}. {fix}"))
}

/// A draft would lose the progress in an invalid list.
fn refuse_invalid(bytes: &[u8], name: &str) -> Result<()> {
    let Err(problems) = tasks::inspect(bytes).accepted() else { return Ok(()) };
    let first = problems.first().map(|problem| format!(": {problem}")).unwrap_or_default();
    Err(precondition(
        format!("{name} is not a valid task list{first}"),
        format!(
            "fix it (`ralph-loop validate` lists every problem), or remove {name} to start over"
        ),
    ))
}
