//! Plans all files that `init` writes before it writes the first one.
//!
//! Planning finds every obstacle, so that no question is asked in vain.

use anyhow::{Result, anyhow, bail};
use chrono::NaiveDate;
use project::{Layout, RunLock};
use proof::Framework;
use vcs::WorkTree;

use super::imported::{Additions, Imported, Remark, added_to};
use super::init_report::{FileOutcome, InitReport, PlanReport};
use super::managed_file::{self, ManagedFile};
use super::root_files::RootFiles;
use super::templates::{self, TemplateValues};
use super::verify_commands::{self, DetectedCheck, Detection};
use super::{Existing, InitOptions, lanes, slug, template_values};
use crate::command_error::precondition;

#[derive(Debug)]
pub(crate) struct InitPlan {
    layout: Layout,
    values: TemplateValues,
    branch: String,
    detected: Detection,
    files: Vec<ManagedFile>,
    /// Whether the task list is new.
    writes_list: bool,
    writes_settings: bool,
    /// Commands that prepare a clone of the project.
    pub(crate) setup: Vec<DetectedCheck>,
    /// Whether a settings file exists.
    pub(crate) has_settings: bool,
    pub(crate) imported: Option<PlanReport>,
    /// Test frameworks of the project, to propose proofs.
    pub(crate) frameworks: Vec<Framework>,
}

impl InitPlan {
    pub(crate) fn new(options: &InitOptions, today: NaiveDate) -> Result<Self> {
        let layout = options.layout.clone();
        if !layout.root().is_dir() {
            bail!("{} is not a folder", layout.root().display());
        }
        let root_files = RootFiles::read(layout.root());
        let mut detected = verify_commands::detect(&root_files);
        if !options.checks.is_empty() {
            let given = |command: &String| DetectedCheck {
                command: command.clone(),
                source: "as given".to_owned(),
            };
            detected.commands = options.checks.iter().map(given).collect();
            detected.notes.clear();
        }
        let imported = options.imported.as_ref();
        let mut values = template_values(layout.root(), &detected);
        if let Some(name) = &options.name {
            values.feature = slug(name)
                .ok_or_else(|| anyhow!("{name:?} contains no letter or digit for a branch name"))?;
        }
        if let Some(project) = imported.and_then(|plan| plan.project.clone()) {
            values.project = project;
        }
        // `--name` overrides the plan, and the plan overrides the name of the folder.
        let planned = imported.filter(|_| options.name.is_none());
        let branch = planned
            .and_then(|plan| plan.branch.clone())
            .unwrap_or_else(|| format!("ralph/{}", values.feature));
        let (list, imported) = plan_list(options, &values, &branch)?;

        let ralph_dir = layout.ralph_dir();
        let plan = |path, text: &str, if_other| {
            ManagedFile::plan(path, text.as_bytes().to_vec(), if_other)
        };
        let if_other = || options.existing.outcome();
        let mut files = vec![
            plan(ralph_dir.join("prd.md"), templates::PRD, if_other())?,
            list,
            plan(ralph_dir.join("progress.txt"), &values.progress(today), if_other())?,
            plan(ralph_dir.join("prompt.md"), templates::PROMPT, if_other())?,
        ];
        let writes_list = files[1].writes() && !files[1].extends();
        if files[1].writes() {
            let schema = ralph_dir.join("tasks.schema.json");
            files.push(plan(schema, templates::TASKS_SCHEMA, FileOutcome::Renewed)?);
        }
        files.push(ManagedFile::plan_gitignore(layout.root().join(".gitignore"))?);
        if let Some(text) = lanes::worktree_include(layout.root()) {
            let path = layout.root().join(lanes::WORKTREE_INCLUDE);
            files.push(plan(path, &text, FileOutcome::Kept)?);
        }
        // The user extends MCP servers and skills, so existing ones are kept even with `--force`.
        files.push(plan(layout.mcp_coding(), templates::MCP_CODING, FileOutcome::Kept)?);
        files.push(plan(layout.mcp_memory(), templates::MCP_MEMORY, FileOutcome::Kept)?);
        for (name, text) in templates::SKILLS {
            files.push(plan(layout.skills_dir().join(name), text, FileOutcome::Kept)?);
        }
        // Reading it also finds obstacles such as a folder of that name.
        let has_settings = managed_file::current(&layout.settings())?.is_some();
        Ok(Self {
            setup: lanes::setup(&root_files),
            frameworks: Framework::detect(layout.root()),
            writes_settings: false,
            layout,
            values,
            branch,
            detected,
            files,
            writes_list,
            has_settings,
            imported,
        })
    }

    /// The name of the project.
    pub(crate) fn project(&self) -> &str {
        &self.values.project
    }

    /// The checks for the task list; `None` if the list is kept.
    pub(crate) fn checks(&self) -> Option<Vec<String>> {
        let checks = self.values.verify_commands.iter();
        self.writes_list.then(|| checks.map(|check| check.run.clone()).collect())
    }

    /// Adds the settings file and the schema that it refers to.
    pub(crate) fn add_settings(&mut self, text: String, existing: Existing) -> Result<()> {
        let path = self.layout.settings();
        let settings = ManagedFile::plan(path, text.into_bytes(), existing.outcome())?;
        let is_written = settings.writes();
        self.files.push(settings);
        self.writes_settings = is_written;
        if is_written {
            let name = settings::SCHEMA_REFERENCE.trim_start_matches("./");
            let (path, text) = (self.layout.data_dir().join(name), settings::SCHEMA.into());
            self.files.push(ManagedFile::plan(path, text, FileOutcome::Renewed)?);
        }
        Ok(())
    }

    pub(crate) fn write(self) -> Result<InitReport> {
        let writes = self.files.iter().any(ManagedFile::writes);
        // A running loop relies on these files, also on missing ones.
        let _lock = (writes && self.layout.is_set_up())
            .then(|| RunLock::acquire(&self.layout))
            .transpose()?;
        let root = self.layout.root();
        let files: Result<_> = self.files.into_iter().map(|file| file.write(root)).collect();
        Ok(InitReport {
            project: self.values.project,
            branch: self.branch,
            files: files?,
            checks: self.writes_list.then_some(self.detected),
            setup: if self.writes_settings { self.setup } else { Vec::new() },
            frameworks: if self.writes_list { self.frameworks } else { Vec::new() },
            plan: self.imported,
            is_in_repository: WorkTree::open(root).is_ok(),
            ralph_dir: self.layout.tasks_name().trim_end_matches("tasks.json").to_owned(),
        })
    }
}

/// The task list, and what was imported into it.
fn plan_list(
    options: &InitOptions,
    values: &TemplateValues,
    branch: &str,
) -> Result<(ManagedFile, Option<PlanReport>)> {
    let path = options.layout.tasks();
    let plan = |path, text: String, if_other| ManagedFile::plan(path, text.into(), if_other);
    let Some(imported) = &options.imported else {
        return Ok((plan(path, values.tasks(), options.existing.outcome())?, None));
    };
    let report =
        |stories, remarks| Some(PlanReport { from: imported.from.clone(), stories, remarks });
    let old = managed_file::current(&path)?.filter(|_| options.existing == Existing::Keep);
    let added = old.map_or(Ok(None), |old| added_to(&old, imported)).map_err(|why| {
        let what = format!("cannot add stories to {}: {why}", options.layout.tasks_name());
        precondition(what, "`ralph-loop validate` lists every problem; --force replaces the list")
    })?;
    if let Some(Additions { text, stories, remarks }) = added {
        return Ok((plan(path, text, FileOutcome::Extended)?, report(stories, remarks)));
    }
    let text = imported.task_list(&values.project, branch, &values.verify_commands);
    let file = plan(path, text, options.existing.outcome())?;
    let report = match file.is_same() {
        _ if file.writes() => report(imported.stories.len(), remarks(imported, options)),
        true => report(0, Vec::new()),
        false => report(0, vec![Remark::list_kept()]),
    };
    Ok((file, report))
}

fn remarks(imported: &Imported, options: &InitOptions) -> Vec<Remark> {
    let mut remarks = imported.remarks.clone();
    if let (Some(branch), Some(_)) = (&imported.branch, &options.name) {
        let message =
            format!("the plan's branch {branch:?} is not used, because --name overrides it");
        remarks.push(Remark::new("otherBranch", branch, message));
    }
    remarks
}
