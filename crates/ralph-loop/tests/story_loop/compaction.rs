//! Memory iterations: when they come, what they are given, and that nothing is lost when they fail.

use events::{CompactionOutcome, CompactionReason, LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::handoffs::{kept, with_handoffs};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

/// Text that only a compaction prompt has.
pub(crate) const ASKED: &str = "# Ralph: compact the handoffs of earlier iterations";

pub(crate) fn account(summary: &str) -> Value {
    json!({
        "project_summary": summary, "completed_work": ["US-001 says hello"],
        "active_constraints": [{"constraint": "never shout"}],
        "architectural_decisions": ["one file for each story"],
        "file_knowledge": [{"path": "work/", "purpose": "what stories made"}],
    })
}

pub(crate) fn compacts(summary: &str) -> Scenario {
    Scenario::new().rule(When::any().prompt_contains(ASKED), [Act::Structured(account(summary))])
}

pub(crate) fn compactions(run: &Outcome<'_>) -> Vec<(CompactionReason, CompactionOutcome)> {
    let reasons = run.events.iter().filter_map(|event| match event {
        LoopEvent::CompactionStarted { reason, .. } => Some(*reason),
        _ => None,
    });
    let outcomes = run.events.iter().filter_map(|event| match event {
        LoopEvent::CompactionEnded { outcome, .. } => Some(*outcome),
        _ => None,
    });
    reasons.zip(outcomes).collect()
}

fn memory(more: Value) -> Value {
    let mut memory = json!({"handoffs": true});
    for (key, value) in more.as_object().unwrap() {
        memory[key] = value.clone();
    }
    json!({ "memory": memory })
}

#[test]
fn a_prompt_of_the_users_own_gets_what_it_leaves_out() {
    let scenario = Scenario::new().rule(
        When::any().prompt_contains("Compact it my way."),
        [Act::Structured(account("Mine."))],
    );
    let project = Project::new(["US-001", "US-002"].map(story))
        .settings(&memory(json!({"compactAfterIterations": 1})))
        .scenario(scenario);
    project.write("ralph/memory-prompt.md", "<!-- for me -->\nCompact it my way.\n\n${MEMORY}\n");
    project.git(&["add", "--all"]);
    project.git(&["commit", "-qm", "a prompt"]);
    let run = project.run([]);
    assert_eq!(compactions(&run), [(CompactionReason::Interval, CompactionOutcome::Compacted)]);
    let folders = std::fs::read_dir(run.folder(1).parent().unwrap()).unwrap();
    let mut folders = folders.map(|entry| entry.unwrap().path());
    let folder = folders.find(|path| path.to_string_lossy().ends_with("-memory")).unwrap();
    let prompt = std::fs::read_to_string(folder.join("prompt.md")).unwrap();
    assert!(prompt.starts_with("Compact it my way.\n\nNothing yet."), "{prompt}");
    assert!(prompt.contains("Iteration 1 (implement of US-001)"), "{prompt}");
    assert!(prompt.contains("The next story is US-002"), "{prompt}");
    assert!(prompt.contains("project_summary"), "{prompt}");
}

#[test]
fn after_enough_coding_iterations_everything_is_compacted_for_later_prompts() {
    let project = Project::new(["US-001", "US-002", "US-003"].map(story))
        .settings(&memory(json!({"compactAfterIterations": 2})))
        .scenario(compacts("A program that greets."));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    use CompactionOutcome::Compacted;
    assert_eq!(compactions(&run), [(CompactionReason::Interval, Compacted)]);
    let third = run.prompt(5);
    for part in
        ["## The project so far", "A program that greets.", "never shout", "one file for each"]
    {
        assert!(third.contains(part), "{part}: {third}");
    }
    assert!(!run.prompt(3).contains("A program that greets."));
    for replaced in ["## The last coding iteration", "## Other recent iterations"] {
        assert!(run.prompt(3).contains(replaced), "{replaced}: {}", run.prompt(3));
        assert!(!third.contains(replaced), "{replaced}: {third}");
    }
    let review = run.prompt(6);
    assert!(review.contains("claims, not evidence"), "{review}");
    let kept: Value = serde_json::from_str(&project.read(".ralph/memory/compacted.json")).unwrap();
    assert_eq!(kept["project_summary"], "A program that greets.");
    let history = std::fs::read_dir(project.path().join(".ralph/memory/history")).unwrap();
    assert_eq!(history.count(), 1);
    assert_eq!(project.git(&["status", "--porcelain"]), "", "none of it is git's business");
}

#[test]
fn the_session_is_given_every_handoff_its_servers_its_turns_and_its_shape() {
    let project = with_handoffs(["US-001", "US-002"]).scenario(compacts("x"));
    project.write(".ralph/mcp/coding.json", r#"{"mcpServers":{}}"#);
    project.write(".ralph/mcp/memory.json", r#"{"mcpServers":{"m":{"command":"true"}}}"#);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "servers"]);
    let project = project.settings(&memory(json!({"compactAfterIterations": 1})));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let calls = run.calls();
    let (compacting, coding): (Vec<&String>, Vec<&String>) =
        calls.iter().partition(|call| call.contains("mcp/memory.json"));
    assert_eq!((compacting.len(), coding.len()), (1, 4), "{calls:#?}");
    for part in ["--strict-mcp-config", "--max-turns 10", "project_summary"] {
        assert!(compacting[0].contains(part), "{part}: {}", compacting[0]);
    }
    for call in coding {
        assert!(call.contains("mcp/coding.json") && call.contains("--strict-mcp-config"), "{call}");
        assert!(call.contains("task_completed"), "{call}");
    }
    let prompt =
        std::fs::read_to_string(run.folder(3).with_file_name("003-memory").join("prompt.md"));
    let prompt = prompt.unwrap();
    for part in
        ["Iteration 1 (implement of US-001)", "\"task_completed\"", "Nothing yet.", "US-002"]
    {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(!prompt.contains("${"), "{prompt}");
}

#[test]
fn a_story_that_needs_documentation_has_it_looked_up_once() {
    let mut needy = story("US-002");
    needy["libraries"] = json!(["left-pad"]);
    let rejected = [Act::request_changes("no"), Act::commit("review: no")];
    let scenario =
        compacts("with docs").rule(When::mode(Mode::Review).story("US-002").visit(1), rejected);
    let project = Project::new([story("US-001"), needy]).flags(["--handoffs"]).scenario(scenario);
    project.run(["-n", "2"]).assert_end(RunEnd::IterationsUsed);
    let shown = project.call(&["run", "--handoffs", "--dry-run", "--agent", "/bin/true"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("Compacts first: ") && shown.contains("left-pad"), "{shown}");
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(compactions(&run), [(CompactionReason::Docs, CompactionOutcome::Compacted)]);
    let asked =
        std::fs::read_to_string(run.folder(1).with_file_name("001-memory").join("prompt.md"));
    assert!(asked.unwrap().contains("- left-pad"));
}

#[test]
fn large_handoffs_are_compacted_before_their_time() {
    let settings = memory(json!({"compactAfterBytes": 300, "compactAfterIterations": 50}));
    let project =
        Project::new(["US-001", "US-002"].map(story)).settings(&settings).scenario(compacts("x"));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(compactions(&run), [(CompactionReason::Bytes, CompactionOutcome::Compacted)]);
}

#[test]
fn a_failed_compaction_loses_nothing_and_is_retried_later() {
    let useless = |acts: Vec<Act>| {
        let scenario = Scenario::new()
            .rule(When::any().prompt_contains(ASKED).visit(1), acts)
            .rule(When::any().prompt_contains(ASKED), [Act::Structured(account("at last"))]);
        let ids = ["US-001", "US-002", "US-003", "US-004"];
        Project::new(ids.map(story))
            .settings(&memory(json!({"compactAfterIterations": 1})))
            .scenario(scenario)
    };
    for (what, acts) in [
        ("crash", vec![Act::Crash { exit_code: 3 }]),
        ("words", vec![Act::finish("I would rather not.")]),
        ("nonsense", vec![Act::Structured(json!({"project_summary": ""}))]),
        ("empty", vec![Act::Empty]),
    ] {
        let project = useless(acts);
        let run = project.run([]);
        run.assert_end(RunEnd::Complete);
        let outcomes: Vec<CompactionOutcome> =
            compactions(&run).into_iter().map(|(_, outcome)| outcome).collect();
        use CompactionOutcome::{Compacted, Failed};
        assert_eq!(outcomes[..2], [Failed, Compacted], "{what}");
        let folders = std::fs::read_dir(run.folder(1).parent().unwrap()).unwrap();
        let mut asked: Vec<_> = folders.map(|entry| entry.unwrap().path()).collect();
        asked.retain(|path| path.to_string_lossy().ends_with("-memory"));
        asked.sort();
        let second = std::fs::read_to_string(asked[1].join("prompt.md")).unwrap();
        for story in ["US-001", "US-002"] {
            assert!(second.contains(&format!("(implement of {story})")), "{what}: {second}");
        }
        assert_eq!(kept(&run).len(), 8, "{what}: every iteration left one");
    }
}

#[test]
fn it_may_not_touch_the_project_and_its_cost_counts() {
    let acts = [
        Act::Cost { usd: 0.25 },
        Act::bash("echo x > new.txt; git add -A; git commit -qm sneaky; rm src/code.txt"),
        Act::Structured(account("x")),
    ];
    let scenario = Scenario::new().rule(When::any().prompt_contains(ASKED), acts);
    let project = Project::new(["US-001", "US-002"].map(story))
        .settings(&memory(json!({"compactAfterIterations": 1})))
        .scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(run.warnings().contains("the compaction made commits"), "{}", run.warnings());
    assert!(project.has("src/code.txt"));
    let files = project.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!files.contains("new.txt"), "{files}");
    let cost = run.events.iter().find_map(|event| match event {
        LoopEvent::CompactionEnded { cost_usd, .. } => Some(*cost_usd),
        _ => None,
    });
    assert_eq!(cost, Some(0.25));
}

#[test]
fn a_run_that_is_begun_anew_remembers_what_the_last_one_learned() {
    let project = Project::new(["US-001", "US-002", "US-003"].map(story))
        .settings(&memory(json!({"compactAfterIterations": 1})))
        .scenario(compacts("learned before"));
    project.run(["-n", "3"]).assert_end(RunEnd::IterationsUsed);
    let run = project.run(["--fresh"]);
    run.assert_end(RunEnd::Complete);
    assert!(run.prompt(1).contains("claims, not evidence"), "{}", run.prompt(1));
    assert!(run.prompt(2).contains("learned before"), "{}", run.prompt(2));
}

#[test]
fn an_implementing_agent_cannot_write_the_memory_of_others() {
    let task = json!({"task_id": "US-001", "summary": "PLANTED", "fully_complete": true});
    let handoff = json!({ "task_completed": task });
    let plant = format!(
        "for f in .ralph/runs/*/*/handoff.json; do echo '{handoff}' > $f; done; \
         echo '{}' > .ralph/memory/compacted.json",
        account("PLANTED")
    );
    let plants = [
        Act::bash(plant),
        Act::write("work/US-002.txt", "x\n"),
        Act::submit("n"),
        Act::commit("feat: US-002"),
        Act::handoff([]),
    ];
    let scenario =
        compacts("what is true").rule(When::mode(Mode::Implement).story("US-002"), plants);
    let project = Project::new(["US-001", "US-002", "US-003"].map(story))
        .settings(&memory(json!({"compactAfterIterations": 1})))
        .scenario(scenario);
    let run = project.run(["-n", "5"]);
    for start in 1..=5 {
        assert!(!run.prompt(start).contains("PLANTED"), "{start}: {}", run.prompt(start));
    }
    assert!(run.prompt(3).contains("what is true"), "{}", run.prompt(3));
}

#[test]
fn between_runs_the_account_is_the_users_to_edit() {
    let project = Project::new(["US-001", "US-002", "US-003"].map(story))
        .settings(&memory(json!({"compactAfterIterations": 1})))
        .scenario(compacts("as it was"));
    project.run(["-n", "3"]).assert_end(RunEnd::IterationsUsed);
    project.write(".ralph/memory/compacted.json", account("as I put it").to_string());
    let run = project.run(["--resume", "-n", "4"]);
    assert!(run.prompt(1).contains("as I put it"), "{}", run.prompt(1));
}

#[cfg(unix)]
#[test]
fn an_interrupt_during_compaction_starts_no_other_session() {
    let acts = [Act::bash(crate::failures::INTERRUPT), Act::Hang { ignores_signals: false }];
    let mut settings = memory(json!({"compactAfterIterations": 1}));
    settings["timeLimits"] = json!({"stopGrace": "100ms"});
    let project = Project::new(["US-001", "US-002"].map(story))
        .settings(&settings)
        .scenario(Scenario::new().rule(When::any().prompt_contains(ASKED), acts));
    let run = project.run([]);
    run.assert_end(RunEnd::Interrupted);
    assert_eq!(compactions(&run), [(CompactionReason::Interval, CompactionOutcome::Stopped)]);
    assert_eq!(run.assignments(), ["implement US-001", "review US-001"]);
    project.agent(&compacts("x"));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["implement US-002", "review US-002"]);
}

#[cfg(unix)]
#[test]
fn the_next_run_reverts_changes_of_a_compaction_whose_runner_was_killed() {
    let kill = crate::failures::INTERRUPT.replace("-INT", "-KILL");
    let acts = [
        Act::bash("echo evil > src/code.txt; echo evil > new.txt; git add -A; git commit -qm evil"),
        Act::bash("echo tampered > ralph/prd.md"),
        Act::bash(kill),
        Act::Hang { ignores_signals: false },
    ];
    let project = Project::new(["US-001", "US-002"].map(story))
        .settings(&memory(json!({"compactAfterIterations": 1})))
        .scenario(Scenario::new().rule(When::any().prompt_contains(ASKED), acts));
    let killed = project.run([]);
    assert_eq!(killed.code, None, "{}", killed.stderr);
    project.agent(&compacts("x"));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_event("the compaction made commits");
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_eq!(project.read("ralph/prd.md"), "# What and why\n");
    assert_eq!(project.git(&["show", "HEAD:src/code.txt"]), "code");
    assert!(!project.git(&["ls-tree", "-r", "--name-only", "HEAD"]).contains("new.txt"));
}
