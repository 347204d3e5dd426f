//! One run of a hook: input on stdin, answer, timeout.

use std::fs::File;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::command::{contents, wait_for};

/// A running hook. Hooks of the same event run in parallel.
#[derive(Debug)]
pub(super) struct HookRun {
    child: Child,
    stdout: File,
    stderr: File,
    deadline: Instant,
}

/// The result of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HookAnswer {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) exit_code: i32,
    pub(super) outcome: &'static str,
}

impl HookRun {
    pub(super) fn start(mut command: Command, input: &str, limit: Duration) -> io::Result<Self> {
        let (stdout, stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(stdout.try_clone()?)
            .stderr(stderr.try_clone()?)
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            let input = format!("{input}\n");
            // A hook may ignore its input.
            std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        }
        Ok(Self { child, stdout, stderr, deadline: Instant::now() + limit })
    }

    /// Waits for its end, or ends it at its timeout.
    pub(super) fn finish(mut self) -> io::Result<HookAnswer> {
        let (exit_code, outcome) = wait_for(|| {
            if let Some(status) = self.child.try_wait()? {
                let code = status.code().unwrap_or(1);
                return Ok(Some((code, if code == 0 { "success" } else { "error" })));
            }
            if Instant::now() < self.deadline {
                return Ok(None);
            }
            self.child.kill()?;
            self.child.wait()?;
            Ok(Some((1, "cancelled")))
        })?;
        let (stdout, stderr) = (contents(&mut self.stdout)?, contents(&mut self.stderr)?);
        Ok(HookAnswer { stdout, stderr, exit_code, outcome })
    }
}

impl HookAnswer {
    /// As in Claude Code, a missing program is an error that blocks nothing.
    pub(super) fn not_started(program: &str, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "ENOENT: no such file or directory".to_owned(),
            io::ErrorKind::PermissionDenied => "EACCES: permission denied".to_owned(),
            _ => error.to_string(),
        };
        let stderr = format!(
            "Error occurred while executing hook command: {reason}, posix_spawn '{program}'"
        );
        Self { stdout: String::new(), stderr, exit_code: 1, outcome: "error" }
    }

    /// The reason, if it blocks the stop.
    pub(super) fn block(&self) -> Option<String> {
        self.refusal(|answer| (answer["decision"] == "block").then(|| &answer["reason"]))
    }

    /// The reason, if it denies the tool.
    pub(super) fn denial(&self) -> Option<String> {
        self.refusal(|answer| {
            let specific = &answer["hookSpecificOutput"];
            let denied = specific["permissionDecision"] == "deny";
            denied.then(|| &specific["permissionDecisionReason"])
        })
    }

    fn refusal(&self, reason: impl FnOnce(&Value) -> Option<&Value>) -> Option<String> {
        match self.exit_code {
            0 => {
                let answer: Value = serde_json::from_str(&self.stdout).ok()?;
                Some(reason(&answer)?.as_str().unwrap_or_default().to_owned())
            }
            2 => Some(self.stderr.trim_end().to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(exit_code: i32, stdout: &str) -> HookAnswer {
        let stderr = "because\n".to_owned();
        HookAnswer { stdout: stdout.to_owned(), stderr, exit_code, outcome: "" }
    }

    #[test]
    fn only_a_decision_or_exit_code_two_blocks() {
        let block = r#"{"decision":"block","reason":"no"}"#;
        assert_eq!(answer(0, block).block().as_deref(), Some("no"));
        assert_eq!(answer(2, "").block().as_deref(), Some("because"));
        assert_eq!(answer(1, block).block(), None);
        assert_eq!(answer(0, r#"{"decision":"approve"}"#).block(), None);
        assert_eq!(answer(0, "plain words").block(), None);
    }

    #[test]
    fn a_tool_is_denied_by_a_permission_decision() {
        let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse",
            "permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
        assert_eq!(answer(0, deny).denial().as_deref(), Some("no"));
        assert_eq!(answer(0, &deny.replace("deny", "allow")).denial(), None);
        assert_eq!(answer(2, "").denial().as_deref(), Some("because"));
        assert_eq!(answer(0, deny).block(), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_hook_gets_its_input_and_is_ended_when_its_time_is_up() {
        let run = |script, limit| {
            let command = super::super::command::shell(script);
            HookRun::start(command, "the input", limit).unwrap().finish().unwrap()
        };
        let read = run("cat; echo oops >&2; exit 3", Duration::from_secs(20));
        assert_eq!((read.stdout.as_str(), read.stderr.as_str()), ("the input\n", "oops\n"));
        assert_eq!((read.exit_code, read.outcome), (3, "error"));
        let slow = run("exec sleep 30", Duration::from_millis(50));
        assert_eq!((slow.exit_code, slow.outcome), (1, "cancelled"));
    }
}
