//! The result of a run: its exit code, its events, and its files.

use std::path::PathBuf;

use events::{IterationStatus, LoopEvent, RunEnd, Stamped, StoryBrief};
use serde_json::Value;

use crate::harness::{Project, fields_of, story_in};

pub(crate) struct Outcome<'a> {
    pub(crate) project: &'a Project,
    pub(crate) code: Option<i32>,
    pub(crate) events: Vec<LoopEvent>,
    pub(crate) stderr: String,
}

impl<'a> Outcome<'a> {
    pub(crate) fn of_run(project: &'a Project, output: &std::process::Output) -> Self {
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let events = lines.map(|line| Stamped::from_line(line).unwrap().event).collect();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Self { project, code: output.status.code(), events, stderr }
    }

    #[track_caller]
    pub(crate) fn assert_exit(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}\n{:#?}", self.stderr, self.events);
        self
    }

    /// Asserts this end in exit code and events, and that no lock or marker is left.
    #[track_caller]
    pub(crate) fn assert_end(&self, expected: RunEnd) -> &Self {
        self.assert_exit(i32::from(expected.exit_code()));
        let Some(LoopEvent::RunEnded(events::RunEnded { end, .. })) = self.events.last() else {
            panic!("no last word: {:#?}\n{}", self.events, self.stderr);
        };
        assert_eq!(*end, expected, "{}", self.stderr);
        assert!(!self.project.has(".ralph-active"), "the marker is still there");
        self
    }

    #[track_caller]
    pub(crate) fn assert_fields(&self, story: &str, expected: &Value) -> &Self {
        assert_eq!(&self.project.fields(story), expected, "{}", self.stderr);
        self
    }

    /// `implement US-001`, in order; tries of one iteration count each.
    pub(crate) fn assignments(&self) -> Vec<String> {
        let started = self.events.iter().filter_map(|event| match event {
            LoopEvent::IterationStarted(events::IterationStarted {
                mode,
                story: Some(story),
                ..
            }) => Some(format!("{mode} {story}")),
            _ => None,
        });
        started.collect()
    }

    pub(crate) fn statuses(&self) -> Vec<IterationStatus> {
        let ended = self.events.iter().filter_map(|event| match event {
            LoopEvent::IterationEnded(events::IterationEnded { status, .. }) => Some(*status),
            _ => None,
        });
        ended.collect()
    }

    /// Everything that was found and not allowed, as one text.
    pub(crate) fn findings(&self) -> String {
        let undone = self.events.iter().filter_map(|event| match event {
            LoopEvent::ChangesReverted(events::RevertedChanges { findings, .. }) => {
                Some(findings.join("\n"))
            }
            _ => None,
        });
        undone.collect::<Vec<_>>().join("\n")
    }

    /// The command line of each session, in order, after the name of its agent.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = self.events.iter().filter_map(|event| match event {
            LoopEvent::AgentCalled { agent, command, .. } => Some(format!("{agent}: {command}")),
            _ => None,
        });
        calls.collect()
    }

    /// How often a session went unguarded that should not have.
    pub(crate) fn guards_missing(&self) -> usize {
        let missing = |event: &&LoopEvent| matches!(event, LoopEvent::HookMissing { .. });
        self.events.iter().filter(missing).count()
    }

    pub(crate) fn warnings(&self) -> String {
        let warnings = self.events.iter().filter_map(|event| match event {
            LoopEvent::Warning { text } => Some(text.as_str()),
            _ => None,
        });
        warnings.collect::<Vec<_>>().join("\n")
    }

    /// The story in the table at the end.
    #[track_caller]
    pub(crate) fn summary(&self, id: &str) -> &StoryBrief {
        let Some(LoopEvent::RunEnded(events::RunEnded { stories, .. })) = self.events.last() else {
            panic!("no last word: {}", self.stderr);
        };
        stories.iter().find(|story| story.id.as_str() == id).unwrap()
    }

    /// The story in the task list after iteration `number`.
    #[track_caller]
    pub(crate) fn fields_after(&self, number: u64, story: &str) -> Value {
        let next = self.events.iter().find_map(|event| match event {
            LoopEvent::IterationStarted(events::IterationStarted {
                iteration, checkpoint, ..
            }) if *iteration > number => Some(checkpoint.clone()),
            _ => None,
        });
        let commit = next.unwrap_or_else(|| "HEAD".into());
        let text = self.project.git(&["show", &format!("{commit}:ralph/tasks.json")]);
        fields_of(&story_in(&serde_json::from_str(&text).unwrap(), story))
    }

    /// The folder of the n-th start of an agent in this run.
    #[track_caller]
    pub(crate) fn folder(&self, start: usize) -> PathBuf {
        let mut folders = self.events.iter().filter_map(|event| match event {
            LoopEvent::IterationStarted(events::IterationStarted { folder, .. }) => Some(folder),
            _ => None,
        });
        self.project.path().join(folders.nth(start - 1).unwrap())
    }

    #[track_caller]
    pub(crate) fn prompt(&self, start: usize) -> String {
        std::fs::read_to_string(self.folder(start).join("prompt.md")).unwrap()
    }

    #[track_caller]
    pub(crate) fn assert_event(&self, part: &str) -> &Self {
        let found = self.events.iter().any(|event| format!("{event:?}").contains(part));
        assert!(found, "no event with {part:?}: {:#?}", self.events);
        self
    }
}
