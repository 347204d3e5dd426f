//! Verifies that the runner wrote the lines of a log: each carries a number and the digest of
//! the previous line, and the state of the run names a line that must exist.
//!
//! Takes lines in order from a reader or a writer of a log. Not here: the log as a file.

use crate::{ChainLink, LogHead};
use serde::Serialize;
use tasks::Sha256Digest;

use crate::format::count;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    lines: u64,
    head: Option<LogHead>,
    /// Whether a line had a number: older versions wrote none.
    is_linked: bool,
    first_break: Option<Break>,
    /// The line that the state of the run names, until it is found.
    missing: Option<LogHead>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Break {
    line: u64,
    /// The number that it states; `None` for a line without position.
    seq: Option<u64>,
}

/// The result of verifying a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogCheck {
    pub state: LogState,
    pub events: u64,
    /// Digest of the last line.
    pub digest: Option<Sha256Digest>,
    /// The first line that the runner did not write.
    pub line: Option<u64>,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogState {
    Intact,
    /// No line has a number.
    NotChained,
    Altered,
}

impl Chain {
    /// For a log that must contain this line.
    pub fn holding(saved: Option<LogHead>) -> Self {
        Self { missing: saved, ..Self::default() }
    }

    /// The next line, without its line end.
    pub fn push(&mut self, line: &[u8], link: Option<ChainLink>) {
        self.lines += 1;
        let expected = ChainLink::after(self.head);
        let follows = link.map_or(!self.is_linked, |link| link == expected);
        let mut breaks = self.breaks();
        if !follows {
            breaks += 1;
            let seq = link.map(|link| link.seq);
            self.first_break.get_or_insert(Break { line: self.lines, seq });
        }
        self.is_linked |= link.is_some();
        let digest = Sha256Digest::of(line);
        self.head = Some(LogHead { seq: link.unwrap_or(expected).seq, digest, breaks });
        self.missing.take_if(|saved| saved.digest == digest);
    }

    pub fn head(&self) -> Option<LogHead> {
        self.head
    }

    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Lines that do not continue the chain.
    pub fn breaks(&self) -> u64 {
        self.head.map_or(0, |head| head.breaks)
    }

    /// Whether the required line is missing.
    pub fn misses_saved(&self) -> bool {
        self.missing.is_some()
    }

    /// After all lines were pushed.
    pub fn check(&self) -> LogCheck {
        let (state, line, text) = match (self.first_break, self.missing, self.is_linked) {
            (Some(first), ..) => (LogState::Altered, Some(first.line), first.text()),
            (None, Some(saved), _) => {
                let text = match self.head {
                    Some(head) if head.seq >= saved.seq => {
                        format!("the runner did not write event {}", saved.seq)
                    }
                    _ => format!("it ends at line {}, before event {}", self.lines, saved.seq),
                };
                (LogState::Altered, Some(self.lines.min(saved.seq.saturating_sub(1)) + 1), text)
            }
            (None, _, false) if self.lines > 0 => {
                let text = "the event log is not chained: an older version wrote it";
                (LogState::NotChained, None, text.to_owned())
            }
            (None, ..) => (LogState::Intact, None, "the event log is intact".to_owned()),
        };
        let text = match state {
            LogState::Altered => format!("the event log was altered: {text}"),
            LogState::Intact | LogState::NotChained => text,
        };
        let digest = self.head.map(|head| head.digest);
        LogCheck { state, events: self.lines, digest, line, text }
    }
}

impl Break {
    fn text(self) -> String {
        let Self { line, seq } = self;
        match seq {
            None => format!("line {line} has no sequence number"),
            Some(seq) if line == 1 => format!("it begins with event {seq}"),
            Some(seq) => format!("line {line} (event {seq}) does not follow line {}", line - 1),
        }
    }
}

impl LogCheck {
    /// For comparison: `57 events, sha256 9f86…`.
    pub fn figures(&self) -> String {
        let events = count(self.events, "event", "events");
        match (self.state, self.digest) {
            (LogState::NotChained, _) => format!("{events}, not chained"),
            (_, None) => events,
            (_, Some(digest)) => format!("{events}, sha256 {digest}"),
        }
    }

    /// The message about an altered log.
    pub fn altered(&self) -> Option<&str> {
        (self.state == LogState::Altered).then_some(self.text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_logs;
    use crate::samples::{a_run, log};

    fn check(text: &str, saved: Option<LogHead>) -> LogCheck {
        run_logs::chain(text.as_bytes(), saved).unwrap().0.check()
    }

    fn head(text: &str) -> Option<LogHead> {
        run_logs::chain(text.as_bytes(), None).unwrap().0.head()
    }

    fn lines() -> Vec<String> {
        log(&a_run()).lines().map(|line| format!("{line}\n")).collect()
    }

    /// Altered so that this line is the first wrong one.
    #[track_caller]
    fn assert_altered(text: &str, saved: Option<LogHead>, line: usize, how: &str) {
        let check = check(text, saved);
        assert_eq!((check.state, check.line), (LogState::Altered, Some(line as u64)), "{check:?}");
        assert_eq!(check.text, format!("the event log was altered: {how}"));
    }

    #[test]
    fn an_unchanged_log_is_intact_and_shows_its_last_digest() {
        let (text, lines) = (lines().concat(), lines());
        let digest = Sha256Digest::of(lines.last().unwrap().trim_end());
        let found = check(&text, head(&text));
        assert_eq!((found.state, found.events), (LogState::Intact, lines.len() as u64));
        assert_eq!(found.figures(), format!("{} events, sha256 {digest}", lines.len()));
        assert_eq!(check("", None).figures(), "0 events");
        // A runner that was killed while writing a line.
        assert_eq!(check(&text[..text.len() - 2], None).state, LogState::Intact);
    }

    #[test]
    fn missing_changed_and_moved_lines_are_found() {
        for at in 1..lines().len() - 1 {
            let (number, mut cut) = (at + 1, lines());
            cut.remove(at);
            let how = format!("line {number} (event {}) does not follow line {at}", number + 1);
            assert_altered(&cut.concat(), None, number, &how);
            let mut changed = lines();
            changed[at] = changed[at].replace("2026-11-15", "2026-11-16");
            let how = format!("line {} (event {0}) does not follow line {number}", number + 1);
            assert_altered(&changed.concat(), None, number + 1, &how);
            let mut moved = lines();
            moved.swap(at, at + 1);
            assert_eq!(check(&moved.concat(), None).line, Some(number as u64));
        }
        assert_altered(&lines()[3..].concat(), None, 1, "it begins with event 4");
    }

    #[test]
    fn a_line_without_number_after_a_numbered_one_is_an_alteration() {
        for forged in [a_run()[0].to_line() + "\n", "{}\n".into(), "\n".into(), "x\n".into()] {
            let mut lines = lines();
            lines.insert(4, forged);
            assert_altered(&lines.concat(), None, 5, "line 5 has no sequence number");
        }
    }

    #[test]
    fn a_log_without_numbers_is_not_chained_and_a_continued_one_is() {
        let old: String = a_run().iter().take(5).map(|event| event.to_line() + "\n").collect();
        let found = check(&old, None);
        assert_eq!((found.state, found.line), (LogState::NotChained, None));
        assert_eq!(found.text, "the event log is not chained: an older version wrote it");
        assert_eq!(found.figures(), "5 events, not chained");
        let next = a_run()[5].to_linked_line(ChainLink::after(head(&old))) + "\n";
        assert_eq!(check(&(old.clone() + &next), None).state, LogState::Intact);
        let changed = old.replacen("2026-11-15", "2026-11-16", 5) + &next;
        assert_altered(&changed, None, 6, "line 6 (event 6) does not follow line 5");
    }

    #[test]
    fn the_line_that_the_state_names_must_exist() {
        let lines = lines();
        let saved = head(&lines[..7].concat());
        assert_eq!(check(&lines[..7].concat(), saved).state, LogState::Intact);
        let how = "it ends at line 6, before event 7";
        assert_altered(&lines[..6].concat(), saved, 7, how);
        assert_altered("", saved, 1, "it ends at line 0, before event 7");
        // Recomputed numbers and digests do not help.
        let anew = log(&a_run()[1..]);
        assert_altered(&anew, saved, 7, "the runner did not write event 7");
        let old: String = a_run().iter().map(|event| event.to_line() + "\n").collect();
        assert_altered(&old, saved, 7, "the runner did not write event 7");
    }
}
