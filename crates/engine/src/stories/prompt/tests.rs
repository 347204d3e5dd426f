//! What reaches the agent.

use tasks::StoryId;

use super::*;
use crate::FailAction;
use crate::failed_guardrail::FailedGuardrail;
use crate::guardrail_log::Extent;

fn list(status: &str, feedback: &str) -> TaskList {
    let json = format!(
        r#"{{"project":"p","branchName":"ralph/x","description":"d","verifyCommands":["make test"],
        "userStories":[{{"id":"US-7","title":"Say hello","description":"Be polite.",
        "acceptanceCriteria":["it says hello","${{MODE}} stays"],"priority":1,"passes":false,
        "reviewStatus":{status},"reviewCount":2,"reviewFeedback":"{feedback}","notes":"half done",
        "dependsOn":[]}}]}}"#
    );
    tasks::inspect(json.as_bytes()).list.unwrap()
}

fn prompt(template: &str, mode: Mode, review: ReviewPolicy, failure: Option<&Failure>) -> Expanded {
    let list = list("\"changes_requested\"", "say it louder");
    let assignment =
        Assignment { iteration: 3, attempt: 1, mode, story: StoryId::new("US-7").unwrap() };
    assemble(&PromptInput {
        template,
        assignment: &assignment,
        list: &list,
        story: &list.stories[0],
        max_iterations: 15,
        review,
        ralph_dir: "ralph",
        branch: "ralph/x",
        began_at: Some("abc1234"),
        failure,
        attempts: None,
        escalation: &Escalation::default(),
        weakened: &[],
        guardrails: &[],
        own: &BTreeMap::new(),
    })
}

const REQUIRED: ReviewPolicy = ReviewPolicy::Required { cap: 5 };

#[test]
fn the_shipped_template_has_everything_filled_in_for_every_mode() {
    let failure = Failure {
        iteration: 2,
        mode: Some(Mode::Implement),
        guardrails: vec![FailedGuardrail {
            command: "make test".into(),
            fail_action: FailAction::Append,
            hint: None,
            how: "failed with exit code 2".into(),
            start: "boom".into(),
            extent: Extent::Whole,
            tail: vec!["boom".into()],
            log: "log".into(),
            exit_code: Some(2),
            symptom: None,
        }],
        ..Failure::default()
    };
    for mode in Mode::ALL {
        let prompt = prompt(DEFAULT_TEMPLATE, mode, REQUIRED, Some(&failure));
        assert_eq!(prompt.unknown, Vec::<String>::new());
        for part in
            ["US-7", "Say hello", "it says hello", "Be polite.", "half done", "boom", "make test"]
        {
            assert!(prompt.text.contains(part), "{mode}: {part}\n{}", prompt.text);
        }
        assert!(prompt.text.contains(mode.as_str()));
        assert!(prompt.text.contains("<promise>COMPLETE</promise>"));
        let left = prompt.text.replace("${MODE} stays", "");
        assert!(!left.contains("${"), "{mode}: {}", prompt.text);
    }
}

#[test]
fn each_mode_gets_its_own_instructions() {
    let text = |mode, review| prompt("${INSTRUCTIONS}", mode, review, None).text;
    let texts = [
        text(Mode::Implement, REQUIRED),
        text(Mode::Review, REQUIRED),
        text(Mode::ReviewFix, REQUIRED),
        text(Mode::Implement, ReviewPolicy::Skipped),
    ];
    for (index, one) in texts.iter().enumerate() {
        assert!(texts.iter().skip(index + 1).all(|other| other != one));
    }
    assert!(texts[1].contains("changes_requested") && texts[1].contains("[AUTO-APPROVED AT CAP]"));
}

#[test]
fn feedback_is_there_and_a_template_without_places_gets_the_assignment_at_its_end() {
    let bare = prompt("Our house rules: no tabs.", Mode::ReviewFix, REQUIRED, None);
    assert!(bare.text.starts_with("Our house rules: no tabs.\n\n## Your assignment"));
    for part in ["review-fix", "say it louder", "it says hello"] {
        assert!(bare.text.contains(part), "{part}");
    }
}

#[test]
fn a_misspelt_variable_is_reported() {
    assert_eq!(prompt("${STORY} ${STROY}", Mode::Review, REQUIRED, None).unknown, ["STROY"]);
}

fn failing(fail_action: FailAction) -> Failure {
    let guardrails = vec![FailedGuardrail {
        command: "make test".into(),
        fail_action,
        hint: None,
        how: "failed with exit code 2".into(),
        start: "boom ${MODE}".into(),
        extent: Extent::Whole,
        tail: vec![],
        log: "log".into(),
        exit_code: Some(2),
        symptom: None,
    }];
    Failure { iteration: 2, guardrails, ..Failure::default() }
}

#[test]
fn a_failed_guardrail_is_told_by_a_template_without_a_place_for_it() {
    let told = |action| {
        prompt("Work.\n\n${STORY}\n", Mode::Implement, REQUIRED, Some(&failing(action))).text
    };
    let message = "Guardrail \"make test\" failed";
    let appended = told(FailAction::Append);
    assert!(appended.starts_with("Work.\n"), "{appended}");
    assert!(appended.find(message) > appended.find("US-7"), "{appended}");
    let prepended = told(FailAction::Prepend);
    assert!(prepended.starts_with(message), "{prepended}");
    assert!(prepended.contains("boom ${MODE}\n\nWork."), "not expanded: {prepended}");
}

#[test]
fn a_message_takes_the_place_of_the_users_prompt_but_not_of_the_assignment() {
    let failure = failing(FailAction::Replace);
    let told = prompt("Work on ${STORY}.", Mode::ReviewFix, REQUIRED, Some(&failure)).text;
    assert!(told.starts_with("Guardrail \"make test\" failed"), "{told}");
    assert!(!told.contains("Work on"), "{told}");
    for part in ["Mode: **review-fix**", "### US-7: Say hello", "say it louder"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
