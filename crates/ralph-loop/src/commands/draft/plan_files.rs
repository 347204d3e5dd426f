//! The two files of a plan, as they were and as sessions leave them: progress and a PRD of the user's are put back, the
//! rest is validated. The task list and the PRD are text of an agent: nothing in them is believed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use engine::{Acceptance, Assessed, OwnersFile, RunError};
use plan_lint::{Finding, Severity};
use project::{LARGEST_TASK_LIST, Layout};
use settings::Settings;
use tasks::TaskList;

use crate::command_error::{message, precondition};
use crate::validate::Validation;

/// What the next session is told of each finding is short; more of them do not help it either.
const MOST_FINDINGS: usize = 50;

/// What a project without a list has: no story of a new one has progress.
const NO_STORIES: &str = r#"{"userStories": []}"#;

pub(super) struct PlanFiles<'a> {
    layout: &'a Layout,
    settings: &'a Settings,
    tasks: OwnersFile,
    prd: OwnersFile,
    prd_owner: PrdOwner,
    warnings: Warnings,
    /// Sessions that were assessed.
    pub(super) assessed: u64,
    /// What was put back, in sentences.
    pub(super) restored: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrdOwner {
    User,
    /// There is none yet: a session writes it.
    Session,
}

/// What becomes of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Warnings {
    /// The next session hears of them.
    Untold,
    Told,
}

impl<'a> PlanFiles<'a> {
    pub(super) fn read(layout: &'a Layout, settings: &'a Settings) -> Result<Self> {
        let tasks = OwnersFile::read(layout, layout.tasks());
        let prd = OwnersFile::read(layout, prd(layout));
        refuse_unreadable(&tasks, &layout.tasks(), layout)?;
        refuse_unreadable(&prd, &self::prd(layout), layout)?;
        if let Some(bytes) = tasks.before() {
            refuse_invalid(bytes, layout)?;
        }
        let is_written = |bytes: &[u8]| plan_lint::says_something(&String::from_utf8_lossy(bytes));
        let prd_owner = match prd.before().is_some_and(is_written) {
            true => PrdOwner::User,
            false => PrdOwner::Session,
        };
        let (warnings, restored) = (Warnings::Untold, Vec::new());
        Ok(Self { layout, settings, tasks, prd, prd_owner, warnings, assessed: 0, restored })
    }

    pub(super) fn prd_owner(&self) -> PrdOwner {
        self.prd_owner
    }

    /// From the project's root.
    pub(super) fn names(&self) -> [String; 2] {
        [self.layout.name_of(&prd(self.layout)), self.layout.tasks_name()]
    }

    /// After a session with the user, who has seen the warnings.
    pub(super) fn assess_dialogue(&mut self) -> Result<Assessed> {
        self.warnings = Warnings::Told;
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

    /// Puts both files back as they were, and keeps what a session wrote in `folder`. Names what is there.
    pub(super) fn withdraw(&self, folder: &Path) -> Result<Vec<String>> {
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
                OwnersFile::read(self.layout, copy)
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
                undone.push(format!("{} had become a link", layout.name_of(&path)));
            }
        }
        if self.prd_owner == PrdOwner::User && restore(&self.prd, &prd(layout), layout)? {
            undone.push(format!(
                "{} is the user's and had been changed",
                layout.name_of(&prd(layout))
            ));
        }
        let now = read(&layout.tasks()).and_then(|bytes| String::from_utf8(bytes).ok());
        let before = self.tasks.before().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let before = before.unwrap_or(NO_STORIES);
        // What is no list has errors, and is not kept.
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

    /// What the next session has to fix.
    fn objections(&mut self) -> Vec<String> {
        let validation = match self.validation() {
            Ok(validation) => validation,
            Err(error) => return vec![message(&error)],
        };
        let is_told = |finding: &&Finding| {
            finding.severity() == Severity::Error || self.warnings == Warnings::Untold
        };
        let told: Vec<String> = validation
            .findings()
            .iter()
            .filter(is_told)
            .map(in_words)
            .take(MOST_FINDINGS)
            .collect();
        if !told.is_empty() {
            self.warnings = Warnings::Told;
        }
        told
    }
}

impl Acceptance for PlanFiles<'_> {
    fn assess(&mut self) -> Result<Assessed, RunError> {
        self.assessed += 1;
        let undone = self.restore_progress()?;
        let warnings = undone.iter().map(|text| format!("put back: {text}")).collect();
        self.restored.extend(undone.clone());
        // An agent that wrote nothing says why in its last message.
        if self.is_unchanged() && undone.is_empty() {
            return Ok(Assessed { warnings, objections: Vec::new() });
        }
        let objections = self.objections();
        if objections.is_empty() {
            return Ok(Assessed { warnings, objections });
        }
        Ok(Assessed { warnings, objections: vec![self.section(&objections, &undone)] })
    }
}

impl PlanFiles<'_> {
    /// For the prompt of the next session.
    fn section(&self, objections: &[String], undone: &[String]) -> String {
        let [prd, _] = self.names();
        let mut lines = vec![
            "## Repair".to_owned(),
            "An earlier session wrote the plan that is there now. `ralph-loop validate` found what follows. Fix it, \
             and keep the rest of the plan as it is."
                .to_owned(),
        ];
        if self.prd_owner == PrdOwner::Session {
            lines.push(format!("That session wrote {prd} too: you may change it."));
        }
        lines.push(String::new());
        lines.extend(objections.iter().map(|text| format!("- {text}")));
        if !undone.is_empty() {
            lines.push(
                "\nThe runner undid these changes of that session. Do not make them again:\n"
                    .into(),
            );
            lines.extend(undone.iter().map(|text| format!("- {text}")));
        }
        lines.join("\n")
    }
}

fn in_words(finding: &Finding) -> String {
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

/// Whether it had been changed.
fn restore(file: &OwnersFile, path: &Path, layout: &Layout) -> Result<bool, RunError> {
    file.restore().map_err(|error| RunError::Disk { path: layout.name_of(path), error })
}

/// What lies behind a new link may have the same contents, and is not the project's all the same.
fn restore_link(file: &OwnersFile, path: &Path, layout: &Layout) -> Result<(), RunError> {
    let restored = match file.before() {
        Some(before) => file.replace(before),
        None => std::fs::remove_file(path),
    };
    restored.map_err(|error| RunError::Disk { path: layout.name_of(path), error })
}

/// A file that is there and was not read could not be put back.
fn refuse_unreadable(file: &OwnersFile, path: &Path, layout: &Layout) -> Result<()> {
    if file.before().is_some() || path.symlink_metadata().is_err() {
        return Ok(());
    }
    let what = format!("{} cannot be read", layout.name_of(path));
    Err(precondition(what, "put a text file there, or remove it"))
}

/// Progress in a list that cannot be read would be lost.
fn refuse_invalid(bytes: &[u8], layout: &Layout) -> Result<()> {
    let Err(problems) = tasks::inspect(bytes).accepted() else { return Ok(()) };
    let first = problems.first().map(|problem| format!(": {problem}")).unwrap_or_default();
    let tasks = layout.tasks_name();
    Err(precondition(
        format!("{tasks} is not a valid task list{first}"),
        format!(
            "fix it (`ralph-loop validate` names every problem), or remove {tasks} to plan anew"
        ),
    ))
}
