//! Plans all files that `init` writes before it writes the first one.
//!
//! Planning finds every obstacle, so that no question is asked in vain.

use std::path::Path;

use chrono::NaiveDate;
use project::{Layout, RunLock};

use super::from_plan::{ImportedPlan, Remark};
use super::init_error::InitError;
use super::init_report::{InitReport, PlanReport};
use super::managed_file::{self, ManagedFile};
use super::root_files::RootFiles;
use super::templates::{self, TemplateValues};
use super::verify_commands::{self, Detection, VerifyCommand};
use super::{Checks, Existing, InitOptions, default_feature, project_name, slug};

#[derive(Debug)]
pub struct InitPlan {
    layout: Layout,
    values: TemplateValues,
    branch: String,
    detected: Detection,
    files: Vec<ManagedFile>,
    has_settings: bool,
    imported: Option<PlanReport>,
}

impl InitPlan {
    pub fn new(options: &InitOptions, today: NaiveDate) -> Result<Self, InitError> {
        let layout = options.layout.clone();
        if !layout.root().is_dir() {
            return Err(InitError::NoFolder { path: layout.root().to_path_buf() });
        }
        let mut detected = verify_commands::detect(&RootFiles::read(layout.root()));
        if let Checks::Given(commands) = &options.checks {
            detected.commands = commands.iter().map(|command| given_command(command)).collect();
            detected.notes.clear();
        }
        let imported = options.imported.as_ref();
        let values = TemplateValues {
            feature: feature(options)?,
            project: imported
                .and_then(|plan| plan.project.clone())
                .unwrap_or_else(|| project_name(layout.root(), &detected)),
            verify_commands: detected.commands.iter().map(|found| found.command.clone()).collect(),
        };
        let branch = branch(options, &values);
        let list = match imported {
            Some(plan) => plan.task_list(&values.project, &branch, &values.verify_commands),
            None => values.tasks(),
        };

        let ralph_dir = layout.ralph_dir();
        let new_files = [
            (ralph_dir.join("prd.md"), templates::PRD.to_owned()),
            (layout.tasks(), list.clone()),
            (ralph_dir.join("progress.txt"), values.progress(today)),
            (ralph_dir.join("prompt.md"), templates::PROMPT.to_owned()),
        ];
        let mut files = Vec::new();
        for (path, contents) in new_files {
            files.push(ManagedFile::plan(path, contents.into_bytes(), options.existing)?);
        }
        if files.iter().any(|file| file.writes() && file.path() == layout.tasks()) {
            let schema = templates::TASKS_SCHEMA.as_bytes().to_vec();
            files.push(ManagedFile::plan_own(ralph_dir.join("tasks.schema.json"), schema)?);
        }
        files.push(ManagedFile::plan_gitignore(layout.root().join(".gitignore"))?);
        files.extend(memory_files(&layout)?);
        // Reading it also finds obstacles such as a folder of that name.
        let has_settings = managed_file::current(&layout.settings())?.is_some();
        let imported = imported.map(|plan| {
            let written = files.iter().any(|file| file.writes() && file.path() == layout.tasks());
            let is_same = || matches!(managed_file::current(&layout.tasks()), Ok(Some(old)) if old == list.as_bytes());
            match written {
                true => import_report(plan, options),
                false if is_same() => PlanReport { stories: 0, remarks: Vec::new() },
                false => PlanReport { stories: 0, remarks: vec![Remark::ListKept] },
            }
        });
        Ok(Self { layout, values, branch, detected, files, has_settings, imported })
    }

    /// The name of the project.
    pub fn project(&self) -> &str {
        &self.values.project
    }

    /// The checks for the task list; empty if the list is kept.
    pub fn checks(&self) -> &[VerifyCommand] {
        if self.writes_list() { &self.detected.commands } else { &[] }
    }

    /// Whether `init` writes a task list without checks.
    pub fn lacks_checks(&self) -> bool {
        self.writes_list() && self.detected.commands.is_empty()
    }

    fn writes_list(&self) -> bool {
        let list = self.layout.tasks();
        self.files.iter().any(|file| file.writes() && file.path() == list)
    }

    /// Whether a settings file exists.
    pub fn finds_settings(&self) -> bool {
        self.has_settings
    }

    /// Adds remarks about the imported plan.
    pub fn with_remarks(mut self, remarks: Vec<Remark>) -> Self {
        if let Some(imported) = &mut self.imported {
            imported.remarks.extend(remarks);
        }
        self
    }

    /// Adds the settings file and the schema that it refers to.
    pub fn with_settings(mut self, text: String, existing: Existing) -> Result<Self, InitError> {
        let settings = ManagedFile::plan(self.layout.settings(), text.into_bytes(), existing)?;
        let schema =
            self.layout.data_dir().join(settings::SCHEMA_REFERENCE.trim_start_matches("./"));
        let schema = match settings.writes() {
            true => Some(ManagedFile::plan_own(schema, settings::SCHEMA.as_bytes().to_vec())?),
            false => None,
        };
        self.files.push(settings);
        self.files.extend(schema);
        Ok(self)
    }

    pub fn write(self) -> Result<InitReport, InitError> {
        let Self { layout, values, branch, detected, files, imported, .. } = self;
        let writes = files.iter().any(ManagedFile::writes);
        // A running loop relies on these files, also on missing ones.
        let _lock =
            (writes && layout.is_set_up()).then(|| RunLock::acquire(&layout)).transpose()?;
        let mut written = Vec::new();
        for file in files {
            if let Some(folder) = file.path().parent().filter(|_| file.writes()) {
                create_folder(folder)?;
            }
            written.push(file.write(layout.root())?);
        }
        let names = (values.project, branch);
        Ok(InitReport::new(&layout, names, detected, written, imported))
    }
}

/// MCP servers and skills. The user extends them, so existing ones are kept even with `--force`.
fn memory_files(layout: &Layout) -> Result<Vec<ManagedFile>, InitError> {
    let skills =
        templates::SKILLS.map(|(name, text)| (layout.skills_dir().join(name), text.to_owned()));
    let mcp = [
        (layout.mcp_coding(), templates::MCP_CODING.to_owned()),
        (layout.mcp_memory(), templates::MCP_MEMORY.to_owned()),
    ];
    let files = mcp.into_iter().chain(skills);
    files.map(|(path, text)| ManagedFile::plan(path, text.into_bytes(), Existing::Keep)).collect()
}

fn given_command(command: &str) -> VerifyCommand {
    VerifyCommand { command: command.to_owned(), source: "as given".to_owned() }
}

/// `--name` overrides the plan, and the plan overrides the name of the folder.
fn branch(options: &InitOptions, values: &TemplateValues) -> String {
    let planned = options.imported.as_ref().and_then(|plan| plan.branch.clone());
    let planned = planned.filter(|_| options.name.is_none());
    planned.unwrap_or_else(|| format!("ralph/{}", values.feature))
}

fn import_report(plan: &ImportedPlan, options: &InitOptions) -> PlanReport {
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
