//! A project with a running loop: a git repository, a task list, a marker.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tasks::Sha256Digest;

use crate::launch::{Invocation, Program};
use crate::task_list;
use crate::toolbox::Toolbox;

const SESSION: &str = "0f8ff3a5-0d0b-4f4e-8f0e-6f5d7d1f5d52";
const RUN: &str = "20260101T120000Z-1";
const PROTECTED: [&str; 3] = ["ralph/prd.md", "ralph/prompt.md", ".ralph/settings.json"];
const FILES_PER_FOLDER: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Implement,
    Review,
}

pub(crate) struct LoopProject<'t> {
    toolbox: &'t Toolbox,
    root: PathBuf,
    pub(crate) tasks: Value,
    marker: Option<Value>,
}

impl<'t> LoopProject<'t> {
    /// A clean repository with `files` files besides those of the loop, without a running loop.
    pub(crate) fn create(
        toolbox: &'t Toolbox,
        name: &str,
        files: usize,
        stories: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let root = toolbox.folder.join(name);
        let tasks = task_list::fresh(stories);
        let project = Self { toolbox, root, tasks, marker: None };
        for index in 0..files {
            let (folder, file) = (index / FILES_PER_FOLDER, index % FILES_PER_FOLDER);
            let line = format!("pub const NUMBER: usize = {index};\n");
            project.write(&format!("src/part_{folder:03}/file_{file:02}.rs"), &line.repeat(8))?;
        }
        for path in PROTECTED {
            project.write(path, "{}\n")?;
        }
        project.write("ralph/progress.txt", "# Progress\n")?;
        project
            .write(".gitignore", ".ralph-active\n.ralph/lock\n.ralph/runs/\n.ralph/state.*\n")?;
        project.git(&["init", "-q", "-b", "main"])?;
        for (key, value) in [("user.name", "bench"), ("user.email", "b@example.com")] {
            project.git(&["config", key, value])?;
        }
        // Otherwise git could clean up during a measurement.
        project.git(&["config", "gc.auto", "0"])?;
        project.save_tasks()?;
        project.commit()?;
        Ok(project)
    }

    /// Writes `tasks` to `ralph/tasks.json`.
    pub(crate) fn save_tasks(&self) -> Result<(), Box<dyn Error>> {
        self.write("ralph/tasks.json", &serde_json::to_string_pretty(&self.tasks)?)
    }

    pub(crate) fn write(&self, path: &str, contents: &str) -> Result<(), Box<dyn Error>> {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        Ok(fs::write(path, contents)?)
    }

    pub(crate) fn commit(&self) -> Result<(), Box<dyn Error>> {
        self.git(&["add", "--all"])?;
        self.git(&["commit", "-q", "--allow-empty", "-m", "work"])?;
        Ok(())
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
        let program = Program::new("git").with(arguments);
        Ok(self.toolbox.invocation(program, &self.root).answer()?)
    }

    /// Writes the marker as the runner does when an iteration of the first story starts.
    pub(crate) fn begin_iteration(&mut self, mode: Mode) -> Result<(), Box<dyn Error>> {
        let mut protected = Map::new();
        for path in PROTECTED {
            let digest = Sha256Digest::of(fs::read(self.root.join(path))?);
            protected.insert(path.to_owned(), digest.to_string().into());
        }
        let mut marker = json!({
            "version": 1,
            "timestamp": "2026-01-01T12:00:00Z",
            "pid": std::process::id(),
            "max_iterations": 50,
            "mode": "direct",
            "skipReview": false,
            "reviewCap": 5,
            "iterationMode": match mode {
                Mode::Implement => "implement",
                Mode::Review => "review",
            },
            "runId": RUN,
            "iteration": 3,
            "sessionId": SESSION,
            "storyId": task_list::id(0),
            "ralphDir": "ralph",
            "checkpoint": self.git(&["rev-parse", "HEAD"])?.trim(),
            "protectedFiles": protected,
        });
        if let Value::Object(marker) = &mut marker {
            marker.extend(task_list::snapshot(&self.tasks)?);
        }
        self.write(".ralph-active", &marker.to_string())?;
        self.marker = Some(marker);
        Ok(())
    }

    /// The Stop hook call, in the environment of the runner.
    pub(crate) fn stop(
        &self,
        program: Program,
        memory: &str,
    ) -> Result<Invocation, Box<dyn Error>> {
        let memory = self.toolbox.folder.join("memories").join(memory);
        fs::create_dir_all(&memory)?;
        let mut invocation = self.toolbox.invocation(program, &self.root);
        invocation.stdin = self.input("ends", &json!([]))?;
        invocation.env.extend([
            ("CLAUDE_PROJECT_DIR".to_owned(), self.root.clone().into_os_string()),
            ("CLAUDE_PLUGIN_DATA".to_owned(), memory.into_os_string()),
        ]);
        if self.marker.is_some() {
            let digest = Sha256Digest::of(fs::read(self.root.join(".ralph-active"))?).to_string();
            invocation.env.extend([
                ("RALPH_RUN_ID".to_owned(), RUN.into()),
                ("RALPH_MARKER_SHA256".to_owned(), digest.into()),
            ]);
        }
        Ok(invocation)
    }

    /// The same, with a background task.
    pub(crate) fn pause(
        &self,
        program: Program,
        memory: &str,
    ) -> Result<Invocation, Box<dyn Error>> {
        let mut invocation = self.stop(program, memory)?;
        invocation.stdin = self.input("waits", &json!([{"id": "b1", "status": "running"}]))?;
        Ok(invocation)
    }

    /// A file outside the project, because one inside would make it dirty.
    fn input(&self, name: &str, background: &Value) -> Result<PathBuf, Box<dyn Error>> {
        let path = self.root.with_extension(format!("{name}.json"));
        let input = json!({
            "session_id": SESSION,
            "transcript_path": self.root.with_extension("jsonl"),
            "cwd": &self.root,
            "hook_event_name": "Stop",
            "permission_mode": "bypassPermissions",
            "stop_hook_active": false,
            "last_assistant_message": "The story is done and committed.",
            "background_tasks": background,
            "session_crons": [],
        });
        fs::write(&path, input.to_string())?;
        Ok(path)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
}
