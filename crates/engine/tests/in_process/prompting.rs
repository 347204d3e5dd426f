//! The prompts of a run.

use events::{AgentOutcome, EscalationTier, LoopEvent};
use run_options::GuardrailKind;
use serde_json::json;
use tasks::Mode;

use crate::control::Step;
use crate::in_process::agent;
use crate::in_process::project::{Project, assigned, id, story};
use crate::lane::IterationFailure;
use crate::options::{Guardrail, MemoryOptions, ValidationStrategy};
use crate::workspace::ReviewNotice;

fn prompts(project: &Project, mut approves: impl FnMut() -> bool + Send) -> Vec<String> {
    let mut prompts = Vec::new();
    project.finished(|prompt| {
        prompts.push(prompt.to_owned());
        agent::work(project, approves())
    });
    prompts
}

#[test]
fn an_implementer_gets_its_story_its_checks_and_where_the_work_began() {
    let project = Project::new(&["pass"]);
    let head = project.git(&["rev-parse", "--short=12", "HEAD"]);
    let prompts = prompts(&project, || true);
    assert!(prompts[0].contains("iteration 1 of 20: implement US-1"));
    assert!(prompts[0].contains("### Previous attempts\n\nFirst attempt."));
    assert!(prompts[0].contains("- `pass`"));
    for prompt in &prompts {
        assert!(prompt.contains(&format!("git diff {head}..HEAD")), "{prompt}");
    }
    assert!(!prompts[1].contains("### Previous attempts"), "a reviewer is not influenced");
}

#[test]
fn the_next_attempt_gets_the_failure_and_help_after_repeats() {
    let mut project = Project::new(&["fail error[E0432]: unresolved import `lib`"]);
    project.options.attempts.most = 4;
    project.options.attempts.stuck_after = 2;
    let prompts = prompts(&project, || true);
    assert_eq!(prompts.len(), 4);
    assert!(prompts[1].contains("### What was wrong with iteration 1 (implement of US-1)"));
    assert!(prompts[1].contains("1 of 4 attempts at this story failed; 3 left"));
    assert!(!prompts[1].contains("strategy shift required"));
    assert!(prompts[2].contains("strategy shift required (1 of 2)"));
    assert!(prompts[2].contains("they changed `src/US-1.rs`, and it did not help"));
    assert!(prompts[3].contains("strategy shift required (2 of 2)"));
    let escalated = project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::Escalated { tier, text, .. } => Some((tier, text)),
        _ => None,
    });
    let escalated: Vec<_> = escalated.collect();
    let shift = |text: &str| (EscalationTier::StrategyShift, text.to_owned());
    assert_eq!(escalated[0], shift("asked for another approach (1 of 2)"));
    assert!(escalated.contains(&shift("asked for another approach (2 of 2)")));
    let expanded: Vec<_> =
        escalated.iter().filter(|(tier, _)| *tier == EscalationTier::ContextExpansion).collect();
    assert!(!expanded.is_empty() && expanded[0].1.contains("file"), "{escalated:?}");
    assert!(prompts[3].contains("### Files related to the error"));
}

#[test]
fn a_review_gets_failures_of_reviews_only() {
    let project = Project::submitted(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let mut text = |mode, of| {
        let failure = IterationFailure {
            iteration: 1,
            mode: Some(of),
            findings: vec!["it was wrong".into()],
            ..Default::default()
        };
        run.state.story(&id("US-1")).failure = Some(failure);
        run.prompt_text(mode, "US-1")
    };
    assert!(text(Mode::Review, Mode::Review).contains("it was wrong"));
    assert!(!text(Mode::Review, Mode::Implement).contains("it was wrong"));
    assert!(text(Mode::ReviewFix, Mode::Implement).contains("it was wrong"));
}

#[test]
fn a_story_gets_the_failure_of_the_story_before_it() {
    let project = Project::with(&[story("US-1"), story("US-2")], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let list = run.expected_tasks().unwrap();
    run.state.story(&id("US-1")).failure = Some(IterationFailure {
        iteration: 1,
        mode: Some(Mode::Implement),
        story: Some(id("US-1")),
        findings: vec!["it was wrong".into()],
        ..Default::default()
    });
    run.state.failed_last = Some(id("US-1"));
    let prompt = run.prompt_text(Mode::Implement, "US-2");
    assert!(prompt.contains("iteration 1 (implement of US-1)"), "{prompt}");
    let unknown = assigned(Mode::Implement, "US-9", 2);
    let context = run.story_context(&id("US-2"), Default::default());
    let error = run.lane.prompt(&unknown, &list.list, &context).unwrap_err();
    assert_eq!(error.to_string(), "story US-9 not found");
}

#[test]
fn a_reviewer_is_shown_weakened_tests_and_observations_of_the_runner() {
    let project = Project::new(&[]);
    let weak = "#[test]\n#[ignore]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n";
    project.commit("tests/sum.rs", &weak.replace("#[ignore]\n", ""));
    let mut prompts = Vec::new();
    project.finished(|prompt| {
        if prompts.is_empty() {
            project.commit("tests/sum.rs", weak);
        }
        prompts.push(prompt.to_owned());
        agent::work(&project, prompts.len() > 2)
    });
    assert!(prompts[1].contains("### Weakened tests"), "{}", prompts[1]);
    assert!(prompts[1].contains("`tests/sum.rs`"));
    assert!(!prompts[2].contains("### Weakened tests"), "for reviewers");
    assert!(!prompts[3].contains("### Weakened tests"), "the last review knew them");

    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let notice =
        ReviewNotice { text: "ignored files".into(), names: vec!["a.o".into()], whole_list: None };
    run.state.story(&id("US-1")).notices.push(notice);
    let review = run.prompt_text(Mode::Review, "US-1");
    assert!(review.contains("### Observations of the runner"));
    assert!(review.contains("ignored files:\n\n"));
    let fix = run.prompt_text(Mode::ReviewFix, "US-1");
    assert!(!fix.contains("### Observations of the runner"));
}

#[test]
fn the_users_templates_replace_the_built_in_one() {
    let mut project = Project::new(&["pass"]);
    project.write("ralph/first-iteration.md", "First: ${STORY_ID}.");
    project.commit("ralph/prompt.md", "Mine: ${STORY_ID}, ${RALPH_MODE}.");
    project.options.run.include_iteration_count = true;
    let prompts = prompts(&project, || true);
    assert!(prompts[0].contains("First: US-1."), "{}", prompts[0]);
    assert!(prompts[1].contains("Mine: US-1, "), "{}", prompts[1]);
    assert!(prompts[1].contains("iteration 2") || prompts[1].contains("Iteration 2"));
}

#[test]
fn the_first_iteration_of_a_list_with_a_begun_story_is_none() {
    let project = Project::submitted(&[]);
    project.commit("ralph/first-iteration.md", "First: ${STORY_ID}.");
    let prompts = prompts(&project, || true);
    assert!(!prompts[0].contains("First: US-1."));
}

#[test]
fn a_template_that_cannot_be_read_is_refused() {
    let project = Project::new(&[]);
    std::fs::create_dir_all(project.root().join("ralph/prompt.md/x")).unwrap();
    let error = project.run(|_| panic!("no session")).unwrap_err();
    assert!(error.to_string().starts_with("cannot read ralph/prompt.md"), "{error}");
}

#[test]
fn a_failed_check_that_does_not_block_is_a_warning_and_part_of_the_next_prompt() {
    let mut project = Project::new(&["pass"]);
    project.options.validation = ValidationStrategy::Lenient;
    let lint = Guardrail { kind: GuardrailKind::Lint, ..Guardrail::of_command("fail unused sum") };
    project.options.run.guardrails = vec![lint];
    let mut reviews = 0;
    let prompts = prompts(&project, || {
        reviews += 1;
        reviews > 2
    });
    assert_eq!(prompts.len(), 4, "accepted all the same");
    let warning = "`fail unused sum` failed with exit code 1 (not blocking): unused sum";
    assert!(project.warnings().iter().any(|text| text == warning), "{:?}", project.warnings());
    assert!(prompts[2].contains("unused sum"), "{}", prompts[2]);
    let run = project.saved().run.run_id;
    let record = project.read(&format!(".ralph/runs/{run}/001-implement-US-1/validation.json"));
    assert!(record.contains("\"passed\"") && record.contains("fail unused sum"), "{record}");
}

#[test]
fn skills_of_the_story_are_in_the_prompt_if_they_were_there_at_the_start() {
    let mut first = story("US-1");
    first["skills"] = json!(["sums"]);
    let project = Project::with(&[first], &[]);
    project.write(".ralph/skills/sums.md", "Add with care.");
    let prompts = prompts(&project, || true);
    assert!(prompts[0].contains("Add with care."), "{}", prompts[0]);
}

#[test]
fn a_template_of_the_user_gets_what_it_leaves_out() {
    let project = Project::submitted(&[]);
    project.commit("ralph/prompt.md", "Mine: ${STORY_ID}.");
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    assert!(!run.prompt_text(Mode::Review, "US-1").contains("### Observations of the runner"));
    assert_eq!(run.prompt_text(Mode::ReviewFix, "US-1").trim(), "Mine: US-1.");
    let notice = ReviewNotice { text: "ignored files".into(), names: Vec::new(), whole_list: None };
    run.state.story(&id("US-1")).notices.push(notice);
    assert!(run.prompt_text(Mode::Review, "US-1").contains("### Observations of the runner"));
    let played = run.played(Mode::Implement, 1, None, || {});
    run.booked(&played.iteration, Step::None, AgentOutcome::Answered);
    assert!(run.prompt_text(Mode::ReviewFix, "US-1").contains("### Previous attempts"));
    assert!(!run.prompt_text(Mode::Review, "US-1").contains("### Previous attempts"));
}

#[test]
fn with_memory_the_parts_of_a_prompt_are_reported() {
    let mut project = Project::new(&[]);
    project.options.memory = Some(MemoryOptions {
        agent: project.options.run.agent.clone(),
        context_tokens: 8000,
        compact_after_iterations: 100,
        compact_after_bytes: 1_000_000,
    });
    project.options.run.policy.max_iterations = 1;
    project.finished(|_| "done".to_owned());
    let assembled = project.events.all().into_iter().find_map(|event| match event {
        LoopEvent::ContextAssembled { tokens, budget, parts, .. } => Some((tokens, budget, parts)),
        _ => None,
    });
    let (tokens, budget, parts) = assembled.unwrap();
    assert!(tokens > 0 && budget == 8000 && !parts.is_empty());
    assert!(parts.iter().all(|part| part.wanted_tokens > 0), "{parts:?}");
    assert!(parts.iter().any(|part| part.allotted_tokens.is_none()), "the task is never cut");
}
