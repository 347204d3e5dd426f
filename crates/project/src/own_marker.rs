//! The marker of the loop that a session belongs to, for whoever only wants to be helpful: tampering
//! is not looked for.
//!
//! Asked after every tool call, and a marker can be large: it is read once, and only when a glance at
//! its first bytes does not answer the question.

use std::cell::OnceCell;
use std::io::Read;
use std::time::SystemTime;

use bounded_read::open_regular;
use memchr::memmem;

use crate::standing::{Owner, not_ours};
use crate::{Layout, LoopEnvironment, MarkerBrief, StoredMarker, unix_time};

const CONTEXT_WINDOW: &str = "\"contextWindow\"";
const SOFT_LIMIT_AT: &str = "\"softLimitAt\"";

/// How many bytes a glance takes in. The runner writes times before anything long.
const GLANCE: u64 = 4096;

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

    /// `None` if there is no marker that can be read, or it is not this session's.
    pub fn brief(&self) -> Option<&MarkerBrief> {
        let read = || {
            let stored = self.stored()?;
            let brief = stored.brief().ok()?;
            let why =
                not_ours(&Owner::from(&brief), stored.written(), self.env, Some(self.session));
            why.is_none().then_some(brief)
        };
        self.brief.get_or_init(read).as_ref()
    }

    /// The context window that the marker tells, if it tells one.
    pub fn context_window(&self) -> Option<u64> {
        if !self.stored()?.mentions(CONTEXT_WINDOW) {
            return None;
        }
        self.brief()?.context_window.filter(|tokens| *tokens > 0)
    }

    /// The marker, if this session is at or past its soft time limit.
    pub fn past_soft_limit(&self, now: SystemTime) -> Option<&MarkerBrief> {
        let ahead = |seconds| unix_time::from_seconds(seconds).is_some_and(|at| now < at);
        if self.soft_limit_at_a_glance().is_some_and(ahead) {
            return None;
        }
        if !self.stored()?.mentions(SOFT_LIMIT_AT) {
            return None;
        }
        self.brief().filter(|brief| brief.soft_limit_at().is_some_and(|at| at <= now))
    }

    /// Where the glance ends within the number this is less than it, never more: a limit that seems
    /// to lie ahead does.
    fn soft_limit_at_a_glance(&self) -> Option<u64> {
        let (file, _) = open_regular(&self.layout.marker()).ok()?;
        let mut start = Vec::new();
        file.take(GLANCE).read_to_end(&mut start).ok()?;
        let field = memmem::find(&start, SOFT_LIMIT_AT.as_bytes())?;
        let behind = &start[field + SOFT_LIMIT_AT.len()..];
        let value = behind.trim_ascii_start().strip_prefix(b":")?;
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
    fn times_that_make_no_sense_are_no_times() {
        for nonsense in ["null", "\"5\"", "-5", "5.5", "1e3", "[5]", "{}", "true", &"9".repeat(30)]
        {
            let fields = format!("\"softLimitAt\":{nonsense},\"contextWindow\":7");
            assert!(!is_past(&fields), "{nonsense}");
            let marker = format!(r#"{{"sessionId":"mine",{fields}}}"#);
            assert_eq!(
                in_project(&marker, |marker| marker.context_window()),
                Some(7),
                "{nonsense}"
            );
        }
        assert!(!is_past(&format!("\"softLimitAt\":{}", u64::MAX)));
    }

    #[test]
    fn a_glance_at_the_wrong_place_decides_nothing() {
        let decoy = r#""dirtyBefore":["softLimitAt"],"protectedFiles":{"softLimitAt":null}"#;
        assert!(is_past(&format!("{decoy},\"softLimitAt\":5")));
        assert!(!is_past(decoy));
    }

    #[test]
    fn a_limit_at_the_edge_of_a_glance_or_beyond_it_is_found() {
        let name = |length| format!("\"storyId\":\"{}\"", "x".repeat(length));
        // The number begins within the glance and ends behind it, or is out of sight.
        for length in [4_000, 4_038, 4_040, 4_045, 4_049, 5_000] {
            for (at, past) in [(NOW, true), (NOW + 1, false)] {
                let fields = format!("{},\"softLimitAt\":{at}", name(length));
                assert_eq!(is_past(&fields), past, "{length}: {at}");
            }
        }
    }

    #[test]
    fn a_glance_is_enough_for_what_the_runner_writes() {
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
        assert_eq!(own.soft_limit_at_a_glance(), Some(NOW));
        assert!(own.past_soft_limit(unix_time::from_seconds(NOW - 1).unwrap()).is_none());
        assert!(own.stored.get().is_none(), "not read for that");
    }

    #[test]
    fn only_its_own_session_is_told() {
        let past = |marker: &str| {
            in_project(marker, |marker| marker.past_soft_limit(SystemTime::now()).is_some())
        };
        assert!(past(r#"{"sessionId":"mine","softLimitAt":5}"#));
        assert!(!past(r#"{"sessionId":"other","softLimitAt":5}"#));
        assert!(!past(r#"{"softLimitAt":5}"#));
        assert!(!past(r#"{"softLimitAt":5"#));
    }

    #[test]
    fn a_brief_tells_when_and_what_for() {
        let marker = r#"{"sessionId":"mine","hardLimitAt":9,"iterationMode":"review"}"#;
        in_project(marker, |marker| {
            let brief = marker.brief().unwrap();
            assert_eq!(brief.hard_limit_at(), unix_time::from_seconds(9));
            assert_eq!(brief.iteration_mode(), Some(tasks::Mode::Review));
        });
        let odd = r#"{"sessionId":"mine","iterationMode":"sprint"}"#;
        in_project(odd, |marker| assert_eq!(marker.brief().unwrap().iteration_mode(), None));
    }
}
