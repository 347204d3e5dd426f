//! Everything `init` is going to write, known before the first byte is.
//!
//! Whatever would be in the way is found while planning, so that nobody answers questions for nothing.

use std::path::Path;

use chrono::NaiveDate;
use project::{Layout, RunLock};

use super::from_plan::{ImportedPlan, Remark};
use super::init_error::InitError;
use super::init_report::{InitReport, PlanReport};
use super::root_files::RootFiles;
use super::target::{self, Target};
use super::templates::{self, Subject};
use super::verify_commands::{self, Detection, VerifyCommand};
use super::{Checks, Existing, InitOptions, default_feature, project_name, slug};

#[derive(Debug)]
pub struct Plan {
    layout: Layout,
    subject: Subject,
    branch: String,
    detected: Detection,
    targets: Vec<Target>,
    settings: Settings,
    imported: Option<PlanReport>,
}

/// Whether settings are here already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Settings {
    Here,
    Absent,
}

impl Plan {
    pub fn new(options: &InitOptions, today: NaiveDate) -> Result<Self, InitError> {
        let layout = options.layout.clone();
        if !layout.root().is_dir() {
            return Err(InitError::NoFolder { path: layout.root().to_path_buf() });
        }
        let mut detected = verify_commands::detect(&RootFiles::read(layout.root()));
        if let Checks::Given(commands) = &options.checks {
            detected.commands = commands.iter().map(|command| given(command)).collect();
            detected.notes.clear();
        }
        let imported = options.imported.as_ref();
        let subject = Subject {
            feature: feature(options)?,
            project: imported
                .and_then(|plan| plan.project.clone())
                .unwrap_or_else(|| project_name(layout.root(), &detected)),
            verify_commands: detected.commands.iter().map(|found| found.command.clone()).collect(),
        };
        let branch = branch(options, &subject);
        let list = match imported {
            Some(plan) => plan.task_list(&subject.project, &branch, &subject.verify_commands),
            None => subject.tasks(),
        };

        let ralph_dir = layout.ralph_dir();
        let files = [
            (ralph_dir.join("prd.md"), templates::PRD.to_owned()),
            (layout.tasks(), list.clone()),
            (ralph_dir.join("progress.txt"), subject.progress(today)),
            (ralph_dir.join("prompt.md"), templates::PROMPT.to_owned()),
        ];
        let mut targets = Vec::new();
        for (path, contents) in files {
            targets.push(Target::plan(path, contents.into_bytes(), options.existing)?);
        }
        if targets.iter().any(|target| target.writes() && target.path() == layout.tasks()) {
            let schema = templates::TASKS_SCHEMA.as_bytes().to_vec();
            targets.push(Target::plan_own(ralph_dir.join("tasks.schema.json"), schema)?);
        }
        targets.push(Target::plan_gitignore(layout.root().join(".gitignore"))?);
        targets.extend(memory_files(&layout)?);
        // Read like the others, because it may be in the way like them.
        let settings = match target::current(&layout.settings())? {
            Some(_) => Settings::Here,
            None => Settings::Absent,
        };
        let imported = imported.map(|plan| {
            let written = targets.iter().any(|t| t.writes() && t.path() == layout.tasks());
            let is_same = || matches!(target::current(&layout.tasks()), Ok(Some(old)) if old == list.as_bytes());
            match written {
                true => taken_over(plan, options),
                false if is_same() => PlanReport { stories: 0, remarks: Vec::new() },
                false => PlanReport { stories: 0, remarks: vec![Remark::ListKept] },
            }
        });
        Ok(Self { layout, subject, branch, detected, targets, settings, imported })
    }

    /// What the project calls itself.
    pub fn project(&self) -> &str {
        &self.subject.project
    }

    /// The checks that go into the task list; none where it stays as it is.
    pub fn checks(&self) -> &[VerifyCommand] {
        if self.writes_list() { &self.detected.commands } else { &[] }
    }

    /// Whether the task list is written now and would have no checks.
    pub fn lacks_checks(&self) -> bool {
        self.writes_list() && self.detected.commands.is_empty()
    }

    fn writes_list(&self) -> bool {
        let list = self.layout.tasks();
        self.targets.iter().any(|target| target.writes() && target.path() == list)
    }

    /// Whether settings are here already.
    pub fn finds_settings(&self) -> bool {
        self.settings == Settings::Here
    }

    /// What else is to be said about the plan that was taken over.
    pub fn with_remarks(mut self, remarks: Vec<Remark>) -> Self {
        if let Some(imported) = &mut self.imported {
            imported.remarks.extend(remarks);
        }
        self
    }

    /// The settings too, and the schema they refer to, which comes and goes with them.
    pub fn with_settings(mut self, text: String, existing: Existing) -> Result<Self, InitError> {
        let settings = Target::plan(self.layout.settings(), text.into_bytes(), existing)?;
        let schema =
            self.layout.data_dir().join(settings::SCHEMA_REFERENCE.trim_start_matches("./"));
        let schema = match settings.writes() {
            true => Some(Target::plan_own(schema, settings::SCHEMA.as_bytes().to_vec())?),
            false => None,
        };
        self.targets.push(settings);
        self.targets.extend(schema);
        Ok(self)
    }

    pub fn write(self) -> Result<InitReport, InitError> {
        let Self { layout, subject, branch, detected, targets, imported, .. } = self;
        let writes = targets.iter().any(Target::writes);
        // A running loop relies on these files, also on those that are missing.
        let _lock =
            (writes && layout.is_set_up()).then(|| RunLock::acquire(&layout)).transpose()?;
        let mut written = Vec::new();
        for target in targets {
            if let Some(folder) = target.path().parent().filter(|_| target.writes()) {
                create_folder(folder)?;
            }
            written.push(target.write(layout.root())?);
        }
        let names = (subject.project, branch);
        Ok(InitReport::new(&layout, names, detected, written, imported))
    }
}

/// MCP servers and skills: they grow with the project, so that those which are here stay, whatever
/// becomes of the other files.
fn memory_files(layout: &Layout) -> Result<Vec<Target>, InitError> {
    let skills =
        templates::SKILLS.map(|(name, text)| (layout.skills_dir().join(name), text.to_owned()));
    let mcp = [
        (layout.mcp_coding(), templates::MCP_CODING.to_owned()),
        (layout.mcp_memory(), templates::MCP_MEMORY.to_owned()),
    ];
    let files = mcp.into_iter().chain(skills);
    files.map(|(path, text)| Target::plan(path, text.into_bytes(), Existing::Keep)).collect()
}

fn given(command: &str) -> VerifyCommand {
    VerifyCommand { command: command.to_owned(), source: "as given".to_owned() }
}

/// What was named by hand counts more than the plan, and the plan more than the folder's name.
fn branch(options: &InitOptions, subject: &Subject) -> String {
    let planned = options.imported.as_ref().and_then(|plan| plan.branch.clone());
    let planned = planned.filter(|_| options.name.is_none());
    planned.unwrap_or_else(|| format!("ralph/{}", subject.feature))
}

fn taken_over(plan: &ImportedPlan, options: &InitOptions) -> PlanReport {
    let mut remarks = plan.remarks.clone();
    if let (Some(branch), Some(_)) = (&plan.branch, &options.name) {
        remarks.push(Remark::OtherBranch { branch: branch.clone() });
    }
    PlanReport { stories: plan.len(), remarks }
}

fn feature(options: &InitOptions) -> Result<String, InitError> {
    match &options.name {
        Some(name) => slug(name).ok_or_else(|| InitError::Name { name: name.clone() }),
        None => Ok(default_feature(options.layout.root())),
    }
}

fn create_folder(path: &Path) -> Result<(), InitError> {
    std::fs::create_dir_all(path)
        .map_err(|error| InitError::Folder { path: path.to_path_buf(), error })
}
