//! The schema matches the types, and accepts the same documents as the loader.

use std::path::PathBuf;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::SCHEMA;
use super::generate::generated;
use crate::{Flags, load};

#[test]
fn the_schema_is_what_the_types_generate() {
    let text = serde_json::to_string_pretty(&generated()).unwrap() + "\n";
    if std::env::var_os("RALPH_WRITE_SCHEMA").is_some() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::fs::write(root.join("schemas/settings.schema.json"), &text).unwrap();
        return;
    }
    assert!(
        SCHEMA.replace("\r\n", "\n") == text,
        "the types have changed: RALPH_WRITE_SCHEMA=1 cargo test -p settings schema"
    );
}

/// A document with every key is accepted by the schema and the loader.
#[test]
fn good_documents_are_good_to_both() {
    let memory = json!({ "handoffs": true, "contextTokens": 1000, "compactAfterIterations": 1,
            "compactAfterBytes": 1, "agent": "claude", "type": "claude", "flags": [], "model": "m",
            "maxTurns": 3, "promptVia": "stdin" });
    let time_limits = json!({ "iterationSoft": "2h", "iteration": "2h 5m", "reviewSoft": "0s",
            "review": "9m", "guardrailSoft": "1m", "guardrail": "90 seconds",
            "qualitySoft": "1m", "quality": "2m", "memorySoft": "0s", "memory": "9m", "runSoft": "1h", "run": "8h", "idle": "0",
            "linger": "500ms", "stopGrace": "1.5s", "multiplier": 1000 });
    let mut everything = json!({
        "$schema": "./settings.schema.json", "maximumIterations": 20,
        "completionResponse": "FIN", "completionPromise": "FINISHED", "outputTruncateChars": 0,
        "streamAgentOutput": false, "includeIterationCountInPrompt": true,
        "agent": { "command": "codex", "type": "text", "flags": ["-x", ""], "model": "m",
            "fallbackModel": "n", "fallbacks": ["amp"], "maxTurns": 1, "promptVia": "argument",
            "filters": { "text": ".t", "result": ".r", "tool": ".n", "costUsd": ".c" } },
        "review": { "agent": "claude", "type": "claude", "flags": [], "model": "m",
            "maxTurns": 9, "promptVia": "file", "filters": {}, "cap": 1, "atCap": "fail", "skip": true,
            "final": "on", "reviewers": 1, "panel": [{ "agent": "codex", "model": "m" }, { "maxTurns": 1 }] },
        "quality": { "enabled": true, "promptFile": "q.md", "agent": "amp", "type": "amp",
            "flags": ["-y"], "model": "m", "maxTurns": 2, "promptVia": "stdin" },
        "memory": memory,
        "mcpServers": "inherited", "rollback": true, "commitPrefix": "r",
        "attempts": { "most": 1, "stuckAfter": 2, "strategyShifts": 0 },
        "guardrails": [
            { "command": "make lint", "kind": "lint", "failAction": "rePlace", "hint": "", "timeLimit": "0s" },
            { "command": "make test" },
        ],
        "validation": "lenient",
        "scm": { "command": "git", "tasks": ["push", "commit"] },
        "variables": { "A": "", "B_2": "x" }, "env": { "any name": "x" },
        "specsDir": "s", "planFile": "p", "maxCostUsd": 0.5, "maxQuotaPercent": 100,
        "onUsageLimit": "stop",
        "timeLimits": time_limits,
        "pause": "1day", "retries": { "most": 0, "firstWait": "0s" }, "guard": { "maxBlocks": 1 },
        "isolation": { "kind": "os", "checks": "none", "network": { "checks": "allowlist" },
            "allowedHosts": ["*.example.com"], "hostPorts": [5432], "readablePaths": ["../x"], "writablePaths": ["~/x"],
            "environment": ["DATABASE_URL", "SHOP_*"],
            "stateDir": "/state", "linuxHooksDir": "/hooks", "settle": "0s" },
        "commandGuard": { "allow": ["docker push *"], "deny": ["terraform *"] },
        "git": { "allow": ["core.hooksPath", ".git/hooks/*"] },
        "forge": { "remote": "upstream", "kind": "forgejo", "api": "https://h:3000/api/v1",
            "base": "develop", "pullRequest": "run", "commenters": "everyone" },
        "notifications": { "on": ["finished", "needs-attention"], "terminal": "osc",
            "command": "notify-send Ralph", "webhook": "https://example.com/x" },
        "display": { "color": "never", "emoji": false, "timestamps": true, "maxOutputLines": 0,
            "maxOutputChars": 10.0 },
    });
    // The macro has a limit for one object.
    everything["keepAwake"] = json!(false);
    everything["questions"] = json!({ "max": 0 });
    everything["escalation"] = json!({ "models": ["opus"], "agents": ["codex"], "candidates": 3 });
    everything["proof"] = json!({ "stories": "require", "testPaths": ["checks/**", "!checks/data/**"],
        "run": "make test TESTS={tests} JUNIT={junit}" });
    everything["jobs"] = json!(4);
    everything["separate"] = json!(true);
    everything["lanes"] = json!({ "dir": "~/lanes", "setup": ["npm ci"], "firstPort": 1 });
    everything["on"] = json!("big");
    everything["checks"] = json!({ "on": "big" });
    everything["executors"] = json!({ "slurm": null, "big": { "engine": "slurm", "partition": "long",
        "account": "team", "cpus": 4, "memory": "8G", "args": ["--qos=high"], "config": "/etc/slurm.conf",
        "remote": "ssh://git@example.com/p", "program": "/opt/ralph/ralph-loop", "secrets": "/home/me/keys",
        "folder": "/scratch", "time": "2h" }, "kubernetes": { "image": "registry.example.com/worker:1",
        "namespace": "agents", "secret": "agent", "gitSecret": "git", "pod": { "nodeSelector": { "pool": "agents" } } } });
    everything["telemetry"] = json!({ "otlp": "http://localhost:4318",
        "headers": { "Authorization": "Basic x", "X-Empty": "", "Gone": null } });
    let known = generated()["properties"].as_object().unwrap().len();
    assert_eq!(everything.as_object().unwrap().len(), known, "a key is missing in this test");
    assert_eq!(verdicts(&everything), (true, true));
    for good in [
        json!({}),
        json!({ "proof": "off" }),
        json!({ "proof": { "run": null } }),
        json!({ "agent": null, "env": { "A": null }, "guardrails": [] }),
    ] {
        assert_eq!(verdicts(&good), (true, true), "{good}");
    }
}

#[test]
fn bad_documents_are_bad_to_both() {
    for bad in [
        json!([]),
        json!({ "maxIterations": 1 }),
        json!({ "maximumIterations": 0 }),
        json!({ "maximumIterations": "10" }),
        json!({ "maximumIterations": 1.5 }),
        json!({ "completionResponse": " " }),
        json!({ "completionResponse": "<b>" }),
        json!({ "completionPromise": "two\nlines" }),
        json!({ "completionPromise": "> " }),
        json!({ "guardrails": [{ "command": "make\0" }] }),
        json!({ "memory": { "contextTokens": 999 } }),
        json!({ "memory": { "compactAfterBytes": 0 } }),
        json!({ "mcpServers": "none" }),
        json!({ "commitPrefix": "two words" }),
        json!({ "commitPrefix": "" }),
        json!({ "agent": { "command": "" } }),
        json!({ "agent": { "type": "clod" } }),
        json!({ "agent": { "flags": [null] } }),
        json!({ "agent": { "promptVia": "STDIN" } }),
        json!({ "agent": { "filters": { "text": " " } } }),
        json!({ "agent": { "filters": { "texts": "." } } }),
        json!({ "proof": "on" }),
        json!({ "proof": true }),
        json!({ "proof": { "stories": "Require" } }),
        json!({ "proof": { "run": "make test TESTS={tests}" } }),
        json!({ "proof": { "run": "" } }),
        json!({ "proof": { "testPaths": [""] } }),
        json!({ "review": { "cap": 0 } }),
        json!({ "review": { "atCap": "Fail" } }),
        json!({ "review": { "promptFile": "x" } }),
        json!({ "quality": true }),
        json!({ "quality": { "promptFile": "" } }),
        json!({ "quality": { "cap": 1 } }),
        json!({ "attempts": { "most": 0 } }),
        json!({ "questions": { "max": 11 } }),
        json!({ "attempts": { "stuckAfter": 1 } }),
        json!({ "attempts": { "strategyShifts": -1 } }),
        json!({ "timeLimits": { "multiplier": 0 } }),
        json!({ "timeLimits": { "multiplier": 1000.5 } }),
        json!({ "timeLimits": { "multiplier": "2" } }),
        json!({ "timeLimits": { "review": 5 } }),
        json!({ "guardrails": [{}] }),
        json!({ "guardrails": [{ "command": null }] }),
        json!({ "guardrails": [{ "command": "x", "failAction": "IGNORE" }] }),
        json!({ "guardrails": [{ "command": "x", "cmd": "y" }] }),
        json!({ "jobs": 0 }),
        json!({ "jobs": "4" }),
        json!({ "separate": 1 }),
        json!({ "lanes": { "dir": " " } }),
        json!({ "lanes": { "setup": "npm ci" } }),
        json!({ "lanes": { "setup": [""] } }),
        json!({ "lanes": { "setup": ["make\0"] } }),
        json!({ "lanes": { "firstPort": 0 } }),
        json!({ "lanes": { "firstPort": 65536 } }),
        json!({ "scm": { "tasks": ["fetch"] } }),
        json!({ "variables": { "lower": "x" } }),
        json!({ "variables": { "2A": "x" } }),
        json!({ "variables": { "A": 1 } }),
        json!({ "env": { "": "x" } }),
        json!({ "env": { "A=B": "x" } }),
        json!({ "env": { "A": "nul\0" } }),
        json!({ "maxCostUsd": 0 }),
        json!({ "maxQuotaPercent": 101 }),
        json!({ "pause": "soon" }),
        json!({ "pause": 5 }),
        json!({ "timeLimits": { "idle": "5 parsecs" } }),
        json!({ "guard": { "maxBlocks": 0 } }),
        json!({ "isolation": { "kind": "vm" } }),
        json!({ "isolation": { "allowedHosts": [""] } }),
        json!({ "isolation": { "hostPorts": [0] } }),
        json!({ "isolation": { "hostPorts": [65536] } }),
        json!({ "isolation": { "checks": "os" } }),
        json!({ "isolation": { "network": { "checks": "all" } } }),
        json!({ "isolation": { "settle": 3 } }),
        json!({ "commandGuard": { "allow": "*" } }),
        json!({ "git": { "allow": [" "] } }),
        json!({ "forge": { "remote": " " } }),
        json!({ "forge": { "kind": "gitea" } }),
        json!({ "forge": { "base": " " } }),
        json!({ "forge": { "pullRequest": "always" } }),
        json!({ "forge": { "commenters": "owner" } }),
        json!({ "forge": { "api": "https://" } }),
        json!({ "forge": { "api": "https://me:secret@h/api" } }),
        json!({ "forge": { "api": "https://h/a b" } }),
        json!({ "notifications": { "on": ["everything"] } }),
        json!({ "notifications": { "terminal": true } }),
        json!({ "notifications": { "command": " " } }),
        json!({ "notifications": { "webhook": "ftp://example.com" } }),
        json!({ "notifications": { "webhook": "https://" } }),
        json!({ "notifications": { "webhook": "https://example.com/a b" } }),
        json!({ "notifications": { "webhook": "https://example.com\nurl = x" } }),
        json!({ "telemetry": { "otlp": "localhost:4318" } }),
        json!({ "telemetry": { "headers": { "A b": "x" } } }),
        json!({ "telemetry": { "headers": { "": "x" } } }),
        json!({ "telemetry": { "headers": { "A": "x\ny" } } }),
        json!({ "telemetry": { "headers": { "A": 1 } } }),
        json!({ "telemetry": { "headers": [] } }),
        json!({ "display": { "color": true } }),
    ] {
        assert_eq!(verdicts(&bad), (false, false), "{bad}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// One key with one value at a time: with more, one bad value would hide the verdict on another.
    #[test]
    fn schema_and_loader_agree(document in any_document()) {
        let (schema, loader) = verdicts(&document);
        prop_assert_eq!(schema, loader, "{}", document);
    }
}

/// Any key of the schema, or a typo of one, with a value of any kind.
fn any_document() -> impl Strategy<Value = Value> {
    let schema = generated();
    let mut paths = Vec::new();
    for (key, property) in schema["properties"].as_object().unwrap() {
        paths.push(vec![key.clone()]);
        let inner =
            property.get("properties").or_else(|| property.get("anyOf")?[0].get("properties"));
        for inner in inner.and_then(Value::as_object).into_iter().flat_map(|inner| inner.keys()) {
            paths.push(vec![key.clone(), inner.clone()]);
        }
    }
    paths.extend([vec!["agent".into(), "comand".into()], vec!["variables".into(), "NAME".into()]]);
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..200i64).prop_map(Value::from),
        (-1.0..3.0f64).prop_map(Value::from),
        prop::sample::select(vec![
            "", " ", "claude", "text", "stdin", "file", "wait", "auto", "never", "5m", "1h 30m",
            "0", "x", "<x>", "x\ny",
        ])
        .prop_map(Value::from),
        prop::sample::select(vec![
            json!([]),
            json!(["commit"]),
            json!(["x", 1]),
            json!({}),
            json!({ "A": "x" }),
            json!([{ "command": "x" }]),
            json!([{ "hint": "x" }]),
        ]),
    ];
    (prop::sample::select(paths), value).prop_map(|(path, value)| {
        path.iter().rev().fold(value, |inner, key| json!({ key.clone(): inner }))
    })
}

static VALIDATOR: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::validator_for(&generated()).unwrap());

/// Whether the schema and the loader accept `document`.
fn verdicts(document: &Value) -> (bool, bool) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("settings.json");
    std::fs::write(&path, document.to_string()).unwrap();
    let loaded = load(&path, &dir.path().join("none"), &Flags::new());
    (VALIDATOR.is_valid(document), loaded.is_ok())
}
