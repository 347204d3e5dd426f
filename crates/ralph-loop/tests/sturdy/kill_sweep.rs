//! The runner is killed fifty times, anywhere in a run, and the run comes to its right end.
//!
//! Implementations approve themselves: a runner that trusts the list after a kill would count
//! stories without a review.

use std::collections::BTreeSet;

use events::IterationMode;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::sweep::{Sweep, Victim, sweep_all, verdicts};

const WHERE_IT_MATTERS: [&str; 8] = [
    "iteration-started",
    "agent-ended",
    "work-committed",
    "changes-reverted",
    "check-started",
    "checks-judged",
    "story-status-changed",
    "iteration-ended",
];

/// The same for runs that remember and roll back.
const WHERE_MEMORY_MATTERS: [&str; 7] = [
    "context-assembled",
    "agent-ended",
    "handoff-saved",
    "attempt-failed",
    "rolled-back",
    "compaction-started",
    "story-status-changed",
];

#[test]
fn fifty_kills_lose_nothing_and_let_nothing_through() {
    let plain = Sweep {
        kills: 25,
        moments: &WHERE_IT_MATTERS,
        most_events: 40,
        begin: || Box::new(InPlace { project: cheating_project(), remembers: false }),
    };
    let remembering = Sweep {
        moments: &WHERE_MEMORY_MATTERS,
        begin: || Box::new(InPlace { project: cheating_project(), remembers: true }),
        ..plain
    };
    sweep_all(&[plain, remembering]);
}

fn cheating_project() -> Project {
    let project = Project::new(3, &["test -d work && sleep 0.02", "git diff --quiet HEAD"]);
    let cheat =
        json!({"reviewStatus": "approved", "passes": true, "reviewCount": 1, "notes": "me"});
    let Value::Object(fields) = cheat else { unreachable!("it is an object") };
    // Nothing is committed, so the runner must keep the work and revert the cheat.
    let cheat = [
        Act::write("work/cheat.txt", "x\n"),
        Act::SetStory { story: None, fields },
        Act::finish("It is approved."),
    ];
    let mut scenario = Scenario::new();
    // Every other try, so that kills do not decide whether there is a cheat.
    for visit in [1, 3, 5, 7] {
        scenario = scenario.rule(When::mode(Mode::Implement).visit(visit), cheat.clone());
    }
    let fussy =
        [Act::request_changes("say more"), Act::commit("review: changes"), Act::finish("No.")];
    scenario = scenario.rule(When::mode(Mode::Review).story("US-2").visit(1), fussy);
    let account = json!({"project_summary": "A program.", "completed_work": [],
        "active_constraints": [], "architectural_decisions": [], "file_knowledge": []});
    let compacts =
        When::any().prompt_contains("# Ralph: compact the handoffs of earlier iterations");
    project.scenario(&scenario.rule(compacts, [Act::Structured(account)]));
    std::fs::write(project.root().join(".git/info/exclude"), format!("{SECRET}\n")).unwrap();
    std::fs::write(project.root().join(SECRET), "mine\n").unwrap();
    let often = json!({"memory": {"compactAfterIterations": 1}});
    std::fs::create_dir_all(project.layout().data_dir()).unwrap();
    std::fs::write(project.layout().local_settings(), often.to_string()).unwrap();
    project
}

/// The user's, and git does not know it.
const SECRET: &str = "users.secret";

/// Whatever an agent committed is in one commit of the runner's, also where it was killed in between.
#[track_caller]
fn check_squashed(project: &Project) {
    let log = test_repo::git(project.root(), &["log", "--format=%s"]);
    let of_agents = |subject: &&str| subject.starts_with("feat:") || subject.starts_with("review:");
    assert_eq!(log.lines().find(of_agents), None, "{log}");
    assert!(log.contains("ralph["), "{log}");
}

/// A run in the user's work tree.
struct InPlace {
    project: Project,
    /// Handoffs and rollback.
    remembers: bool,
}

impl Victim for InPlace {
    fn project(&self) -> &Project {
        &self.project
    }

    fn args(&self) -> Vec<&'static str> {
        let more: &[&str] = if self.remembers { &["--handoffs", "--rollback"] } else { &[] };
        ["--max-iterations", "500", "--retry-wait", "1ms"].iter().chain(more).copied().collect()
    }

    #[track_caller]
    fn check_after_kill(&mut self) {
        let list = self.project.list();
        let ids: Vec<&str> = list.stories.iter().map(|story| story.id.as_str()).collect();
        assert_eq!(ids, ["US-1", "US-2", "US-3"], "a story is lost");
        let secret = std::fs::read_to_string(self.project.root().join(SECRET));
        assert_eq!(secret.unwrap(), "mine\n", "a file of the user's is lost");
        // A killed git leaves its locks, which is for the next run to see to.
        test_repo::git(self.project.root(), &["fsck", "--strict", "--no-dangling"]);
    }

    /// Everything is done, and by the book.
    #[track_caller]
    fn check_end(&self) {
        let project = &self.project;
        project.assert_complete();
        let progress = std::fs::read_to_string(project.root().join("ralph/progress.txt")).unwrap();
        let (approvals, rejections) = verdicts(project);
        for story in project.list().stories {
            let id = story.id.as_str();
            // Only an honest review writes this line, and before it approves.
            assert!(
                progress.contains(&format!("{id}: approved\n")),
                "no review approved {id}: {progress}"
            );
            let by = approvals.get(id).unwrap_or_else(|| panic!("no event approves {id}"));
            assert!(
                by.iter().all(|mode| *mode == IterationMode::Review),
                "{id} was approved by {by:?}"
            );
            // A kill may have spared it the review that asks for changes.
            assert_eq!(
                story.review_count,
                1 + rejections.get(id).map_or(0, BTreeSet::len) as u64,
                "{id}"
            );
        }
        if self.remembers {
            check_squashed(project);
        }
    }
}
