//! An event as a line of JSON with time, run and its position in the log: a number, and the digest of the
//! previous line.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tasks::Sha256Digest;

use crate::LoopEvent;

/// The version of the format; written into every line.
pub const VERSION: u64 = 1;

#[derive(Debug, Clone, PartialEq)]
pub struct Stamped {
    pub at: DateTime<Utc>,
    pub run: String,
    /// The lane that it is about; `None` for the run as a whole, or if the run has no lanes.
    pub lane: Option<u64>,
    pub event: LoopEvent,
}

/// The position that a line states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainLink {
    /// Starts with 1.
    pub seq: u64,
    /// Digest of the previous line without its line end; the first line has none.
    pub prev: Option<Sha256Digest>,
}

/// The last line of a log, as the runner wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogHead {
    pub seq: u64,
    pub digest: Sha256Digest,
    /// Lines so far that do not continue the chain, because another program wrote to the log. Each was reported.
    #[serde(default)]
    pub breaks: u64,
}

impl ChainLink {
    /// `None` if the line states no position.
    pub fn of_line(line: &[u8]) -> Option<Self> {
        serde_json::from_slice::<Envelope>(line).ok()?.link()
    }

    /// The link of the next line; of the first line if `last` is `None`.
    pub fn after(last: Option<LogHead>) -> Self {
        let seq = last.map_or(0, |last| last.seq).saturating_add(1);
        Self { seq, prev: last.map(|last| last.digest) }
    }
}

#[derive(Serialize)]
struct EventLine<'a> {
    v: u64,
    at: String,
    run: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    lane: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev: Option<Sha256Digest>,
    #[serde(flatten)]
    event: &'a LoopEvent,
}

#[derive(Deserialize)]
struct Envelope {
    v: u64,
    at: DateTime<Utc>,
    run: String,
    lane: Option<u64>,
    seq: Option<u64>,
    prev: Option<Sha256Digest>,
}

#[derive(Debug, thiserror::Error)]
pub enum EventLineError {
    #[error("not an event: {0}")]
    NotAnEvent(#[from] serde_json::Error),
    #[error("written by a newer version (format {0})")]
    Newer(u64),
}

impl Stamped {
    /// About the run as a whole.
    pub fn now(run: &str, event: LoopEvent) -> Self {
        Self { at: crate::now(), run: run.to_owned(), lane: None, event }
    }

    /// Without line end and position.
    pub fn to_line(&self) -> String {
        self.line(None)
    }

    /// Without line end.
    pub fn to_linked_line(&self, link: ChainLink) -> String {
        self.line(Some(link))
    }

    fn line(&self, link: Option<ChainLink>) -> String {
        let line = EventLine {
            v: VERSION,
            at: self.at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
            run: &self.run,
            lane: self.lane,
            seq: link.map(|link| link.seq),
            prev: link.and_then(|link| link.prev),
            event: &self.event,
        };
        // Data with string keys always serializes.
        sanitize::json(serde_json::to_string(&line).unwrap_or_default())
    }

    pub fn from_line(line: &[u8]) -> Result<Self, EventLineError> {
        Self::from_linked_line(line).1
    }

    /// Parsed twice, so that the position is read even if the event is unknown.
    pub fn from_linked_line(line: &[u8]) -> (Option<ChainLink>, Result<Self, EventLineError>) {
        let envelope: Envelope = match serde_json::from_slice(line) {
            Ok(envelope) => envelope,
            Err(error) => return (None, Err(error.into())),
        };
        (envelope.link(), envelope.open(line))
    }
}

impl Envelope {
    fn link(&self) -> Option<ChainLink> {
        self.seq.map(|seq| ChainLink { seq, prev: self.prev })
    }

    fn open(self, line: &[u8]) -> Result<Stamped, EventLineError> {
        if self.v > VERSION {
            return Err(EventLineError::Newer(self.v));
        }
        let event = serde_json::from_slice(line)?;
        Ok(Stamped { at: self.at, run: self.run, lane: self.lane, event })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckOutcome;
    use tasks::{ReviewStatus, StoryId};

    fn at() -> DateTime<Utc> {
        "2026-11-15T01:02:03.004Z".parse().unwrap()
    }

    #[test]
    fn a_line_begins_with_version_time_run_and_type_and_is_parsed_back() {
        let event = LoopEvent::StoryStatusChanged {
            story: StoryId::new("US-1").unwrap(),
            from: ReviewStatus::NotSubmitted,
            to: ReviewStatus::NeedsReview,
            reviews: 0,
            feedback: String::new(),
            passes: false,
        };
        let stamped = Stamped { at: at(), run: "r1".into(), lane: Some(2), event };
        let line = stamped.to_line();
        assert_eq!(
            line,
            r#"{"v":1,"at":"2026-11-15T01:02:03.004Z","run":"r1","lane":2,"type":"story-status-changed","story":"US-1","from":null,"to":"needs_review","reviews":0,"feedback":"","passes":false}"#
        );
        assert_eq!(Stamped::from_line(line.as_bytes()).unwrap(), stamped);
    }

    #[test]
    fn a_position_is_parsed_even_if_the_event_is_unknown() {
        let warning = LoopEvent::Warning { text: "x".into() };
        let stamped = Stamped { at: at(), run: "r".into(), lane: None, event: warning };
        let first = ChainLink { seq: 1, prev: None };
        assert_eq!(
            stamped.to_linked_line(first),
            r#"{"v":1,"at":"2026-11-15T01:02:03.004Z","run":"r","seq":1,"type":"warning","text":"x"}"#
        );
        let second = ChainLink { seq: 2, prev: Some(Sha256Digest::of("abc")) };
        let line = stamped.to_linked_line(second);
        let (link, read) = Stamped::from_linked_line(line.as_bytes());
        assert_eq!((link, read.unwrap()), (Some(second), stamped));
        for (old, new) in [("warning", "dance"), (r#""v":1"#, r#""v":2"#)] {
            let (link, read) = Stamped::from_linked_line(line.replace(old, new).as_bytes());
            assert_eq!(link, Some(second));
            assert!(read.is_err(), "{new}");
        }
        let twice = line.replace(r#""seq":2"#, r#""seq":2,"seq":3"#);
        assert_eq!(Stamped::from_linked_line(twice.as_bytes()).0, None);
    }

    #[test]
    fn outcomes_with_and_without_a_code_survive() {
        for outcome in [
            CheckOutcome::Passed,
            CheckOutcome::Failed(Some(101)),
            CheckOutcome::Failed(None),
            CheckOutcome::TimedOut,
        ] {
            let text = serde_json::to_string(&outcome).unwrap();
            assert_eq!(serde_json::from_str::<CheckOutcome>(&text).unwrap(), outcome, "{text}");
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
