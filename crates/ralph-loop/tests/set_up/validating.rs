//! `ralph-loop validate`: its input, its output and its exit codes.

use serde_json::Value;

use crate::project::Project;

const PRD: &str = "# Shop\nPeople order shoes.\n";

fn story(title: &str, criterion: &str) -> Value {
    serde_json::json!({
        "id": "US-001", "title": title, "acceptanceCriteria": [criterion], "priority": 1,
        "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": ""
    })
}

#[track_caller]
fn plan(project: &Project, commands: &[&str], stories: &[Value]) {
    let list = serde_json::json!({
        "project": "shop", "branchName": "ralph/shop", "description": "",
        "verifyCommands": commands, "userStories": stories
    });
    project.write("ralph/tasks.json", &list.to_string());
    project.write("ralph/prd.md", PRD);
}

#[track_caller]
fn validate(project: &Project, flags: &[&str]) -> (Option<i32>, String, String) {
    let output = project.call(&[&["validate"], flags].concat()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn as_json(project: &Project) -> Value {
    serde_json::from_str(&validate(project, &["--json"]).1).unwrap()
}

#[test]
fn a_good_plan_is_ready_to_run() {
    let project = Project::new();
    plan(&project, &["npm test"], &[story("Greet", "`greet Ada` prints `Hello, Ada!`")]);
    let (code, out, _) = validate(&project, &["--strict"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.ends_with("ready to run\nnext: ralph-loop --dry-run\n"), "{out}");
    let json = as_json(&project);
    let expected = serde_json::json!({
        "v": 1, "file": "ralph/tasks.json", "verdict": "ok", "errors": 0, "warnings": 0,
        "stories": 1, "findings": []
    });
    assert_eq!(json, expected);
}

#[test]
fn warnings_fail_only_with_strict() {
    let project = Project::new();
    plan(&project, &["npm test"], &[story("Greet", "It works correctly")]);
    assert_eq!(validate(&project, &[]).0, Some(0));
    assert_eq!(validate(&project, &["--strict"]).0, Some(1));
    let json = as_json(&project);
    assert_eq!((&json["verdict"], &json["warnings"]), (&"warnings".into(), &1.into()));
    let finding = &json["findings"][0];
    assert_eq!(finding["code"], "vague-criterion");
    assert_eq!(finding["severity"], "warning");
    assert_eq!((&finding["story"], &finding["position"]), (&"US-001".into(), &1.into()));
    assert_eq!((&finding["field"], &finding["index"]), (&"acceptanceCriteria".into(), &0.into()));
}

#[test]
fn errors_fail_and_detected_checks_are_proposed() {
    let project = Project::new();
    project.write("Cargo.toml", "[package]\nname = \"shop\"\n");
    let mut waiting = story("Greet", "`greet` prints `Hello`");
    waiting["dependsOn"] = serde_json::json!(["US-009"]);
    plan(&project, &[], &[waiting]);
    let (code, out, _) = validate(&project, &["--no-emoji"]);
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("\"verifyCommands\": [\"cargo"), "{out}");
    assert!(out.contains("US-001 Greet\n  [ERR] unknown-dependency  dependsOn[0]\n"), "{out}");
    assert!(out.contains("[ERR] 1 error, 1 warning\n"), "{out}");
}

#[test]
fn guardrails_and_skipped_reviews_are_taken_into_account() {
    let project = Project::new();
    let mut done = story("Greet", "`greet` prints `Hello`");
    done["passes"] = true.into();
    done["notes"] = "done".into();
    plan(&project, &[], &[done]);
    let codes = |project: &Project| -> Vec<String> {
        let findings = as_json(project)["findings"].as_array().unwrap().clone();
        findings.iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(&project), ["no-verify-commands", "contradictory-progress"]);
    let settings = r#"{"guardrails": [{"command": "make check"}], "review": {"skip": true}}"#;
    project.write(".ralph/settings.json", settings);
    assert_eq!(codes(&project), [""; 0]);
}

#[test]
fn the_template_is_an_error() {
    let project = Project::new();
    assert!(project.init(&["--yes"]).output().unwrap().status.success());
    let json = as_json(&project);
    assert_eq!(json["errors"], 1, "{json}");
    assert_eq!(json["findings"][0]["code"], "untouched-template");
    let codes: Vec<&Value> =
        json["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["untouched-template", "empty-prd", "no-verify-commands"]);
}

#[test]
fn a_missing_list_is_an_error_with_a_hint() {
    let project = Project::new();
    let (code, out, err) = validate(&project, &[]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("error: ralph/tasks.json not found\nhint: "), "{err}");
    assert!(err.contains("ralph-loop init") && err.contains("/ralph-plan"), "{err}");
    let json = as_json(&project);
    assert_eq!((&json["v"], &json["verdict"]), (&1.into(), &Value::Null), "{json}");
    assert_eq!(json["error"], "ralph/tasks.json not found");
    assert!(json["hint"].as_str().unwrap().contains("ralph-loop init"), "{json}");
}

#[test]
fn project_dir_is_used_without_a_search() {
    let project = Project::new();
    plan(&project, &["npm test"], &[story("Greet", "`greet` prints `Hello`")]);
    test_repo::init(&project.root());
    project.write("deep/er/file", "");
    let below = |flags: &[&str]| {
        let mut call = project.call(&[&["validate"], flags].concat());
        call.current_dir(project.root().join("deep/er")).output().unwrap().status.code()
    };
    assert_eq!(below(&[]), Some(0), "the project is found upwards");
    assert_eq!(below(&["-d", "."]), Some(2));
    assert_eq!(validate(&project, &["-d", "deep/er"]).0, Some(2));
}

/// `vcs` tests the rule against git.
#[test]
fn an_invalid_branch_name_is_an_error() {
    let project = Project::new();
    for name in ["bad..name", "-x", "", "HEAD", "a b", "x~1"] {
        plan(&project, &["npm test"], &[story("Greet", "`greet` prints `Hello`")]);
        let list = project.read("ralph/tasks.json").replace("ralph/shop", name);
        project.write("ralph/tasks.json", &list);
        let json = as_json(&project);
        assert_eq!(json["findings"][0]["code"], "illegal-branch", "{name:?}: {json}");
        assert_eq!(json["findings"][0]["field"], "branchName");
        assert_eq!(validate(&project, &[]).0, Some(2), "{name:?}");
    }
}

#[test]
fn an_unreadable_prd_is_a_warning() {
    let project = Project::new();
    let assert_warned = |what: &str| {
        let json = as_json(&project);
        assert_eq!(json["findings"][0]["code"], "unreadable-prd", "{what}: {json}");
        assert_eq!(json["warnings"], 1, "{what}: {json}");
    };
    plan(&project, &["npm test"], &[story("Greet", "`greet` prints `Hello`")]);
    let prd = project.root().join("ralph/prd.md");
    let utf16: Vec<u8> = "Shoes.".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&prd, &utf16).unwrap();
    assert_warned("UTF-16");
    std::fs::write(&prd, [&b"\xff\xfe"[..], &utf16].concat()).unwrap();
    assert_warned("UTF-16 with a byte order mark");
    std::fs::remove_file(&prd).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &prd).unwrap();
    assert_warned("a device");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let project = Project::new();
    plan(&project, &["npm test"], &[story("Greet", "`greet` prints `Hello`")]);
    for flags in [&["validate"][..], &["validate", "--json"]] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let status = project.call(flags).stdout(full).status().unwrap();
        assert_eq!(status.code(), Some(2), "{flags:?}");
    }
}

#[test]
fn a_list_that_is_too_large_is_an_error() {
    let project = Project::new();
    project.write("ralph/tasks.json", &" ".repeat(8 * 1024 * 1024 + 1));
    let json = as_json(&project);
    assert_eq!(json["findings"][0]["code"], "list-too-large", "{json}");
    assert_eq!(validate(&project, &[]).0, Some(2));
}

/// Otherwise the runner would ignore the key, and the run would end as complete.
#[test]
fn a_misspelled_key_is_refused_with_a_suggestion() {
    let project = Project::new();
    for (wrong, right) in [
        ("\"verifyCommands\"", "\"verifyCommand\""),
        ("\"priority\"", "\"priorty\""),
        ("\"reviewStatus\"", "\"review_status\""),
    ] {
        plan(&project, &["false"], &[story("Greet", "`greet` prints `Hello`")]);
        let list = project.read("ralph/tasks.json").replace(wrong, right);
        project.write("ralph/tasks.json", &list);
        let meant = format!("unknown key {right}: did you mean {wrong}?");
        let (code, out, _) = validate(&project, &["--no-emoji"]);
        assert_eq!(code, Some(2), "{out}");
        assert!(out.contains("[ERR] misspelled-key") && out.contains(&meant), "{out}");
    }
}

#[test]
fn an_unknown_key_is_a_warning() {
    let project = Project::new();
    let mut own = story("Greet", "`greet` prints `Hello`");
    own["estimate"] = 3.into();
    plan(&project, &["npm test"], &[own]);
    let json = as_json(&project);
    assert_eq!(json["findings"][0]["code"], "unknown-key", "{json}");
    assert_eq!(json["findings"][0]["story"], "US-001", "{json}");
    assert_eq!(validate(&project, &[]).0, Some(0));
}

#[test]
fn invalid_stories_are_counted_too() {
    let project = Project::new();
    let broken = serde_json::json!({"id": "US-002"});
    plan(&project, &["npm test"], &[story("Greet", "`greet` prints `Hello`"), broken]);
    assert_eq!(as_json(&project)["stories"], 2);
}
