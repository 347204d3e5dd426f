//! Runs the hooks of an event and reports them in the stream.
//!
//! The caller evaluates their answers.

use serde_json::{Value, json};

use super::hook_run::{HookAnswer, HookRun};
use super::message::Message;
use super::session::{Halt, Session};
use super::stream::{uuid, with};

impl Session {
    /// Runs the hooks of every plugin for this event in parallel.
    pub(super) fn fire(
        &self,
        event: &str,
        subject: &str,
        input: Value,
    ) -> Result<Vec<HookAnswer>, Halt> {
        let input = self.hook_input(event, input).to_string();
        let name = match subject {
            "" => event.to_owned(),
            subject => format!("{event}:{subject}"),
        };
        let mut runs = Vec::new();
        for plugin in &self.plugins {
            let data = self.config_paths.plugin_data(&plugin.name);
            for hook in plugin.hooks(event, subject) {
                std::fs::create_dir_all(&data)?;
                let label = json!({"hook_id": uuid(), "hook_name": name, "hook_event": event});
                let started = with(json!({"subtype": "hook_started"}), label.clone());
                self.print(&Message::Hook(started))?;
                let mut command = hook.command(&plugin.root, &data);
                command.env("CLAUDE_PROJECT_DIR", &self.cwd).env("CLAUDECODE", "1");
                let run = HookRun::start(command, &input, hook.timeout()).map_err(|error| {
                    HookAnswer::not_started(&hook.program(&plugin.root, &data), &error)
                });
                runs.push((label, run));
            }
        }
        runs.into_iter().map(|(label, run)| self.hook_answer(label, run)).collect()
    }

    fn hook_answer(
        &self,
        label: Value,
        run: Result<HookRun, HookAnswer>,
    ) -> Result<HookAnswer, Halt> {
        let answer = match run {
            Ok(run) => run.finish()?,
            Err(answer) => answer,
        };
        let output = format!("{}{}", answer.stdout, answer.stderr);
        let response = json!({
            "subtype": "hook_response", "output": output, "stdout": answer.stdout,
            "stderr": answer.stderr, "exit_code": answer.exit_code, "outcome": answer.outcome,
        });
        self.print(&Message::Hook(with(response, label)))?;
        Ok(answer)
    }

    fn hook_input(&self, event: &str, input: Value) -> Value {
        let mut common = json!({
            "session_id": self.args.session_id, "transcript_path": self.transcript,
            "cwd": self.cwd, "hook_event_name": event,
        });
        // A session has no prompt when it starts.
        if event != "SessionStart" {
            let turn = json!({
                "prompt_id": self.prompt_id, "permission_mode": self.args.permission_mode(),
            });
            common = with(common, turn);
        }
        with(common, input)
    }
}
