//! The ids of the spans that a run is exported as, in the form of the W3C header `traceparent`.
//!
//! Each id is a digest of the name of what it stands for. So the engine can pass the span of a session to its agent
//! before the session starts, the exporter finds the others in the events, and a resumed run continues its trace.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tasks::{Sha256Digest, StoryId};

const TRACE_DIGITS: usize = 32;
const SPAN_DIGITS: usize = 16;

/// A span and its trace: `00-<trace>-<span>-01`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Traceparent {
    trace: String,
    span: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a traceparent")]
pub struct NoTraceparent;

impl Traceparent {
    /// The span of a run: below `outer`, if something else started the run that is traced too.
    pub fn of_run(run: &str, outer: Option<&Self>) -> Self {
        let own = || digest(&format!("trace {run}"), TRACE_DIGITS);
        let trace = outer.map_or_else(own, |outer| outer.trace.clone());
        Self { trace, span: digest(&format!("run {run}"), SPAN_DIGITS) }
    }

    /// For the span of a run.
    pub fn story(&self, id: &StoryId) -> Self {
        self.below(&format!("story {id}"))
    }

    /// For the span of a run; `session` is the id in the event.
    pub fn iteration(&self, session: &str) -> Self {
        self.below(&format!("iteration {session}"))
    }

    /// For the span of a run.
    pub fn session(&self, session: &str) -> Self {
        self.below(&format!("session {session}"))
    }

    /// In hexadecimal digits.
    pub fn trace(&self) -> &str {
        &self.trace
    }

    /// In hexadecimal digits.
    pub fn span(&self) -> &str {
        &self.span
    }

    fn below(&self, name: &str) -> Self {
        let span = digest(&format!("{} {name}", self.span), SPAN_DIGITS);
        Self { trace: self.trace.clone(), span }
    }
}

fn digest(name: &str, digits: usize) -> String {
    Sha256Digest::of(name).to_string().chars().take(digits).collect()
}

impl fmt::Display for Traceparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-01", self.trace, self.span)
    }
}

impl FromStr for Traceparent {
    type Err = NoTraceparent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_id = |text: &str, digits: usize| {
            let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            text.len() == digits && text.bytes().all(is_digit) && text.bytes().any(|b| b != b'0')
        };
        match text.split('-').collect::<Vec<_>>()[..] {
            ["00", trace, span, _] if is_id(trace, TRACE_DIGITS) && is_id(span, SPAN_DIGITS) => {
                Ok(Self { trace: trace.to_owned(), span: span.to_owned() })
            }
            _ => Err(NoTraceparent),
        }
    }
}

impl TryFrom<String> for Traceparent {
    type Error = NoTraceparent;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Traceparent> for String {
    fn from(traceparent: Traceparent) -> Self {
        traceparent.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn ids_depend_on_names_alone() {
        let run = Traceparent::of_run("20261115-010000-ab12", None);
        assert_eq!(run, Traceparent::of_run("20261115-010000-ab12", None));
        let story = run.story(&StoryId::new("US-001").unwrap());
        let all = [
            run.clone(),
            story,
            run.iteration("s1"),
            run.session("s1"),
            run.session("s2"),
            Traceparent::of_run("20261115-010000-ab13", None),
        ];
        for (at, one) in all.iter().enumerate() {
            assert_eq!(one.to_string().parse(), Ok(one.clone()));
            assert!(all[..at].iter().all(|other| other.span != one.span), "{all:?}");
            assert_eq!(one.trace == run.trace, at < 5, "{all:?}");
        }
    }

    #[test]
    fn a_run_that_a_traced_program_starts_joins_its_trace() {
        let outer: Traceparent = OUTER.parse().unwrap();
        let run = Traceparent::of_run("r", Some(&outer));
        assert_eq!(run.trace, outer.trace);
        assert_ne!(run.span, outer.span);
        assert_eq!(run.span, Traceparent::of_run("r", None).span);
    }

    #[test]
    fn what_is_no_traceparent_is_refused() {
        for text in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033311-01",
        ] {
            assert_eq!(text.parse::<Traceparent>(), Err(NoTraceparent), "{text}");
        }
    }
}
