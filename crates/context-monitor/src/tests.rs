//! Decisions about time, under a clock of our own.

use std::time::{Duration, UNIX_EPOCH};

use hook_io::HookOutput;
use project::LoopEnvironment;

use super::*;
use crate::window::LargeWindows;

/// What a session hears after a tool call, whose marker names `1000` as its soft limit and `1480` as
/// its hard one, when the clock shows `now`.
fn heard_at(now: u64) -> String {
    let dir = assert_fs::TempDir::new().unwrap();
    let marker = r#"{"sessionId":"s","softLimitAt":1000,"hardLimitAt":1480}"#;
    std::fs::write(dir.path().join(".ralph-active"), marker).unwrap();
    let surroundings = Surroundings {
        project_dir: dir.path().to_path_buf(),
        plugin_data: Some(dir.path().join("data")),
        env: LoopEnvironment::default(),
        window: None,
        large_windows: LargeWindows::AsMeasured,
        now: UNIX_EPOCH + Duration::from_secs(now),
    };
    let input = r#"{"session_id":"s","hook_event_name":"PostToolUse"}"#;
    let input = HookInput::parse(input.as_bytes()).unwrap();
    match decide(&input, &surroundings).output {
        HookOutput::Silent => String::new(),
        HookOutput::AddContext { event: HookEvent::PostToolUse, text } => text,
        other => format!("{other:?}"),
    }
}

#[test]
fn the_word_comes_from_the_soft_limit_on() {
    assert_eq!(heard_at(999), "");
    for (now, left) in
        [(1000, "in about 8 min"), (1001, "in about 7 min"), (9999, "within a minute")]
    {
        let heard = heard_at(now);
        assert!(heard.contains(left) && heard.contains("ralph/progress.txt"), "{now}: {heard}");
    }
}
