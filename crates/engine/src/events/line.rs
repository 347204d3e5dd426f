//! An event as a line of JSON, with time and run.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::LoopEvent;

/// The version of the format, in every line.
pub const VERSION: u64 = 1;

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq)]
pub struct Stamped {
    pub at: DateTime<Utc>,
    pub run: String,
    pub event: LoopEvent,
}

#[derive(Serialize)]
struct Line<'a> {
    v: u64,
    at: String,
    run: &'a str,
    #[serde(flatten)]
    event: &'a LoopEvent,
}

#[derive(Deserialize)]
struct Envelope {
    v: u64,
    at: DateTime<Utc>,
    run: String,
}

#[derive(Debug, thiserror::Error)]
pub enum EventLineError {
    #[error("not an event: {0}")]
    NotAnEvent(#[from] serde_json::Error),
    #[error("written by a newer version (format {0})")]
    Newer(u64),
}

impl Stamped {
    pub fn now(run: &str, event: LoopEvent) -> Self {
        Self { at: Utc::now(), run: run.to_owned(), event }
    }

    /// The line without its end.
    pub fn to_line(&self) -> String {
        let at = self.at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        let line = Line { v: VERSION, at, run: &self.run, event: &self.event };
        // Plain data with string keys always becomes JSON.
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// Read twice rather than flattened: the envelope is understood even if the event is new.
    pub fn from_line(line: &[u8]) -> Result<Self, EventLineError> {
        let Envelope { v, at, run } = serde_json::from_slice(line)?;
        if v > VERSION {
            return Err(EventLineError::Newer(v));
        }
        Ok(Self { at, run, event: serde_json::from_slice(line)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GateOutcome;
    use tasks::{ReviewStatus, StoryId};

    fn at() -> DateTime<Utc> {
        "2026-11-15T01:02:03.004Z".parse().unwrap()
    }

    #[test]
    fn a_line_says_version_time_run_and_type_first_and_survives_the_way_back() {
        let event = LoopEvent::StoryMoved {
            story: StoryId::new("US-1").unwrap(),
            from: ReviewStatus::NotSubmitted,
            to: ReviewStatus::NeedsReview,
            reviews: 0,
            feedback: String::new(),
            passes: false,
        };
        let stamped = Stamped { at: at(), run: "r1".into(), event };
        let line = stamped.to_line();
        assert_eq!(
            line,
            r#"{"v":1,"at":"2026-11-15T01:02:03.004Z","run":"r1","type":"story-moved","story":"US-1","from":null,"to":"needs_review","reviews":0,"feedback":"","passes":false}"#
        );
        assert_eq!(Stamped::from_line(line.as_bytes()).unwrap(), stamped);
    }

    #[test]
    fn outcomes_with_and_without_a_code_survive() {
        for outcome in [
            GateOutcome::Passed,
            GateOutcome::Failed(Some(101)),
            GateOutcome::Failed(None),
            GateOutcome::TimedOut,
        ] {
            let text = serde_json::to_string(&outcome).unwrap();
            assert_eq!(serde_json::from_str::<GateOutcome>(&text).unwrap(), outcome, "{text}");
        }
    }

    #[test]
    fn unknown_fields_are_ignored_and_newer_versions_are_not() {
        let known = br#"{"v":1,"at":"2026-11-15T01:02:03.004Z","run":"r","type":"warning","text":"x","more":1}"#;
        assert!(Stamped::from_line(known).is_ok());
        let newer =
            br#"{"v":2,"at":"2026-11-15T01:02:03.004Z","run":"r","type":"warning","text":"x"}"#;
        assert!(matches!(Stamped::from_line(newer), Err(EventLineError::Newer(2))));
        assert!(Stamped::from_line(br#"{"v":1,"at":"2026"#).is_err());
    }
}
