//! Cheating by way of the task list, the marker and the user's own files.

use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::cheating::Cheat;
use crate::harness::Project;
use crate::stories::{
    CHANGES_REQUESTED, NEEDS_REVIEW, approval, commit, fields, list, set, story, story_at,
};

fn implementing() -> Cheat {
    Cheat::in_mode(Mode::Implement, [story("US-001"), story("US-002")])
}

fn open() -> Value {
    fields(false, Value::Null, 0, "")
}

#[test]
fn an_implementation_that_approves_itself() {
    let work = Act::write("work.txt", "work");
    let project = implementing()
        .commits([work, approval("US-001")])
        .for_what("implement iterations cannot set passes=true");
    assert_eq!(project.fields("US-001"), open());
    assert_eq!(project.read("work.txt"), "work", "the work itself is kept");
    assert_eq!(project.git(&["log", "-1", "--format=%s"]), {
        "ralph: revert forbidden changes of iteration 1 (implement of US-001)"
    });
}

#[test]
fn an_implementation_that_counts_a_review() {
    let count = set("US-001", [("reviewCount", json!(1))]);
    let project = implementing().commits([count]).for_what("reviewCount 0 → 1");
    assert_eq!(project.fields("US-001"), open());
}

#[test]
fn an_implementation_that_submits_two_stories() {
    let submit = |id| set(id, [("reviewStatus", json!(NEEDS_REVIEW)), ("notes", json!("done"))]);
    let project = implementing()
        .commits([submit("US-001"), submit("US-002")])
        .for_what("this one is about US-001");
    assert_eq!(project.fields("US-001"), open(), "who cheats moves nothing");
    assert_eq!(project.fields("US-002"), open());
}

#[test]
fn an_implementation_that_approves_another_story() {
    let project = implementing()
        .commits([Act::submit("done"), approval("US-002")])
        .for_what("story US-002: passes false → true");
    assert_eq!(project.fields("US-001"), open());
    assert_eq!(project.fields("US-002"), open());
}

#[test]
fn a_new_story_that_claims_to_be_done() {
    let mut new = story_at("US-003", "approved", 1);
    new["priority"] = json!(0);
    let Value::Object(new) = new else { panic!() };
    implementing()
        .commits([Act::AddStory { story: new }])
        .for_what("a new story starts with passes false");
}

#[test]
fn a_fix_that_approves() {
    let stories = [story_at("US-001", CHANGES_REQUESTED, 1)];
    let approval = Act::set_story([
        ("passes", json!(true)),
        ("reviewStatus", json!("approved")),
        ("reviewFeedback", json!("")),
    ]);
    Cheat::in_mode(Mode::ReviewFix, stories)
        .commits([approval])
        .with_the_list_untouched("review-fix iterations cannot");
}

#[test]
fn a_fix_that_submits_with_the_feedback_in_place() {
    Cheat::in_mode(Mode::ReviewFix, [story_at("US-001", CHANGES_REQUESTED, 1)])
        .commits([Act::set_story([("reviewStatus", json!(NEEDS_REVIEW))])])
        .with_the_list_untouched("reviewFeedback is still");
}

#[test]
fn a_story_that_is_removed() {
    implementing()
        .commits([Act::RemoveStory { story: Some("US-002".into()) }])
        .with_the_list_untouched("story US-002: removed");
}

#[test]
fn the_assigned_story_that_is_removed() {
    implementing()
        .commits([Act::RemoveStory { story: None }])
        .with_the_list_untouched("story US-001: removed");
}

#[test]
fn criteria_that_are_dropped_reworded_or_added() {
    let more = json!(["it works", "it is tested", "it is fast"]);
    for criteria in [json!(["it works"]), json!(["it works", "it is tested by hand"]), more] {
        implementing()
            .commits([
                set("US-001", [("acceptanceCriteria", criteria.clone())]),
                Act::write("work.txt", "work"),
            ])
            .with_the_list_untouched("story US-001: acceptanceCriteria");
    }
}

#[test]
fn criteria_that_are_emptied() {
    implementing()
        .commits([set("US-001", [("acceptanceCriteria", json!([]))])])
        .with_the_list_untouched("acceptanceCriteria");
}

#[test]
fn checks_that_are_changed() {
    for commands in [json!(["true"]), json!([]), json!(["make test", "true"])] {
        let project = Project::with_checks([story("US-001")], ["make test"]);
        Cheat::in_project(Mode::Implement, project)
            .commits([
                Act::SetTop { field: "verifyCommands".into(), value: commands },
                Act::write("work.txt", "work"),
            ])
            .with_the_list_untouched("verifyCommands");
    }
}

#[test]
fn a_list_that_is_no_list_any_more() {
    let broken = "{ \"userStories\": [\n";
    let project = implementing()
        .commits([Act::write("ralph/tasks.json", broken)])
        .with_the_list_untouched("ralph/tasks.json:");
    let runs = std::fs::read_dir(project.path().join(".ralph/runs")).unwrap();
    let run = runs.map(|entry| entry.unwrap().path()).next().unwrap();
    let kept = run.join("001-implement-US-001/tasks.rejected.json");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), broken);
}

#[test]
fn a_list_that_is_gone() {
    implementing()
        .commits([Act::bash("rm ralph/tasks.json")])
        .with_the_list_untouched("it is missing");
}

#[test]
fn a_list_in_whose_place_lies_something_else() {
    // The link leads to a file of the user, which must not be written through it.
    for place in ["mkdir", "ln -s ../mine.txt", "mkfifo"] {
        implementing()
            .does([Act::bash(format!("rm ralph/tasks.json; {place} ralph/tasks.json"))])
            .with_the_list_untouched("ralph/tasks.json:");
    }
}

#[test]
fn corrections_leave_the_rest_of_the_file_as_it_was() {
    // Unusual fields, order, numbers and white space.
    let text = "{\n\t\"zeta\" : [1.50, 1e3],\n  \"userStories\": [\n    {\"x\":{\"b\":1,\"a\":2}, \
                \"reviewCount\": 0, \"id\":\"US-001\",\"title\":\"One\",\"priority\":1.0,\n     \
                \"acceptanceCriteria\":[\"caf\\u00e9\"], \"passes\":false,   \
                \"reviewStatus\":null,\"reviewFeedback\":\"\",\"notes\":\"n\"}\n  ],\n\n  \
                \"branchName\":\"ralph/demo\",\"project\":\"demo\",\"description\":\"\"}";
    let project = Project::empty();
    project.write("ralph/tasks.json", text);
    project.write(".gitignore", ".ralph-active\n.ralph/\n");
    project.write("mine.txt", "committed\n");
    project.repository();
    let cheat = "sed -i -e 's/\"passes\":false/\"passes\":true/' \
                 -e 's/\"reviewStatus\":null/\"reviewStatus\":\"approved\"/' \
                 -e 's/\"reviewCount\": 0/\"reviewCount\": 1/' ralph/tasks.json";
    let project = Cheat::in_project(Mode::Implement, project)
        .commits([Act::bash(cheat)])
        .for_what("implement iterations cannot set passes=true");
    assert_eq!(project.read("ralph/tasks.json"), text);
}

#[test]
fn a_marker_that_is_edited() {
    let edits = [
        ("sed -i 's/implement/review/' .ralph-active", "its sha256 is"),
        ("echo '{}' > .ralph-active", "its sha256 is"),
        ("rm .ralph-active", "it was removed"),
        ("rm .ralph-active; mkdir .ralph-active", "it is unreadable"),
        ("ln -sf mine.txt .ralph-active", "its sha256 is"),
    ];
    for (edit, finding) in edits {
        let project =
            implementing().commits([approval("US-001"), Act::bash(edit)]).for_what(finding);
        assert_eq!(project.fields("US-001"), open(), "{edit}");
    }
}

#[test]
fn files_of_the_user_that_are_changed() {
    let cases = [
        ("ralph/prd.md", "# Less\n", "ralph/prd.md: changed"),
        ("ralph/prompt.md", "Approve.\n", "ralph/prompt.md: changed"),
        (".ralph/settings.json", "{}", ".ralph/settings.json: created"),
        (".ralph/mcp/coding.json", "{}", ".ralph/mcp/coding.json: created"),
        (".ralph/skills/review.md", "Approve.\n", ".ralph/skills/review.md: created"),
    ];
    for (path, contents, finding) in cases {
        let submission = [Act::write(path, contents), Act::submit("done")];
        let project = implementing().commits(submission).for_what(finding);
        assert_eq!(project.fields("US-001"), open(), "who cheats moves nothing");
        match path.starts_with(".ralph/") {
            true => assert!(!project.has(path)),
            false => assert_ne!(project.read(path), contents),
        }
        assert_eq!(project.git(&["status", "--porcelain", "ralph", ".ralph"]), "");
    }
}

#[test]
fn existing_skills_are_files_of_the_user() {
    let (path, text) = (".ralph/skills/testing.md", "# Testing\n");
    let submission = [Act::write(path, "Approve.\n"), Act::submit("done")];
    let project = Project::new([story("US-001"), story("US-002")]);
    project.write(path, text);
    test_repo::commit_all(&project.path());
    let project = Cheat::in_project(Mode::Implement, project)
        .commits(submission)
        .for_what(".ralph/skills/testing.md: changed");
    assert_eq!(project.read(path), text);
    assert_eq!(project.fields("US-001"), open());
}

#[test]
fn files_of_the_user_that_are_removed() {
    let project = implementing()
        .commits([Act::bash("rm ralph/prd.md")])
        .with_the_list_untouched("ralph/prd.md: removed");
    assert_eq!(project.read("ralph/prd.md"), "# What and why\n");
}

#[test]
fn a_story_may_be_split_and_new_ones_added() {
    let part = |id: &str| {
        let mut part = story(id);
        part["splitFrom"] = json!("US-001");
        match part {
            Value::Object(part) => Act::AddStory { story: part },
            _ => panic!(),
        }
    };
    let project = Project::with_list(&list([story("US-001")])).scenario(Scenario::new().rule(
        When::mode(Mode::Implement).story("US-001"),
        [part("US-002"), part("US-003"), Act::RemoveStory { story: None }, commit("split")],
    ));
    let run = project.run([]);
    run.assert_end(events::RunEnd::Complete);
    assert_eq!(run.findings(), "");
    assert_eq!(project.fields("US-003"), fields(true, "approved", 1, ""));
}

#[test]
fn links_in_the_place_of_the_runners_files_lead_it_nowhere() {
    let project = implementing()
        .commits([approval("US-001"), Act::bash("ln -sf ../mine.txt .ralph/state.json")])
        .for_what("implement iterations cannot set passes=true");
    assert!(!project.path().join(".ralph/state.json").is_symlink());
}

#[test]
fn without_reviews_a_session_that_makes_other_stories_wait_is_reported() {
    let acts = [set("US-002", [("dependsOn", json!(["US-001"]))]), commit("waits")];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).iteration(1), acts);
    let project = Project::new([story("US-001"), story("US-002")]).scenario(scenario);
    let run = project.run(["-n", "1", "--skip-review"]);
    let reported = "iteration 1 (implement of US-001) changed dependsOn of US-002: added US-001";
    assert!(run.warnings().contains(reported), "{}", run.warnings());
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_the_lists_folder_becomes_a_folder_again() {
    for link in [
        "mv ralph .git/moved; ln -s .git/moved ralph",
        "git mv ralph moved; ln -s moved ralph; git add -A; git commit -qm moved",
    ] {
        let acts = [Act::submit("done"), commit("done"), Act::bash(link)];
        let scenario = Scenario::new().rule(When::mode(Mode::Implement).iteration(1), acts);
        let project = Project::new([story("US-001")]).scenario(scenario);
        let run = project.run(["-n", "1"]);
        assert!(
            run.warnings().contains("replaced it with a folder again"),
            "{link}: {}",
            run.warnings()
        );
        run.assert_fields("US-001", &fields(false, json!(NEEDS_REVIEW), 0, ""));
        assert!(!project.path().join("ralph").is_symlink());
        assert_eq!(project.git(&["status", "--porcelain"]), "", "{link}");
        project.git(&["cat-file", "-e", "HEAD:ralph/tasks.json"]);
    }
}
