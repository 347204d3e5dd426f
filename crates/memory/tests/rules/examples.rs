//! Complete handoffs and contexts.

use memory::{Handoff, read_handoff};
use serde_json::{Value, json};

pub(crate) fn full() -> Value {
    json!({
        "task_completed": {
            "task_id": "US-003",
            "summary": "Checkpoints and the way back to them work. The three new tests pass.",
            "fully_complete": true
        },
        "verdict": "changes_requested",
        "deviations": [{
            "planned": "a tag for each checkpoint",
            "actual": "the commit's id is remembered",
            "reason": "tags would crowd the repository"
        }],
        "bugs_encountered": [
            {
                "description": "cleaning up took the state file along",
                "resolution": "it is left out of the cleaning",
                "resolved": true
            },
            {
                "description": "submodules are not restored",
                "resolution": "an update after the reset, which hangs offline",
                "resolved": false
            }
        ],
        "architectural_notes": ["a commit before each iteration", "the reset alone leaves new files"],
        "unfinished_business": [
            { "item": "a dry run", "reason": "not asked for", "priority": "low" },
            { "item": "submodules", "reason": "see the bug", "priority": "high" }
        ],
        "recommendations": ["run the tests without network"],
        "files_touched": [
            { "path": "lib/git-ops.sh", "action": "created" },
            { "path": "tests/git-ops.bats", "action": "created" },
            { "path": ".gitignore", "action": "modified" }
        ],
        "plan_amendments": [{
            "action": "add",
            "reason": "submodules are a story of their own",
            "after": "US-003",
            "task": { "id": "US-003b", "title": "Submodules", "description": "…", "split_from": "US-003" }
        }],
        "tests_added": [
            { "file": "tests/git-ops.bats", "test_names": ["goes back", "new files are gone"] }
        ],
        "constraints_discovered": [
            {
                "constraint": "git clean takes ignored files with -x",
                "impact": "runtime state is lost",
                "workaround": "never pass -x"
            },
            { "constraint": "git 2.20 is the oldest", "impact": "no switch, no restore" }
        ]
    })
}

pub(crate) fn handoff() -> Handoff {
    whole(&full())
}

/// A handoff without problems.
pub(crate) fn whole(value: &Value) -> Handoff {
    match read_handoff(value) {
        (Some(handoff), problems) if problems.is_empty() => handoff,
        read => panic!("{read:?}"),
    }
}

pub(crate) fn context() -> Value {
    json!({
        "project_summary": "A shop with a cart.",
        "completed_work": ["the oldest", "the middle", "the newest"],
        "active_constraints": [{ "constraint": "no network", "source_iteration": "4" }],
        "architectural_decisions": ["mail goes through the outbox"],
        "unresolved_issues": ["the mail test hangs"],
        "file_knowledge": [{ "path": "src/mail.ts", "purpose": "the outbox" }],
        "library_docs": [
            { "library": "zod", "key_apis": "z.object, z.infer", "usage_notes": "parse throws" }
        ]
    })
}
