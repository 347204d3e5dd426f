//! A run of two iterations with the events that an agent, its hooks and the checks can cause.

/// Each event after the seconds since the start of the run.
pub(super) const A_RUN: &str = r#"
[0, {"type": "run-started", "version": "0.1.0", "pid": 4711, "loop": "stories", "project": "/home/me/shop",
    "name": "shop", "branch": "ralph/shop", "base": "main", "agent": "claude", "program": "/usr/bin/claude",
    "model": "opus", "maxIterations": 15, "reviewCap": 5, "ceilingUsd": 20.0, "maxAttempts": 5,
    "onlyStory": null, "maxSeconds": 3600.0, "checks": 2, "resumed": {"iterations": 2, "costUsd": 1.5},
    "stories": [
    {"id": "US-001", "title": "A cart that keeps its items", "passes": true, "reviewStatus": "approved",
        "reviewCount": 1, "failedAttempts": 0, "costUsd": 0.0},
    {"id": "US-002", "title": "Sums with tax\u001b[2J", "passes": false, "reviewStatus": "needs_review",
        "reviewCount": 1, "failedAttempts": 0, "costUsd": 0.0},
    {"id": "US-003", "title": "日本語の領収書 (receipts in the customer's own language)", "passes": false,
        "reviewStatus": null, "reviewCount": 0, "failedAttempts": 0, "costUsd": 0.0}]}]
[0, {"type": "isolation-chosen", "agent": "claude", "isolation": "guard", "passedOver": [{"isolation": "os",
    "why": "bwrap is not in PATH", "fix": "apt install bubblewrap"}]}]
[0, {"type": "run-estimated", "estimate": {"stories": 2, "iterationsPerStory": 3.0, "basis": "usual",
    "iterations": 6, "costPerIterationUsd": 0.75, "costUsd": 4.5, "iterationsLeft": 13, "costLeftUsd": 18.5}}]
[0, {"type": "leftover-found", "text": "a marker of a run that was killed; removed"}]
[1, {"type": "warning", "text": "the plugin is not installed\nhooks come from settings"}]
[2, {"type": "iteration-started", "iteration": 3, "attempt": 1, "mode": "review", "story": "US-002",
    "title": "Sums with tax\u001b[2J", "model": null, "session": "5e551011-0000",
    "folder": ".ralph/runs/20261115-010000-ab12/003-review-US-002", "checkpoint": "0123456789abcdef"}]
[2, {"type": "agent-called", "agent": "claude", "command": "claude -p --model opus", "promptBytes": 35,
    "prompt": "Review the story US-002.\nBe strict."}]
[3, {"type": "session-started", "model": "claude-opus-4", "version": "2.1.0"}]
[4, {"type": "agent-text", "text": "I will look at the diff first.\n\n\tlet x = 1;\u001b]0;pwned\u0007\n"}]
[5, {"type": "tool-started", "id": "t1", "name": "Bash", "summary": "git diff main..."}]
[6, {"type": "tool-ended", "id": "t1", "outcome": "ok", "summary": "+\tlet tax = 1;",
    "output": {"excerpt": "+\tlet tax = 1;\n+\tlet tax = 2;\n+\tlet tax = 3;\n+\tlet tax = 4;\n+\tlet tax = 5;\n+\tlet tax = 6;\n+\tlet tax = 7;\n+\tlet tax = 8;\n+\tlet tax = 9;\n+\tlet tax = 10;\n+\tlet tax = 11;\n+\tlet tax = 12;\n+\tlet tax = 13;\n+\tlet tax = 14;",
    "lines": 14, "chars": 215}}]
[7, {"type": "tool-started", "id": "t3", "name": "Read", "summary": "src/cart.rs"}]
[7, {"type": "tool-started", "id": "t4", "name": "Bash", "summary": "git status --short"}]
[7, {"type": "tool-started", "id": "t2", "name": "Bash", "summary": "cargo test -p cart"}]
[8, {"type": "tool-ended", "id": "t4", "outcome": "ok", "summary": "M src/lib.rs\u001b[2J",
    "output": {"excerpt": "M src/lib.rs\u001b[2J", "lines": 1, "chars": 17}}]
[8, {"type": "tool-ended", "id": "t3", "outcome": "ok", "summary": "", "output": {"excerpt": "", "lines": 0,
    "chars": 0}}]
[9, {"type": "tool-ended", "id": "t2", "outcome": "failed", "summary": "error[E0425]: cannot find `tax`",
    "output": {"excerpt": "error[E0425]: cannot find `tax`\nexit code 101", "lines": 2, "chars": 45}}]
[9, {"type": "todo", "items": [{"text": "read", "state": "done"}, {"text": "judge", "state": "in-progress"},
    {"text": "tell", "state": "pending"}]}]
[9, {"type": "todo", "items": [{"text": "read", "state": "done"}, {"text": "judge", "state": "in-progress"},
    {"text": "tell", "state": "pending"}]}]
[10, {"type": "context", "tokens": 84000, "window": 200000}]
[11, {"type": "compacted", "tokensAfter": 30000}]
[12, {"type": "api-retry", "attempt": 1, "of": 10, "delayMs": 1500, "status": 529, "reason": "overloaded"}]
[13, {"type": "quota", "state": "allowed", "window": "five_hour", "used": 0.1, "resetsAt": null}]
[13, {"type": "quota", "state": "warning", "window": "five_hour", "used": 0.82,
    "resetsAt": "2026-11-15T02:30:00Z"}]
[14, {"type": "hook-answered", "hook": "stop-guard", "answer": "blocked", "text": "1\n2\n3\n4\n5\n6\n7\n8"}]
[14, {"type": "hook-answered", "hook": "context-monitor", "answer": "informed", "text": "context 42% full"}]
[15, {"type": "hook-missing", "why": "the hook never answered"}]
[15, {"type": "agent-stderr", "text": "npm warn\u001b[2J old"}]
[230, {"type": "agent-ended", "outcome": "answered", "detail": "", "costUsd": 0.42, "tokens": {"input": 50000,
    "output": 45000, "cacheRead": 850000, "cacheCreation": 300000}, "turns": 12, "seconds": 230.0,
    "contextWindow": 200000, "leftovers": ["node server.js (pid 77)"]}]
[230, {"type": "completion-checked", "wanted": "<promise>COMPLETE</promise>", "found": "COMPLETE"}]
[231, {"type": "changes-reverted", "findings": ["story US-003: passes went from false to true",
    "src/lib.rs was changed in a review"], "corrections": ["the review fields of US-003 are as before"],
    "commit": "fedcba9876543210"}]
[232, {"type": "work-committed", "paths": ["a", "b", "c", "d", "e"], "commit": "abcdef0123456789"}]
[232, {"type": "check-started", "command": "cargo test", "number": 1, "of": 2}]
[244, {"type": "check-ended", "command": "cargo test", "outcome": {"kind": "passed"}, "seconds": 12.0,
    "failAction": "APPEND", "log": "x.log", "tail": []}]
[244, {"type": "check-started", "command": "cargo clippy", "number": 2, "of": 2}]
[252, {"type": "check-ended", "command": "cargo clippy", "outcome": {"kind": "failed", "code": 101},
    "seconds": 8.0, "failAction": "APPEND", "log": ".ralph/runs/r/003/guardrail_clippy.log",
    "tail": ["\u001b[1;31merror\u001b[0m: unused", "\tcould not compile"]}]
[252, {"type": "checks-judged", "tree": "7ree", "outcome": "failed"}]
[253, {"type": "story-status-changed", "story": "US-002", "from": "needs_review", "to": "changes_requested",
    "reviews": 2, "feedback": "Round half to even.\nTest zero.", "passes": false}]
[253, {"type": "story-added", "story": {"id": "US-004", "title": "Refunds", "passes": false,
    "reviewStatus": null, "reviewCount": 0, "failedAttempts": 0, "costUsd": 0.0}}]
[254, {"type": "completion-claimed", "accepted": false, "basis": "task-list"}]
[254, {"type": "scm-ended", "task": "commit", "outcome": "done", "text": "cart: sums with tax"}]
[254, {"type": "scm-ended", "task": "push", "outcome": "failed", "text": "no upstream\nset one"}]
[254, {"type": "iteration-ended", "iteration": 3, "mode": "review", "story": "US-002", "status": "accepted",
    "seconds": 252.0, "agentSeconds": 230.0, "checkSeconds": 20.0, "costUsd": 0.42, "totalCostUsd": 1.92,
    "done": 1, "stories": 3, "commit": "4d3c2b1a00"}]
[255, {"type": "waiting", "reason": "usage-limit", "text": "the usage limit is reached",
    "until": "2026-11-15T02:30:00Z"}]
[5400, {"type": "iteration-started", "iteration": 4, "attempt": 2, "mode": "review-fix", "story": "US-002",
    "title": "Sums with tax\u001b[2J", "model": null, "session": "5e551011-0000",
    "folder": ".ralph/runs/20261115-010000-ab12/003-review-US-002", "checkpoint": "0123456789abcdef"}]
[5500, {"type": "stop-requested", "signal": "SIGINT",
    "text": "finishing this answer, press Ctrl-C again to stop now"}]
[5600, {"type": "agent-ended", "outcome": "crashed", "detail": "exit code 1", "costUsd": 0.42,
    "tokens": {"input": 50000, "output": 45000, "cacheRead": 850000, "cacheCreation": 300000}, "turns": 12,
    "seconds": 230.0, "contextWindow": 200000, "leftovers": []}]
[5600, {"type": "log-altered", "line": 12,
    "text": "the event log was altered: line 12 (event 14) does not follow line 11"}]
[5600, {"type": "checks-judged", "tree": "0123456789abc", "outcome": "passed-before"}]
[5600, {"type": "checks-judged", "tree": "0123456789abc", "outcome": "none"}]
[5652, {"type": "iteration-ended", "iteration": 4, "mode": "review-fix", "story": "US-002", "status": "failed",
    "seconds": 252.0, "agentSeconds": 230.0, "checkSeconds": 20.0, "costUsd": 0.42, "totalCostUsd": 2.34,
    "done": 1, "stories": 3, "commit": "4d3c2b1a00"}]
[5652, {"type": "run-ended", "end": "interrupted", "exitCode": 130,
    "text": "Ctrl-C was pressed; run the same command to resume.", "iterations": 4, "accepted": 3, "failed": 1,
    "seconds": 5652.0, "costUsd": 2.34, "blocked": ["story US-003 waits for US-002"], "waiting": [],
    "stories": [
    {"id": "US-001", "title": "A cart that keeps its items", "passes": true, "reviewStatus": "approved",
        "reviewCount": 1, "failedAttempts": 0, "costUsd": 0.0},
    {"id": "US-002", "title": "Sums with tax\u001b[2J", "passes": false, "reviewStatus": "needs_review",
        "reviewCount": 1, "failedAttempts": 1, "costUsd": 0.84},
    {"id": "US-003", "title": "日本語の領収書 (receipts in the customer's own language)", "passes": false,
        "reviewStatus": null, "reviewCount": 0, "failedAttempts": 0, "costUsd": 0.0}]}]
"#;

/// One event of each type that the run does not have and tests need.
pub(super) const OTHER_EVENTS: &str = r#"
{"type": "sleep-prevented", "by": "systemd-inhibit"}
{"type": "base-checked", "commit": "5f3a5f3a5f3a5f3a5f3a5f3a5f3a5f3a5f3a5f3a", "checks": 2,
    "failures": [{"command": "npm run lint", "error": "2 problems", "unstable": true}]}
{"type": "known-failure-fixed", "story": "US-003", "command": "npm run lint"}
{"type": "attempt-failed", "story": "US-003", "iteration": 4, "attempt": 1, "of": 5, "gate": "tests",
    "error": "assertion `left == right` failed | src/auth.rs", "errorHash": "a3f2b7c1", "repeats": 1}
{"type": "question-asked", "story": "US-003", "iteration": 4, "number": 1, "of": 3,
    "text": "Which <table>?\nThe old one\u001b[2J?", "effect": "waits"}
{"type": "question-answered", "story": "US-003", "number": 1, "text": "The new one."}
{"type": "escalation-ended", "story": "US-003", "help": "opus", "costUsd": 0.84, "solved": true}
{"type": "candidate-ended", "story": "US-003", "number": 2, "of": 3, "passes": true, "costUsd": 0.61,
    "commit": "5f3a5f3a5f3a5f3a5f3a5f3a5f3a5f3a5f3a5f3a"}
{"type": "candidate-chosen", "story": "US-003", "number": 2, "why": "the review chose it"}
{"type": "agent-replaced", "story": "US-003", "mode": "implement", "agent": "codex", "insteadOf": "claude",
    "until": "2026-01-21T14:00:00Z"}
{"type": "quality-checked", "story": "US-004", "outcome": "checked", "warnings": [], "seconds": 42.0,
    "costUsd": 0.05}
{"type": "final-reviewed", "iteration": 9, "round": 1, "from": "0123456789abcdef", "to": "fedcba9876543210",
    "outcome": "stories", "text": "", "findings": [
    {"title": "Two functions round sums", "text": "cart.rs and invoice.rs round differently\u001b[2J; one must do.",
        "file": "src/cart.rs", "line": 12, "story": "FR-001"}]}
{"type": "reviewer-verdict", "iteration": 9, "story": "US-004", "number": 2, "of": 2, "reviewer": "codex, big",
    "verdict": "changes_requested", "text": "1. The empty name\u001b[2J\nis greeted."}
{"type": "proof-ran", "story": "US-002", "iteration": 3, "phase": "red",
    "commit": "1ed01ed01ed01ed01ed01ed01ed01ed01ed01ed0", "accepted": true, "problems": [], "seconds": 1.5,
    "criteria": [
    {"criterion": "The sum of an empty cart is 0", "tests": [
        {"framework": "pytest", "file": "tests/test_sum.py", "name": "test_empty", "result": "failed",
            "message": "NameError: `total` | cart\u001b[2J"}]},
    {"criterion": "Sums are rounded half to even", "tests": [
        {"framework": "pytest", "file": "tests/test_sum.py", "name": "test_half", "result": "failed"},
        {"framework": "pytest", "file": "tests/test_tax.py", "name": "test_half[0.5 | <b>]", "result": "failed"}]},
    {"criterion": "The sum looks like the <design>\u001b[2J", "manual": "a person must look at it"}]}
{"type": "tests-weakened", "story": "US-004", "iteration": 9, "files": [
    {"path": "tests/test_auth.py",
        "findings": ["test_expired_token was removed", "2 assertions were removed\u001b[2J"]},
    {"path": "web/login.test.ts", "findings": ["`it.skip` is new at line 12"]}]}
{"type": "verdict-void", "iteration": 3, "story": "US-002", "list": "approved", "message": null,
    "text": "the task list says approved, the final message gives no verdict", "inARow": 2, "of": 3}
{"type": "handoff-saved", "iteration": 3, "story": "US-002", "source": "agent", "claim": "complete",
    "text": "[US-002] Sums have their tax, rounded half to even\u001b[2J. Complete. 3 files.", "problems": [],
    "file": ""}
{"type": "pull-request", "outcome": "failed", "branch": "ralph/shop", "base": null, "number": null, "url": null,
    "text": "cannot reach the forge"}
{"type": "pull-request", "outcome": "created", "branch": "ralph/shop", "base": "main", "number": 7,
    "url": "https://forge.example/acme/shop/pull/7", "text": "shop: a cart"}
{"type": "rolled-back", "iteration": 4, "story": "US-002", "to": "0123456789abcdef",
    "backup": "refs/ralph/20261115-010000-ab12/rolled-back-4-1", "removed": 2, "restored": 1, "left": []}
"#;
