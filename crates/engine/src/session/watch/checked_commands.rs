//! Checks that command-guard saw the commands of a session. Pure.

use std::collections::HashSet;

use agents::{HookAnswer, HookVerdict, Thread, ToolOutcome};
use project::COMMAND_GUARD;

/// Tools that command-guard checks.
const GUARDED: [&str; 6] = ["Bash", "Monitor", "Write", "Edit", "MultiEdit", "NotebookEdit"];

/// Concurrent tool calls; more than any agent has.
const MOST_OPEN: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct CheckedCommands {
    open: HashSet<String>,
    /// Successful calls, for which the hook must have run.
    done: u64,
    read: u64,
    failure: Option<String>,
}

impl CheckedCommands {
    pub(super) fn tool_started(&mut self, id: &str, name: &str, thread: Thread) {
        // Calls of a subagent are reported incompletely.
        if thread == Thread::Main && GUARDED.contains(&name) && self.open.len() < MOST_OPEN {
            self.open.insert(id.to_owned());
        }
    }

    pub(super) fn tool_ended(&mut self, id: &str, outcome: ToolOutcome) {
        // A failed call may not have reached the hook.
        if self.open.remove(id) && outcome == ToolOutcome::Ok {
            self.done += 1;
        }
    }

    pub(super) fn hook(&mut self, answer: &HookAnswer) {
        if answer.event != "PreToolUse" {
            return;
        }
        if answer.stderr.starts_with(COMMAND_GUARD) {
            self.read += 1;
        } else if let HookVerdict::Failed { why } = &answer.verdict {
            self.failure = Some(why.clone());
        }
    }

    pub(super) fn missing(&self) -> Option<String> {
        let Self { done, read, .. } = self;
        let unread = done.saturating_sub(*read);
        if unread == 0 {
            return None;
        }
        let how = format!("command-guard did not check {unread} of {done} commands and writes");
        Some(match &self.failure {
            Some(why) => format!("{how}: {why}"),
            None => how,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(stderr: &str, verdict: HookVerdict) -> HookAnswer {
        let (event, name) = ("PreToolUse".to_owned(), "PreToolUse:Bash".to_owned());
        HookAnswer { event, name, exit_code: Some(0), verdict, stderr: stderr.into() }
    }

    fn ran(read: &mut CheckedCommands, id: &str, name: &str, outcome: ToolOutcome) {
        read.tool_started(id, name, Thread::Main);
        read.tool_ended(id, outcome);
    }

    #[test]
    fn each_executed_command_must_be_checked() {
        let mut read = CheckedCommands::default();
        ran(&mut read, "1", "Read", ToolOutcome::Ok);
        assert_eq!(read.missing(), None, "no hook checks that tool");
        ran(&mut read, "2", "Bash", ToolOutcome::Ok);
        let missing = read.missing().unwrap();
        assert!(missing.contains("1 of 1"), "{missing}");
        read.hook(&answer("command-guard: allowed: nothing to say", HookVerdict::Silent));
        assert_eq!(read.missing(), None);
        ran(&mut read, "3", "Write", ToolOutcome::Failed);
        assert_eq!(read.missing(), None, "it did nothing");
        ran(&mut read, "4", "Write", ToolOutcome::Ok);
        assert!(read.missing().unwrap().contains("1 of 2"));
    }

    #[test]
    fn a_failed_hook_gives_its_reason() {
        let mut read = CheckedCommands::default();
        ran(&mut read, "1", "Bash", ToolOutcome::Ok);
        let failed = HookVerdict::Failed { why: "no such program".into() };
        read.hook(&answer("sh: no such program", failed));
        assert!(read.missing().unwrap().ends_with("writes: no such program"));
    }
}
