//! Each rule once: a plan that breaks only this rule, and one that does not.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use plan_lint::{Code, Finding, Origin, Plan, Prd, Severity, check};
use proptest::prelude::*;
use serde_json::{Value, json};
use tasks::{FieldPath, Inspection, ProblemPlace, ReviewPolicy};

fn story(id: &str) -> Value {
    json!({
        "id": id, "title": format!("Greet {id}"), "description": "",
        "acceptanceCriteria": ["`greet` prints `Hello`"], "priority": 1, "passes": false,
        "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "", "dependsOn": []
    })
}

fn with(id: &str, changes: Value) -> Value {
    let mut story = story(id);
    for (key, value) in changes.as_object().unwrap() {
        story[key] = value.clone();
    }
    story
}

fn list(stories: &[Value]) -> Value {
    json!({
        "project": "p", "branchName": "b", "description": "", "verifyCommands": ["npm test"],
        "userStories": stories
    })
}

fn plan(list: &Inspection) -> Plan<'_> {
    Plan {
        list,
        origin: Origin::Written,
        is_branch_valid: true,
        prd: Prd::Text("We build a greeter."),
        reviews: ReviewPolicy::Required { cap: 5 },
        detected_checks: &[],
        has_other_checks: false,
        proof: run_options::ProofUse::Off,
    }
}

fn checked(list: &Value) -> Vec<Finding> {
    checked_as(list, |_| {})
}

fn checked_as(list: &Value, change: impl FnOnce(&mut Plan<'_>)) -> Vec<Finding> {
    let inspection = tasks::inspect(list.to_string().as_bytes());
    let mut plan = plan(&inspection);
    change(&mut plan);
    check(&plan)
}

fn codes(findings: &[Finding]) -> Vec<Code> {
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn a_good_plan_has_no_findings() {
    let waiting = with("B", json!({"dependsOn": ["A"], "priority": 2}));
    assert_eq!(checked(&list(&[story("A"), waiting])), []);
    // Later in the file is fine, and so is an equal priority.
    let early = with("B", json!({"dependsOn": ["C"]}));
    assert_eq!(checked(&list(&[early, story("C")])), []);
}

#[test]
fn each_rule_of_a_story_has_its_code() {
    let many: Vec<String> = (0..9).map(|n| format!("prints {n}")).collect();
    for (changes, code, field) in [
        (json!({"passes": "no"}), Code::Schema, FieldPath::Named("passes")),
        (json!({"dependsOn": ["Z"]}), Code::UnknownDependency, FieldPath::Item("dependsOn", 0)),
        (json!({"dependsOn": ["A"]}), Code::DependencyCycle, FieldPath::Named("dependsOn")),
        (
            json!({"passes": true, "notes": "done"}),
            Code::ContradictoryProgress,
            FieldPath::Named("passes"),
        ),
        (
            json!({"reviewStatus": "changes_requested"}),
            Code::ContradictoryProgress,
            FieldPath::Named("reviewFeedback"),
        ),
        (
            json!({"reviewStatus": "approved"}),
            Code::ContradictoryProgress,
            FieldPath::Named("reviewStatus"),
        ),
        (json!({"title": " "}), Code::EmptyTitle, FieldPath::Named("title")),
        (json!({"title": "Limit: TBD"}), Code::Placeholder, FieldPath::Named("title")),
        (json!({"title": "CRUD for notes"}), Code::CompoundStory, FieldPath::Named("title")),
        (json!({"title": "word ".repeat(50)}), Code::OversizedStory, FieldPath::Named("title")),
        (
            json!({"description": "word ".repeat(200)}),
            Code::OversizedStory,
            FieldPath::Named("description"),
        ),
        (
            json!({"description": "As a <who>, I want it"}),
            Code::Placeholder,
            FieldPath::Named("description"),
        ),
        (
            json!({"acceptanceCriteria": many}),
            Code::TooManyCriteria,
            FieldPath::Named("acceptanceCriteria"),
        ),
        (
            json!({"acceptanceCriteria": [
                "A migration adds the column", "POST /notes answers 201", "The button is red"]}),
            Code::ManyLayers,
            FieldPath::Named("acceptanceCriteria"),
        ),
        (
            json!({"acceptanceCriteria": ["prints 1", "works as expected"]}),
            Code::VagueCriterion,
            FieldPath::Item("acceptanceCriteria", 1),
        ),
        (
            json!({"acceptanceCriteria": ["Error handling"]}),
            Code::CriterionWithoutClaim,
            FieldPath::Item("acceptanceCriteria", 0),
        ),
        (
            json!({"acceptanceCriteria": ["prints 1", "Prints  1."]}),
            Code::DuplicateCriterion,
            FieldPath::Item("acceptanceCriteria", 1),
        ),
    ] {
        let findings = checked(&list(&[with("A", changes.clone())]));
        assert_eq!(codes(&findings), [code], "{changes}");
        assert_eq!(findings[0].field, field, "{changes}");
        assert_eq!(findings[0].story().unwrap().as_str(), "A");
        assert!(findings[0].fix.ends_with('.'), "{}", findings[0].fix);
    }
}

#[test]
fn findings_about_several_stories_are_at_the_later_one() {
    let twice = [with("A", json!({"title": "Greet"})), with("B", json!({"title": "greet "}))];
    let findings = checked(&list(&twice));
    assert_eq!(codes(&findings), [Code::DuplicateTitle]);
    assert_eq!(findings[0].message, "has the same title as A");

    let early = with("B", json!({"dependsOn": ["A"], "priority": 1}));
    let stories = [with("A", json!({"priority": 2})), early];
    let findings = checked(&list(&stories));
    assert_eq!(codes(&findings), [Code::PriorityAgainstDependency]);
    assert_eq!(findings[0].message, "has priority 1 and depends on A with priority 2");
}

#[test]
fn checks_must_exist_and_be_able_to_fail() {
    let commands = |commands: &[&str]| {
        let mut list = list(&[story("A")]);
        list["verifyCommands"] = json!(commands);
        list
    };
    let none = commands(&[]);
    let missing = checked(&none);
    assert_eq!(codes(&missing), [Code::NoVerifyCommands]);
    assert!(missing[0].fix.contains("none was found in the manifests of the project"));
    assert_eq!(checked_as(&none, |plan| plan.has_other_checks = true), []);

    let inspection = tasks::inspect(none.to_string().as_bytes());
    let detected = ["npm test".to_owned(), "npm run \"x\"".to_owned()];
    let proposed = check(&Plan { detected_checks: &detected, ..plan(&inspection) });
    let fix = r#"Use the commands found in the project: "verifyCommands": ["npm test", "npm run \"x\""]."#;
    assert_eq!(proposed[0].fix, fix);

    let findings = checked(&commands(&["npm test", "npm run lint || true", "npm test"]));
    assert_eq!(codes(&findings), [Code::CheckThatCannotFail, Code::DuplicateCheck]);
    assert_eq!(findings[0].field, FieldPath::Item("verifyCommands", 1));
    assert_eq!(findings[1].field, FieldPath::Item("verifyCommands", 2));
}

#[test]
fn the_plan_needs_its_own_stories_and_a_prd() {
    assert_eq!(codes(&checked(&list(&[]))), [Code::NoStories]);
    let example = with("A", json!({"title": "CRUD", "acceptanceCriteria": ["it works"]}));
    let example = checked_as(&list(&[example]), |plan| plan.origin = Origin::Template);
    assert_eq!(codes(&example), [Code::UntouchedTemplate]);
    let unwritten = checked_as(&list(&[story("A")]), |plan| plan.prd = Prd::Missing);
    assert_eq!(codes(&unwritten), [Code::EmptyPrd]);
    let unread =
        checked_as(&list(&[story("A")]), |plan| plan.prd = Prd::Unreadable("it is a pipe"));
    assert_eq!(codes(&unread), [Code::UnreadablePrd]);
    let branch = checked_as(&list(&[story("A")]), |plan| plan.is_branch_valid = false);
    assert_eq!(codes(&branch), [Code::IllegalBranch]);
    assert_eq!(branch[0].message, "\"b\" is not a valid branch name");
    let hundred: Vec<Value> = (0..101).map(|n| story(&format!("S{n}"))).collect();
    assert_eq!(codes(&checked(&list(&hundred))), [Code::ManyStories]);
    assert_eq!(checked(&list(&hundred[1..])), []);
}

/// Each phrase is matched against all surrounding text, so the length is limited.
#[test]
fn long_criteria_are_judged_up_to_a_limit() {
    let long = "`greet` prints 1. ".repeat(200) + "Reads CSV, JSON etc.";
    assert_eq!(checked(&list(&[with("A", json!({"acceptanceCriteria": [long]}))])), []);
    let long = "works correctly and ".repeat(5_000);
    let findings = checked(&list(&[with("A", json!({"acceptanceCriteria": [long]}))]));
    assert_eq!(codes(&findings), [Code::VagueCriterion]);
}

#[test]
fn passed_stories_are_not_linted() {
    let done = json!({
        "passes": true, "notes": "done", "reviewStatus": "approved", "title": "CRUD",
        "acceptanceCriteria": ["it works"], "priority": 9
    });
    let next = with("B", json!({"dependsOn": ["A"]}));
    assert_eq!(checked(&list(&[with("A", done), next])), []);
    // A cap that was lowered later is no fault of the plan.
    assert_eq!(checked(&list(&[with("A", json!({"reviewCount": 9}))])), []);
    let unreviewed = list(&[with("A", json!({"passes": true, "notes": "done"}))]);
    assert_eq!(checked_as(&unreviewed, |plan| plan.reviews = ReviewPolicy::Skipped), []);
}

#[test]
fn findings_are_in_file_order_with_errors_first() {
    let broken = with("A", json!({"passes": 1}));
    let nameless = with("x y", json!({}));
    let both = with("B", json!({"title": "CRUD", "dependsOn": ["Z"]}));
    let findings = checked(&list(&[broken, nameless, both]));
    let places: Vec<(usize, Severity)> =
        findings.iter().map(|finding| (finding.position(), finding.severity())).collect();
    let expected =
        [(1, Severity::Error), (2, Severity::Error), (3, Severity::Error), (3, Severity::Warning)];
    assert_eq!(places, expected, "{findings:?}");
    assert_eq!(findings[1].place, ProblemPlace::Story { position: 2, id: None });
}

#[test]
fn a_file_that_is_no_list_is_one_error() {
    for bytes in [&b""[..], b"{", b"[]", b"\xff"] {
        let inspection = tasks::inspect(bytes);
        assert_eq!(codes(&check(&plan(&inspection))), [Code::Schema], "{bytes:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any text gives valid findings.
    #[test]
    fn any_text_is_judged(title in ".{0,80}", text in "\\PC{1,200}", command in ".{0,60}") {
        let story = with("A", json!({
            "title": title, "description": text, "acceptanceCriteria": [text, title]
        }));
        let mut list = list(&[story]);
        list["verifyCommands"] = json!([command]);
        for finding in checked(&list) {
            prop_assert!(!finding.message.is_empty() && !finding.fix.is_empty());
            prop_assert!(!finding.message.contains(['\n', '\u{1b}']), "{}", finding.message);
        }
    }
}

#[test]
fn with_proof_a_criterion_that_no_test_shows_is_reported() {
    use run_options::ProofUse;
    let text = "The README explains `--json`";
    let plan =
        |proof: Value| list(&[with("A", json!({"acceptanceCriteria": [text], "proof": proof}))]);
    let found =
        |proof: Value, setting| codes(&checked_as(&plan(proof), |plan| plan.proof = setting));
    assert_eq!(found(json!(null), ProofUse::Require), [Code::CriterionWithoutTest]);
    assert_eq!(found(json!("require"), ProofUse::Off), [Code::CriterionWithoutTest]);
    assert_eq!(found(json!("off"), ProofUse::Require), []);
    assert_eq!(found(json!(null), ProofUse::Off), []);
}
