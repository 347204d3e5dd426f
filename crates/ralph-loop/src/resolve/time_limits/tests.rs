use engine::OnTimeout;
use settings::Flags;

use super::*;

const MINUTE: u64 = 60;

const STORIES: LoopDefaults = LoopDefaults {
    max_iterations: 1,
    on_timeout: OnTimeout::CountIteration,
    session: TimeLimit::minutes(12, 20),
    run: TimeLimit::minutes(45, 60),
};

const OPEN: LoopDefaults = LoopDefaults {
    max_iterations: 1,
    on_timeout: OnTimeout::Retry,
    session: TimeLimit { soft: None, hard: Some(Duration::from_secs(60 * MINUTE)) },
    run: TimeLimit { soft: None, hard: None },
};

fn resolved(
    limits: &str,
    flag: Option<(&'static str, &str)>,
    kind: &LoopDefaults,
) -> Result<TimeLimits, String> {
    let dir = assert_fs::TempDir::new().unwrap();
    let file = dir.path().join("settings.json");
    std::fs::write(&file, format!("{{\"timeLimits\": {limits}}}")).unwrap();
    let mut flags = Flags::new();
    if let Some((key, value)) = flag {
        flags.set("--flag", &["timeLimits", key], value);
    }
    let loaded = settings::load(&file, &dir.path().join("none"), &flags).unwrap();
    time_limits(&loaded, kind).map_err(|error| {
        let mut message = Vec::new();
        crate::command_error::report(&error, &mut message);
        String::from_utf8(message).unwrap()
    })
}

fn minutes(limit: TimeLimit) -> (Option<u64>, Option<u64>) {
    let minutes = |time: Duration| time.as_secs() / MINUTE;
    (limit.soft.map(minutes), limit.hard.map(minutes))
}

#[test]
fn open_limits_have_the_defaults_of_the_loop() {
    let stories = resolved("{}", None, &STORIES).unwrap();
    let expected = TimeLimits {
        run: TimeLimit::minutes(45, 60),
        implement: TimeLimit::minutes(12, 20),
        review: TimeLimit::minutes(3, 5),
        check: TimeLimit::minutes(5, 10),
        quality: TimeLimit::minutes(2, 3),
        memory: TimeLimit::minutes(4, 6),
        idle: Some(Duration::from_secs(15 * MINUTE)),
        grace: Duration::from_secs(5),
        linger: Duration::from_secs(30),
    };
    assert_eq!(stories, expected);
    let prompts = resolved("{}", None, &OPEN).unwrap();
    assert_eq!(
        (minutes(prompts.implement), minutes(prompts.run)),
        ((None, Some(60)), (None, None))
    );
    assert_eq!(minutes(prompts.check), (Some(5), Some(10)));
}

#[test]
fn settings_apply_to_every_loop_and_zero_means_no_limit() {
    let set = r#"{"iterationSoft": "0s", "iteration": "90m", "runSoft": "2h", "run": "0s",
        "reviewSoft": "1m", "review": "2m", "guardrail": "0s", "qualitySoft": "4m", "quality": "9m",
        "idle": "0s", "linger": "7s"}"#;
    for kind in [&STORIES, &OPEN] {
        let limits = resolved(set, None, kind).unwrap();
        assert_eq!(minutes(limits.implement), (None, Some(90)));
        assert_eq!(minutes(limits.run), (Some(120), None));
        assert_eq!(minutes(limits.review), (Some(1), Some(2)));
        assert_eq!(minutes(limits.check), (Some(5), None));
        assert_eq!(minutes(limits.quality), (Some(4), Some(9)));
        assert_eq!((limits.idle, limits.linger), (None, Duration::from_secs(7)));
    }
}

#[test]
fn the_multiplier_applies_to_limits_of_work_only() {
    let one = resolved("{}", None, &STORIES).unwrap();
    let two = resolved(r#"{"multiplier": 2.5}"#, None, &STORIES).unwrap();
    assert_eq!(minutes(two.run), (Some(112), Some(150)));
    assert_eq!(minutes(two.implement), (Some(30), Some(50)));
    assert_eq!(minutes(two.review), (Some(7), Some(12)));
    assert_eq!(minutes(two.check), (Some(12), Some(25)));
    assert_eq!(minutes(two.quality), (Some(5), Some(7)));
    assert_eq!(two.idle, Some(Duration::from_secs(2250)));
    assert_eq!((two.linger, two.grace), (one.linger, one.grace));
    assert_eq!(multiplied(Duration::MAX, 1000.0), Duration::MAX);
    assert_eq!(multiplied(Duration::from_secs(10), 0.25), Duration::from_millis(2500));
}

#[test]
fn a_warning_that_comes_too_late_is_an_error() {
    let message = resolved(r#"{"reviewSoft": "5m"}"#, None, &STORIES).unwrap_err();
    assert!(
        message.contains("settings.json: timeLimits.reviewSoft: the warning after 5m"),
        "{message}"
    );
    assert!(message.contains("hint: timeLimits.review ends the work after 5m"), "{message}");
    for both in [
        r#"{"guardrailSoft": "10m"}"#,
        r#"{"qualitySoft": "3m"}"#,
        r#"{"iterationSoft": "70m"}"#,
        r#"{"runSoft": "2m", "run": "1m", "multiplier": 3}"#,
    ] {
        assert!(resolved(both, None, &STORIES).is_err(), "{both}");
    }
    let kind_decides = r#"{"iterationSoft": "30m"}"#;
    assert!(resolved(kind_decides, None, &STORIES).is_err());
    let prompts = resolved(kind_decides, None, &OPEN).unwrap();
    assert_eq!(minutes(prompts.implement), (Some(30), Some(60)));
}

#[test]
fn default_warnings_and_warnings_of_a_file_below_a_flag_are_dropped() {
    let limits = resolved(r#"{"review": "3m", "run": "45m"}"#, None, &STORIES).unwrap();
    assert_eq!(minutes(limits.review), (None, Some(3)));
    assert_eq!(minutes(limits.run), (None, Some(45)));
    let flag = Some(("iteration", "2m"));
    let limits = resolved(r#"{"iterationSoft": "10m"}"#, flag, &STORIES).unwrap();
    assert_eq!(minutes(limits.implement), (None, Some(2)));
}
