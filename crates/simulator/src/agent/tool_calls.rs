//! The tools of the agent. They really change the project.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use super::ending::Ending;
use super::handoff::FileAction;
use super::hook_run::HookAnswer;
use super::message::Message;
use super::session::{Halt, Session};
use super::task_edit::TaskEdit;
use super::tool::{ToolOutcome, ToolUse};
use super::{IGNORE_DENIALS_VARIABLE, command, number_from_env};

impl Session {
    /// Calls a tool: prints the call, runs PreToolUse hooks, the tool and PostToolUse hooks, prints
    /// the result.
    fn tool(
        &mut self,
        name: &'static str,
        input: Value,
        run: impl FnOnce(&Self) -> io::Result<ToolOutcome>,
    ) -> Result<(), Halt> {
        let tool = ToolUse::new(name, input);
        self.print(&Message::ToolUse(&tool))?;
        self.check_budget()?;
        let changed = tool.changed_file().map(|path| (path.to_owned(), FileAction::of(path)));
        let asked = json!({"tool_name": name, "tool_input": tool.input, "tool_use_id": tool.id});
        let hooks = self.fire("PreToolUse", name, asked)?;
        let denial = hooks.iter().find_map(HookAnswer::denial).filter(|_| !ignores_denials());
        let started = Instant::now();
        let outcome = match denial {
            Some(reason) => ToolOutcome::Denied(format!("PreToolUse:{name} hook error: {reason}")),
            None => run(self)?,
        };
        if matches!(outcome, ToolOutcome::Done { .. }) {
            if let Some((path, action)) = changed {
                self.files_touched.add(&path, &self.cwd, action);
            }
            let elapsed = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            let input = json!({
                "tool_name": name, "tool_input": tool.input, "tool_response": outcome.response(),
                "tool_use_id": tool.id, "duration_ms": elapsed,
            });
            self.fire("PostToolUse", name, input)?;
        }
        self.print(&Message::ToolResult(&tool, &outcome))?;
        self.tool_used();
        let turns = self.stream().tally.turns;
        match self.args.max_turns {
            Some(limit) if turns >= limit => Err(Halt::Ended(Ending::TurnLimit(limit))),
            _ => Ok(()),
        }
    }

    pub(super) fn bash(&mut self, script: &str) -> Result<(), Halt> {
        let command = command::shell_in_own_session(script)?;
        self.run_command(script, command)
    }

    pub(super) fn daemon(&mut self, script: &str, pid_file: &str) -> Result<(), Halt> {
        let command = command::daemon(script, &self.path(pid_file))?;
        self.run_command(&format!("({script}) &"), command)
    }

    fn run_command(&mut self, shown: &str, mut command: std::process::Command) -> Result<(), Halt> {
        command.current_dir(&self.cwd).envs(self.shell_environment());
        let input = json!({"command": shown, "description": "Run a command"});
        self.tool("Bash", input, |session| {
            let (status, output) = session.running.run(command)?;
            Ok(ToolOutcome::from_command(status.code(), &output))
        })
    }

    pub(super) fn commit(&mut self, message: &str) -> Result<(), Halt> {
        let message = message.replace('\'', r"'\''");
        self.bash(&format!("git add -A && git commit -q -m '{message}'"))
    }

    pub(super) fn read(&mut self, path: &str) -> Result<(), Halt> {
        let path = self.path(path);
        self.tool("Read", json!({"file_path": path}), |_| Ok(ToolOutcome::read(&path)))
    }

    pub(super) fn append(&mut self, path: &str, contents: &str) -> Result<(), Halt> {
        let path = self.path(path);
        self.edit(&path, contents, |path| append(path, contents))
    }

    pub(super) fn write(&mut self, path: &str, contents: &str) -> Result<(), Halt> {
        let path = self.path(path);
        self.tool("Write", json!({"file_path": path, "content": contents}), |_| {
            let done = in_folder(&path).and_then(|()| std::fs::write(&path, contents));
            Ok(ToolOutcome::written(&path, contents, done.map_err(|error| error.to_string())))
        })
    }

    fn edit(
        &mut self,
        path: &Path,
        change: &str,
        edit: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<(), Halt> {
        let input = json!({
            "file_path": path, "old_string": "", "new_string": change, "replace_all": false,
        });
        self.tool("Edit", input, |_| Ok(ToolOutcome::edited(path, change, edit(path))))
    }

    pub(super) fn todo(&mut self, items: &[String]) -> Result<(), Halt> {
        let todo = |item| json!({"content": item, "status": "pending", "activeForm": item});
        let todos: Vec<_> = items.iter().map(todo).collect();
        self.tool("TodoWrite", json!({"todos": todos}), |_| {
            let content = "Todos have been modified successfully.".to_owned();
            let response = json!({"oldTodos": [], "newTodos": todos});
            Ok(ToolOutcome::Done { content, response })
        })
    }

    pub(super) fn edit_tasks(&mut self, edit: TaskEdit) -> Result<(), Halt> {
        let path = std::path::absolute(self.assignment.layout.tasks())?;
        let shown = edit.shown.clone();
        self.edit(&path, &shown, |path| edit.apply_to_file(path))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.cwd.join(path)
    }

    /// As in Claude Code, plus a git identity in addition to the inherited git settings.
    fn shell_environment(&self) -> Vec<(String, String)> {
        let mut count = number_from_env("GIT_CONFIG_COUNT", 0_usize);
        let mut environment = vec![("CLAUDECODE".to_owned(), "1".to_owned())];
        for (key, value) in [
            ("user.name", "Simulated Agent"),
            ("user.email", "agent@localhost"),
            ("commit.gpgSign", "false"),
        ] {
            environment.push((format!("GIT_CONFIG_KEY_{count}"), key.to_owned()));
            environment.push((format!("GIT_CONFIG_VALUE_{count}"), value.to_owned()));
            count += 1;
        }
        environment.push(("GIT_CONFIG_COUNT".to_owned(), count.to_string()));
        let own = std::env::var_os("PATH").unwrap_or_default();
        let bins = self.plugins.iter().map(|plugin| plugin.root.join("bin"));
        if let Ok(path) = std::env::join_paths(bins.chain(std::env::split_paths(&own))) {
            environment.push(("PATH".to_owned(), path.to_string_lossy().into_owned()));
        }
        environment
    }
}

/// Whether to ignore the denial of a hook. This simulates a program that the agent started: no hook
/// checks its actions.
fn ignores_denials() -> bool {
    project::env::is_on(IGNORE_DENIALS_VARIABLE)
}

fn append(path: &Path, contents: &str) -> Result<(), String> {
    let append = || {
        in_folder(path)?;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(contents.as_bytes())
    };
    append().map_err(|error: io::Error| error.to_string())
}

fn in_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}
