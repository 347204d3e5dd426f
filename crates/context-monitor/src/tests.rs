//! Time warnings, with a fixed clock.

use std::time::{Duration, UNIX_EPOCH};

use project::LoopEnvironment;

use super::*;

/// The text for the model at time `now`, with the soft limit at 1000 and the hard limit at 1480.
fn alert_at(now: u64) -> String {
    let dir = assert_fs::TempDir::new().unwrap();
    let marker = r#"{"sessionId":"s","softLimitAt":1000,"hardLimitAt":1480}"#;
    std::fs::write(dir.path().join(".ralph-active"), marker).unwrap();
    let environment = Environment {
        project_dir: dir.path().to_path_buf(),
        plugin_data: Some(dir.path().join("data")),
        env: LoopEnvironment::default(),
        window: None,
        large_windows: true,
        now: UNIX_EPOCH + Duration::from_secs(now),
    };
    let input = r#"{"session_id":"s","hook_event_name":"PostToolUse"}"#;
    let input = HookInput::parse(input.as_bytes()).unwrap();
    match decide(&input, &environment).output {
        HookOutput::Silent => String::new(),
        HookOutput::AddContext { event: HookEvent::PostToolUse, text } => text,
        other => format!("{other:?}"),
    }
}

#[test]
fn the_warning_comes_from_the_soft_limit_on() {
    assert_eq!(alert_at(999), "");
    for (now, left) in
        [(1000, "in about 8 min"), (1001, "in about 7 min"), (9999, "within a minute")]
    {
        let alert = alert_at(now);
        assert!(alert.contains(left) && alert.contains("ralph/progress.txt"), "{now}: {alert}");
    }
}
