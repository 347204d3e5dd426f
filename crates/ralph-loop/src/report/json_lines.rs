//! Events as they are, one line each: `--output json` and `events.jsonl`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use engine::Stamped;

use super::Reporter;

#[derive(Debug)]
pub struct JsonLines<W> {
    name: &'static str,
    out: W,
}

impl<W: Write> JsonLines<W> {
    pub fn new(name: &'static str, out: W) -> Self {
        Self { name, out }
    }
}

impl JsonLines<File> {
    /// Goes on with the file at `path`, or starts it.
    pub fn append(path: &Path) -> io::Result<Self> {
        Ok(Self::new("events.jsonl", open_to_append(path)?))
    }
}

impl<W: Write> Reporter for JsonLines<W> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        // One write a line, so that a reader rarely sees half of one.
        let mut line = stamped.to_line();
        line.push('\n');
        self.out.write_all(line.as_bytes())?;
        self.out.flush()
    }
}

/// A writer that was killed may have left half a line; what comes next starts on its own.
pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_events;

    #[test]
    fn every_line_is_read_back_as_the_event_it_was() {
        let mut out = Vec::new();
        let mut reporter = JsonLines::new("output", &mut out);
        let events = [
            test_events::a_run(),
            test_events::a_run_with_failures(),
            test_events::a_run_with_memory(),
        ]
        .concat();
        for stamped in &events {
            reporter.event(stamped).unwrap();
        }
        let read: Vec<Stamped> = out
            .split_inclusive(|&b| b == b'\n')
            .map(|line| Stamped::from_line(line).unwrap())
            .collect();
        assert_eq!(read, events);
    }

    const DOCS: &str = include_str!("../../../../docs/events.md");

    fn all_events() -> Vec<serde_json::Value> {
        let runs = [
            test_events::a_run(),
            test_events::a_run_with_failures(),
            test_events::a_run_with_memory(),
        ]
        .concat();
        let lines = runs.iter().map(|stamped| stamped.to_line());
        lines.map(|line| serde_json::from_str(&line).unwrap()).collect()
    }

    #[test]
    fn each_event_is_documented_with_its_fields() {
        let rows: Vec<&str> = DOCS.lines().filter(|line| line.starts_with("| `")).collect();
        for event in all_events() {
            let name = format!("`{}`", event["type"].as_str().unwrap());
            let row = rows.iter().find(|row| row.split(" | ").next().unwrap().contains(&name));
            let row = row.unwrap_or_else(|| panic!("{name} is not documented"));
            let fields = event.as_object().unwrap().keys();
            for field in fields.filter(|key| !["v", "at", "run", "type"].contains(&key.as_str())) {
                assert!(row.contains(&format!("`{field}`")), "{field}: {row}");
            }
        }
    }

    #[test]
    fn every_word_that_a_field_of_these_events_may_have_is_documented() {
        use engine::{CompactionOutcome, CompactionReason, HandoffClaim, HandoffSource, Timed};
        fn words<T: serde::Serialize>(values: &[T]) -> Vec<String> {
            values.iter().map(|value| serde_json::to_string(value).unwrap()).collect()
        }
        let timed = [
            Timed::Run,
            Timed::Implement,
            Timed::Review,
            Timed::Check,
            Timed::Quality,
            Timed::Memory,
        ];
        let handoff = [HandoffSource::Agent, HandoffSource::Mended, HandoffSource::Runner];
        let reasons = [CompactionReason::Docs, CompactionReason::Bytes, CompactionReason::Interval];
        let outcomes =
            [CompactionOutcome::Compacted, CompactionOutcome::Failed, CompactionOutcome::Stopped];
        for (event, words) in [
            ("time-warning", words(&timed)),
            ("handoff-kept", words(&handoff)),
            ("handoff-kept", words(&[HandoffClaim::Complete, HandoffClaim::Partial])),
            ("compaction-started", words(&reasons)),
            ("compaction-ended", words(&outcomes)),
        ] {
            let row = DOCS.lines().find(|line| line.starts_with("| `") && line.contains(event));
            for word in words {
                let word = format!("`{}`", word.trim_matches('"'));
                assert!(row.is_some_and(|row| row.contains(&word)), "{event}: {word}");
            }
        }
    }

    #[test]
    fn the_record_of_a_story_that_was_given_up_is_documented_and_no_field_that_is_not_in_it() {
        let (_, record) = DOCS.split_once("| field of `setAside` | says |").unwrap();
        let (record, _) = record.split_once("\n\n").unwrap();
        let documented = record.lines().filter_map(|row| row.strip_prefix("| ")?.split_once(" | "));
        let mut documented: Vec<&str> = documented
            .flat_map(|(names, _)| names.split(' ').map(|name| name.trim_matches('`')))
            .collect();
        documented.sort_unstable();
        let events = all_events();
        let event = events.iter().find(|event| event["type"] == "story-set-aside").unwrap();
        let mut fields: Vec<&String> = event["setAside"].as_object().unwrap().keys().collect();
        fields.sort_unstable();
        assert_eq!(documented, fields);
    }

    #[test]
    fn half_a_line_of_a_killed_writer_does_not_spoil_the_next() {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("events.jsonl");
        let event = &test_events::a_run()[0];
        JsonLines::append(&path).unwrap().event(event).unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"v\":1,\"at\"");
        std::fs::write(&path, &text).unwrap();
        JsonLines::append(&path).unwrap().event(event).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], lines[2]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_and_not_a_panic() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let error = JsonLines::new("events.jsonl", full).event(&test_events::a_run()[0]);
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
