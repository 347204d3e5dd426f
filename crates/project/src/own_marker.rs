//! The marker of the loop that a session belongs to, for advice only: tampering is not detected.
//!
//! Used after every tool call, and a marker can be large: it is read at most once, and only if its first bytes
//! are not enough.

use std::cell::OnceCell;
use std::io::Read;
use std::time::SystemTime;

use bounded_read::open_regular;
use memchr::memmem;

use crate::membership::{MarkerOwner, not_ours};
use crate::{Layout, LoopEnvironment, MarkerBrief, StoredMarker, unix_time};

const CONTEXT_WINDOW: &str = "\"contextWindow\"";
const SOFT_LIMIT_AT: &str = "\"softLimitAt\"";

/// Enough for the time limits, because the runner writes them before anything long.
const FIRST_BYTES: u64 = 4096;

#[derive(Debug)]
pub struct OwnMarker<'a> {
    layout: &'a Layout,
    env: &'a LoopEnvironment,
    session: &'a str,
    stored: OnceCell<Option<StoredMarker>>,
    brief: OnceCell<Option<MarkerBrief>>,
}

impl<'a> OwnMarker<'a> {
    /// Reads nothing yet.
    pub fn new(layout: &'a Layout, env: &'a LoopEnvironment, session: &'a str) -> Self {
        Self { layout, env, session, stored: OnceCell::new(), brief: OnceCell::new() }
    }

    /// `None` without a readable marker, or if it belongs to another session.
    pub fn brief(&self) -> Option<&MarkerBrief> {
        let read = || {
            let stored = self.stored()?;
            let brief = stored.brief().ok()?;
            let MarkerBrief { run_id, session_id, pid, .. } = &brief;
            let owner = MarkerOwner { run_id, session_id, pid: *pid };
            let why = not_ours(&owner, stored.written(), self.env, Some(self.session));
            why.is_none().then_some(brief)
        };
        self.brief.get_or_init(read).as_ref()
    }

    /// The context window in the marker, if any.
    pub fn context_window(&self) -> Option<u64> {
        if !self.stored()?.mentions(CONTEXT_WINDOW) {
            return None;
        }
        self.brief()?.context_window.filter(|tokens| *tokens > 0)
    }

    /// The marker, if this session is at or past its soft time limit.
    pub fn past_soft_limit(&self, now: SystemTime) -> Option<&MarkerBrief> {
        let ahead = |seconds| unix_time::from_seconds(seconds).is_some_and(|at| now < at);
        if self.soft_limit_in_first_bytes().is_some_and(ahead) {
            return None;
        }
        if !self.stored()?.mentions(SOFT_LIMIT_AT) {
            return None;
        }
        self.brief().filter(|brief| brief.soft_limit_at.is_some_and(|at| at <= now))
    }

    /// If the first bytes end within the number, the result is smaller, never larger. So a limit that is in the
    /// future here really is.
    fn soft_limit_in_first_bytes(&self) -> Option<u64> {
        let (file, _) = open_regular(&self.layout.marker()).ok()?;
        let mut start = Vec::new();
        file.take(FIRST_BYTES).read_to_end(&mut start).ok()?;
        let field = memmem::find(&start, SOFT_LIMIT_AT.as_bytes())?;
        let after = &start[field + SOFT_LIMIT_AT.len()..];
        let value = after.trim_ascii_start().strip_prefix(b":")?;
        serde_json::Deserializer::from_slice(value).into_iter().next()?.ok()
    }

    fn stored(&self) -> Option<&StoredMarker> {
        let load = || StoredMarker::load(self.layout).ok().flatten();
        self.stored.get_or_init(load).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Marker;

    const NOW: u64 = 1_800_000_000;

    fn in_project<T>(marker: &str, ask: impl FnOnce(&OwnMarker<'_>) -> T) -> T {
        let dir = assert_fs::TempDir::new().unwrap();
        std::fs::write(dir.path().join(".ralph-active"), marker).unwrap();
        ask(&OwnMarker::new(&Layout::new(dir.path()), &LoopEnvironment::default(), "mine"))
    }

    fn is_past(fields: &str) -> bool {
        let now = unix_time::from_seconds(NOW).unwrap();
        let marker = format!(r#"{{"sessionId":"mine",{fields}}}"#);
        in_project(&marker, |marker| marker.past_soft_limit(now).is_some())
    }

    #[test]
    fn a_soft_limit_is_past_from_its_second_on() {
        for (at, past) in [(NOW - 1, true), (NOW, true), (NOW + 1, false), (0, true)] {
            assert_eq!(is_past(&format!("\"softLimitAt\":{at}")), past, "{at}");
            assert_eq!(is_past(&format!("\"softLimitAt\" :\n {at} ")), past, "{at}, spaced");
        }
        assert!(!is_past("\"hardLimitAt\":5"));
    }

    #[test]
    fn invalid_times_are_ignored() {
        for invalid in ["null", "\"5\"", "-5", "5.5", "1e3", "[5]", "{}", "true", &"9".repeat(30)] {
            let fields = format!("\"softLimitAt\":{invalid},\"contextWindow\":7");
            assert!(!is_past(&fields), "{invalid}");
            let marker = format!(r#"{{"sessionId":"mine",{fields}}}"#);
            assert_eq!(in_project(&marker, |marker| marker.context_window()), Some(7), "{invalid}");
        }
        assert!(!is_past(&format!("\"softLimitAt\":{}", u64::MAX)));
    }

    #[test]
    fn a_nested_limit_is_ignored() {
        let decoy = r#""dirtyBefore":["softLimitAt"],"protectedFiles":{"softLimitAt":null}"#;
        assert!(is_past(&format!("{decoy},\"softLimitAt\":5")));
        assert!(!is_past(decoy));
    }

    #[test]
    fn a_limit_after_the_first_bytes_is_found() {
        let name = |length| format!("\"storyId\":\"{}\"", "x".repeat(length));
        // The number is cut off by the end of the first bytes, or lies after them.
        for length in [4_000, 4_038, 4_040, 4_045, 4_049, 5_000] {
            for (at, past) in [(NOW, true), (NOW + 1, false)] {
                let fields = format!("{},\"softLimitAt\":{at}", name(length));
                assert_eq!(is_past(&fields), past, "{length}: {at}");
            }
        }
    }

    #[test]
    fn the_first_bytes_are_enough_for_a_marker_of_the_runner() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let marker = Marker {
            session_id: Some("mine".into()),
            dirty_before: vec!["a/rather/long/path".into(); 1_000],
            soft_limit_at: unix_time::from_seconds(NOW),
            ..Marker::default()
        };
        marker.write(&layout).unwrap();
        let env = LoopEnvironment::default();
        let own = OwnMarker::new(&layout, &env, "mine");
        assert_eq!(own.soft_limit_in_first_bytes(), Some(NOW));
        assert!(own.past_soft_limit(unix_time::from_seconds(NOW - 1).unwrap()).is_none());
        assert!(own.stored.get().is_none(), "not read for that");
    }

    #[test]
    fn only_its_own_session_gets_the_marker() {
        let past = |marker: &str| {
            in_project(marker, |marker| marker.past_soft_limit(SystemTime::now()).is_some())
        };
        assert!(past(r#"{"sessionId":"mine","softLimitAt":5}"#));
        assert!(!past(r#"{"sessionId":"other","softLimitAt":5}"#));
        assert!(!past(r#"{"softLimitAt":5}"#));
        assert!(!past(r#"{"softLimitAt":5"#));
    }

    #[test]
    fn a_brief_contains_limits_and_mode() {
        let marker = r#"{"sessionId":"mine","hardLimitAt":9,"iterationMode":"review"}"#;
        in_project(marker, |marker| {
            let brief = marker.brief().unwrap();
            assert_eq!(brief.hard_limit_at, unix_time::from_seconds(9));
            assert_eq!(brief.iteration_mode, Some(tasks::Mode::Review));
        });
        let odd = r#"{"sessionId":"mine","iterationMode":"sprint"}"#;
        in_project(odd, |marker| assert_eq!(marker.brief().unwrap().iteration_mode, None));
    }
}
