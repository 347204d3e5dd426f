//! Files and flags in, settings or problems out.

use std::fs;

use run_options::{FailAction, TimeSpan};

use super::*;

struct Case {
    dir: tempfile::TempDir,
    flags: Flags,
}

impl Case {
    fn new(base: &str, local: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".ralph")).unwrap();
        for (name, text) in [("settings.json", base), ("settings.local.json", local)] {
            if !text.is_empty() {
                fs::write(dir.path().join(".ralph").join(name), text).unwrap();
            }
        }
        Self { dir, flags: Flags::new() }
    }

    fn flag(mut self, name: &'static str, path: &[&'static str], value: &str) -> Self {
        self.flags.set(name, path, value);
        self
    }

    fn load(&self) -> Result<LoadedSettings, SettingsError> {
        let folder = self.dir.path().join(".ralph");
        load(&folder.join("settings.json"), &folder.join("settings.local.json"), &self.flags)
    }

    fn problems(&self) -> Vec<String> {
        self.load().unwrap_err().problems.iter().map(ToString::to_string).collect()
    }

    fn source(&self, path: &str) -> String {
        let loaded = self.load().unwrap();
        let origin = loaded.origins.iter().find(|origin| origin.path == path);
        origin.map_or_else(|| "not set".into(), |origin| origin.source.to_string())
    }
}

#[test]
fn without_files_everything_is_a_default() {
    let loaded = Case::new("", "").load().unwrap();
    assert_eq!(loaded.settings, Settings::default());
    assert_eq!(loaded.files, []);
    assert!(loaded.origins.iter().all(|origin| origin.source == Source::Default));
    assert!(loaded.origins.len() > 20, "{:?}", loaded.origins);
}

#[test]
fn flags_override_local_over_base_over_defaults() {
    let case = Case::new(
        r#"{"completionResponse": "A", "specsDir": "A", "planFile": "A"}"#,
        r#"{"completionResponse": "B", "specsDir": "B"}"#,
    )
    .flag("--completion-response", &["completionResponse"], "C");
    let settings = case.load().unwrap().settings;
    assert_eq!(settings.completion_response, "C");
    assert_eq!((settings.specs_dir.as_str(), settings.plan_file.as_str()), ("B", "A"));
    assert_eq!(settings.completion_promise, "COMPLETE");
    assert_eq!(case.source("completionResponse"), "--completion-response");
    assert_eq!(case.source("specsDir"), ".ralph/settings.local.json");
    assert_eq!(case.source("planFile"), ".ralph/settings.json");
    assert_eq!(case.source("completionPromise"), "default");
}

#[test]
fn origins_look_into_objects_and_lists() {
    let case = Case::new(
        r#"{"agent": {"command": "codex", "model": "m"},
            "guardrails": [{"command": "a", "hint": "h"}]}"#,
        r#"{"agent": {"model": null, "flags": ["-x"]}, "guardrails": [{"command": "b"}]}"#,
    );
    assert_eq!(case.source("agent.command"), ".ralph/settings.json");
    assert_eq!(case.source("agent.flags"), ".ralph/settings.local.json");
    assert_eq!(case.source("agent.model"), "not set");
    assert_eq!(case.source("guardrails[0].command"), ".ralph/settings.local.json");
    assert_eq!(case.source("guardrails[0].failAction"), "default");
    assert_eq!(case.source("guardrails[0].hint"), "not set");
}

#[test]
fn null_resets_a_setting_to_its_default() {
    let case = Case::new(r#"{"scm": {}, "pause": "5s"}"#, r#"{"scm": null, "pause": null}"#);
    let settings = case.load().unwrap().settings;
    assert_eq!((settings.scm, settings.pause), (None, TimeSpan::from_secs(0)));
    assert_eq!(case.source("pause"), "default");
}

#[test]
fn fail_actions_are_read_in_any_case() {
    let case = Case::new(r#"{"guardrails": [{"command": "x", "failAction": "prepend"}]}"#, "");
    assert_eq!(case.load().unwrap().settings.guardrails[0].fail_action, FailAction::Prepend);
}

#[test]
fn a_flag_for_another_agent_drops_the_agent_settings_of_the_files() {
    let files = r#"{"agent": {"command": "claude", "flags": ["--x"], "model": "opus"},
        "review": {"model": "sonnet", "cap": 3}}"#;
    let case = Case::new(files, r#"{"agent": {"maxTurns": 5}}"#)
        .flag("--agent", &["agent", "command"], "codex")
        .flag("--model", &["agent", "model"], "gpt");
    let settings = case.load().unwrap().settings;
    assert_eq!(
        (settings.agent.command.as_str(), settings.agent.model.as_deref()),
        ("codex", Some("gpt"))
    );
    assert_eq!((settings.agent.flags.len(), settings.agent.max_turns), (0, None));
    assert_eq!((settings.review.by.model, settings.review.cap), (None, 3));
    assert_eq!(case.source("agent.flags"), "default");

    let case = Case::new(files, "").flag("--agent-program", &["agent", "command"], "/opt/claude");
    let settings = case.load().unwrap().settings;
    assert_eq!(settings.agent.flags, ["--x"], "the same program in another place");
    assert_eq!(settings.agent.command, "/opt/claude");
}

#[test]
fn a_flag_for_another_reviewer_drops_the_reviewer_settings_of_the_files() {
    let files = r#"{"review": {"agent": "amp", "model": "m", "skip": true}}"#;
    let case = Case::new(files, "").flag("--review-agent", &["review", "agent"], "codex");
    let review = case.load().unwrap().settings.review;
    assert_eq!(
        (review.by.agent.as_deref(), review.by.model, review.skip),
        (Some("codex"), None, true)
    );

    let case = Case::new(files, "").flag("--agent", &["agent", "command"], "codex");
    let review = case.load().unwrap().settings.review;
    assert_eq!(review.by.model.as_deref(), Some("m"), "it was not for the implementing agent");
}

#[test]
fn a_flag_for_another_quality_agent_drops_its_settings_too() {
    let files = r#"{"quality": {"enabled": true, "model": "m", "promptFile": "q.md"}}"#;
    let case = Case::new(files, "").flag("--agent", &["agent", "command"], "codex");
    let quality = case.load().unwrap().settings.quality;
    assert_eq!((quality.enabled, quality.by.model), (true, None));
    assert_eq!(quality.prompt_file.as_deref(), Some("q.md"), "independent of the program");

    let files = r#"{"quality": {"agent": "amp", "model": "m"}, "agent": {"model": "opus"}}"#;
    let case = Case::new(files, "").flag("--agent", &["agent", "command"], "codex");
    let settings = case.load().unwrap().settings;
    let agent = settings.quality_agent();
    assert_eq!((agent.command.as_str(), agent.model.as_deref()), ("amp", Some("m")));
    assert_eq!(settings.reviewer().command, "codex");
    assert!(!settings.quality.enabled, "naming an agent does not enable it");
}

#[test]
fn limits_that_depend_on_the_loop_have_no_default() {
    let case = Case::new(r#"{"timeLimits": {"iteration": "5m", "multiplier": 2}}"#, "");
    let limits = case.load().unwrap().settings.time_limits;
    assert_eq!(limits.iteration, Some(TimeSpan::from_secs(300)), "not multiplied here");
    assert_eq!((limits.iteration_soft, limits.run, limits.run_soft), (None, None, None));
    assert_eq!(case.source("timeLimits.run"), "not set");
    assert_eq!(case.source("timeLimits.review"), "default");
    assert_eq!(case.source("timeLimits.multiplier"), ".ralph/settings.json");
}

#[test]
fn every_problem_of_every_file_is_reported_in_its_place() {
    let case = Case::new(
        r#"{"maxIterations": 1, "agent": {"modle": "x", "zzz": 1},
            "guardrails": [{"command": "x"}, {"command": " ", "failAction": "IGNORE"}]}"#,
        r#"{"maximumIterations": "ten", "guardrails": [{}], "pause": "soon"}"#,
    )
    .flag("--max-turns", &["agent", "maxTurns"], "many");
    assert_eq!(
        case.problems(),
        [
            r#".ralph/settings.json: agent: unknown key "modle"; did you mean "model"?"#,
            r#".ralph/settings.json: agent: unknown key "zzz""#,
            r#".ralph/settings.json: guardrails[1].command: expected a string that is not blank and has no NUL, found " ""#,
            r#".ralph/settings.json: guardrails[1].failAction: expected "APPEND", "PREPEND" or "REPLACE", found "IGNORE""#,
            r#".ralph/settings.json: unknown key "maxIterations"; did you mean "maximumIterations"?"#,
            r#".ralph/settings.local.json: maximumIterations: expected a whole number, 1 or more, found "ten""#,
            r#".ralph/settings.local.json: guardrails[0].command: expected a string that is not blank and has no NUL, found nothing: the key is missing"#,
            r#".ralph/settings.local.json: pause: expected a duration such as "90s" or "10m", found "soon""#,
            "--max-turns: expected a whole number, 1 or more, found \"many\"",
        ]
    );
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(parse(b"\xEF\xBB\xBF{}").unwrap(), Json::Object(vec![]));
}

#[test]
fn broken_json_is_reported_with_line_and_column() {
    let case = Case::new("{\n  \"pause\": \"5s\",\n}", "{\"paus\": 1}");
    assert_eq!(
        case.problems(),
        [
            ".ralph/settings.json: line 3, column 1: invalid JSON: trailing comma",
            r#".ralph/settings.local.json: unknown key "paus"; did you mean "pause"?"#,
        ]
    );
    let case = Case::new("{\"paus\": 1}", "{");
    assert!(case.problems()[1].contains("line 1, column 1: invalid JSON"), "in their order");
    assert_eq!(
        Case::new("[]", "").problems(),
        [".ralph/settings.json: expected an object, found an array"]
    );
}

#[test]
fn a_duplicate_key_is_an_error_everywhere() {
    let case = Case::new(
        r#"{"agent": {"model": "a", "model": "b", "model": "c"}, "variables": {"A": "", "A": ""}}"#,
        "",
    );
    assert_eq!(
        case.problems(),
        [
            r#".ralph/settings.json: agent: duplicate key "model""#,
            r#".ralph/settings.json: variables: duplicate key "A""#,
        ]
    );
}

#[test]
fn folders_and_large_files_are_refused() {
    let case = Case::new("", "");
    let base = case.dir.path().join(".ralph/settings.json");
    fs::write(&base, " ".repeat(1024 * 1024 + 1)).unwrap();
    let problems = case.problems();
    assert!(problems[0].contains("the limit is 1048576"), "{problems:?}");
    fs::remove_file(&base).unwrap();
    fs::create_dir(&base).unwrap();
    let problems = case.problems();
    assert!(
        problems[0].starts_with(".ralph/settings.json: cannot read the file: "),
        "{problems:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_broken_link_is_a_problem() {
    let case = Case::new("", "");
    let base = case.dir.path().join(".ralph/settings.json");
    std::os::unix::fs::symlink("gone.json", &base).unwrap();
    let nowhere = ".ralph/settings.json: broken symbolic link";
    assert_eq!(case.problems(), [nowhere]);
    fs::write(case.dir.path().join(".ralph/gone.json"), r#"{"pause": "5s"}"#).unwrap();
    assert_eq!(case.load().unwrap().settings.pause, TimeSpan::from_secs(5));
}

#[test]
fn an_impossible_completion_word_is_reported_with_its_source() {
    let case = Case::new(r#"{"completionPromise": "<promise>DONE</promise>"}"#, "").flag(
        "--completion-response",
        &["completionResponse"],
        "a\nb",
    );
    assert_eq!(
        case.problems(),
        [
            r#".ralph/settings.json: completionPromise: expected a string that is not blank and has no '<', no '>' and no line break, found "<promise>DONE</promise>""#,
            r#"--completion-response: expected a string that is not blank and has no '<', no '>' and no line break, found "a\nb""#,
        ]
    );
}

#[test]
fn a_secret_is_shown_nowhere() {
    let good = r#"{"env": {"TOKEN": "hunter2"}, "telemetry": {"otlp": "http://hunter2", "headers": {"A": "hunter2"}}}"#;
    let loaded = Case::new(good, "").load().unwrap();
    assert_eq!(loaded.settings.env["TOKEN"].expose(), "hunter2");
    assert_eq!(loaded.settings.telemetry.headers["A"].expose(), "hunter2");
    assert!(!loaded.for_workers.contains("hunter2"), "{}", loaded.for_workers);
    let json = serde_json::to_string(&loaded).unwrap();
    assert!(json.contains(r#""env":{"TOKEN":"[redacted]"}"#), "{json}");
    for shown in [json, format!("{loaded:?}")] {
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    for bad in [
        r#"{"env": "hunter2"}"#,
        r#"{"env": ["TOKEN=hunter2"]}"#,
        r#"{"env": {"TOKEN=hunter2": "x"}}"#,
        r#"{"env": {"TOKEN=hunter2": "x", "TOKEN=hunter2": "x"}}"#,
        r#"{"env": {"TOKEN": ["hunter2"]}}"#,
        r#"{"env": {"TOKEN": "hunter2\u0000"}}"#,
        r#"{"notifications": {"webhook": "hooks.example.com/hunter2"}}"#,
        r#"{"notifications": {"webhook": "https://hooks.example.com/hunter2 "}}"#,
        r#"{"telemetry": "hunter2"}"#,
        r#"{"telemetry": {"otlp": "otlp.example.com/hunter2"}}"#,
        r#"{"telemetry": {"headers": {"Authorization": "hunter2\n"}}}"#,
        r#"{"telemetry": {"headers": {"Authorization: hunter2": "x"}}}"#,
    ] {
        let error = Case::new(bad, "").load().unwrap_err();
        let place = ["env", "notifications.webhook", "telemetry"];
        assert!(place.iter().any(|place| error.to_string().contains(place)), "{error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}

#[test]
fn the_former_names_of_isolation_are_read_and_not_beside_the_new_one() {
    let former = r#"{ "sandbox": { "kind": "native", "allowedDomains": ["a.example.com"] } }"#;
    let isolation = Case::new(former, "").load().unwrap().settings.isolation;
    assert_eq!(isolation.kind, run_options::IsolationRequest::Os);
    assert_eq!(isolation.allowed_hosts, ["a.example.com"]);
    let both = r#"{ "sandbox": {}, "isolation": {} }"#;
    let problems = Case::new(both, "").problems();
    assert!(problems[0].ends_with("duplicate key \"isolation\""), "{problems:?}");
}

#[test]
fn a_word_for_proof_is_its_stories_and_keeps_the_rest_of_other_files() {
    let project = r#"{"proof": {"testPaths": ["checks/**"]}}"#;
    let case = Case::new(project, r#"{"proof": "require"}"#);
    let proof = case.load().unwrap().settings.proof;
    assert_eq!(proof.stories, run_options::ProofUse::Require);
    assert_eq!(proof.test_paths, ["checks/**"]);
    let case =
        Case::new(project, r#"{"proof": "require"}"#).flag("--proof", &["proof", "stories"], "off");
    assert_eq!(case.load().unwrap().settings.proof.stories, run_options::ProofUse::Off);
    let problems = Case::new(r#"{"proof": "maybe"}"#, "").problems();
    assert!(problems[0].contains("proof.stories: expected \"off\" or \"require\""), "{problems:?}");
}
