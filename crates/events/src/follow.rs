//! Follows a run's log while it is written: each poll returns the new events.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use crate::Stamped;
use project::Layout;

use crate::chain::{Chain, LogCheck};
use crate::run_logs::{self, UnparsedLines};

#[derive(Debug)]
pub struct Follow {
    layout: Layout,
    id: String,
    log: BufReader<File>,
    /// Everything up to this offset was returned.
    at: u64,
    unread: UnparsedLines,
    chain: Chain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUpdate {
    Nothing,
    /// Events were returned.
    Some,
    /// The log was replaced: everything folded so far is invalid, and no event was returned.
    Replaced,
}

impl Follow {
    /// `None` if the run has no events yet.
    pub fn open(layout: &Layout, id: &str) -> io::Result<Option<Self>> {
        // Before the log, which may grow meanwhile: a line is written before a state names it.
        let chain = Chain::holding(crate::saved_log_head(layout, id));
        let log = run_logs::open(layout, id)?;
        let (layout, id) = (layout.clone(), id.to_owned());
        Ok(log.map(|log| Self { layout, id, log, at: 0, unread: UnparsedLines::default(), chain }))
    }

    /// Passes every new complete line to `apply`.
    pub fn poll(&mut self, apply: impl FnMut(Stamped)) -> io::Result<FollowUpdate> {
        self.poll_until(run_logs::all(apply))
    }

    /// The same, until `apply` breaks; the next poll continues there.
    pub fn poll_until(
        &mut self,
        apply: impl FnMut(Stamped) -> ControlFlow<()>,
    ) -> io::Result<FollowUpdate> {
        let now = self.log.get_ref().metadata()?;
        let length = now.len();
        let replaced = self.replaced(&now)?;
        if replaced.is_some() || length < self.at {
            if let Some(log) = replaced {
                self.log = log;
            }
            self.rewind();
            return Ok(FollowUpdate::Replaced);
        }
        if length == self.at {
            return Ok(FollowUpdate::Nothing);
        }
        self.log.seek(SeekFrom::Start(self.at))?;
        let Self { log, chain, .. } = self;
        let log = log.take(run_logs::LONGEST_LOG.saturating_sub(self.at));
        let push = |line: &[u8], link| chain.push(line, link);
        let (unread, bytes) = run_logs::read_whole_lines(log, push, apply)?;
        self.at += bytes;
        self.unread.lines += unread.lines;
        self.unread.newer += unread.newer;
        Ok(if bytes == 0 { FollowUpdate::Nothing } else { FollowUpdate::Some })
    }

    /// The file that replaced the open one.
    #[cfg(unix)]
    fn replaced(&self, read: &Metadata) -> io::Result<Option<BufReader<File>>> {
        use std::os::unix::fs::MetadataExt;
        let same = |other: &Metadata| (other.dev(), other.ino()) == (read.dev(), read.ino());
        let path = self.layout.run_dir(&self.id).join("events.jsonl");
        // A deleted log can still be read to its end.
        let Ok(there) = path.metadata() else { return Ok(None) };
        if same(&there) { Ok(None) } else { run_logs::open(&self.layout, &self.id) }
    }

    /// An open file cannot be replaced on this system.
    #[cfg(not(unix))]
    fn replaced(&self, _: &Metadata) -> io::Result<Option<BufReader<File>>> {
        Ok(None)
    }

    /// Bytes read so far, and bytes in the log.
    pub fn progress(&self) -> io::Result<(u64, u64)> {
        Ok((self.at, self.log.get_ref().metadata()?.len()))
    }

    /// The next poll starts at the beginning.
    pub fn rewind(&mut self) {
        (self.at, self.unread) = (0, UnparsedLines::default());
        self.chain = Chain::holding(crate::saved_log_head(&self.layout, &self.id));
    }

    /// Whether the runner wrote the lines; meaningful after the whole log was read.
    pub fn check(&self) -> LogCheck {
        self.chain.check()
    }

    /// Lines so far that this program cannot parse.
    pub fn unread(&self) -> UnparsedLines {
        self.unread
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::samples;

    #[test]
    fn each_poll_returns_new_lines_and_leaves_incomplete_ones() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert!(Follow::open(&layout, samples::RUN).unwrap().is_none());
        std::fs::create_dir_all(layout.run_dir(samples::RUN)).unwrap();
        let path = layout.run_dir(samples::RUN).join("events.jsonl");
        let mut file = File::create(&path).unwrap();
        let mut follow = Follow::open(&layout, samples::RUN).unwrap().unwrap();
        let mut given = Vec::new();
        assert_eq!(follow.poll(|stamped| given.push(stamped)).unwrap(), FollowUpdate::Nothing);

        let events = samples::a_run();
        let text: String = events.iter().map(|stamped| stamped.to_line() + "\n").collect();
        for part in text.as_bytes().chunks(700) {
            file.write_all(part).unwrap();
            follow.poll(|stamped| given.push(stamped)).unwrap();
        }
        assert_eq!((given.len(), given), (events.len(), events));
        file.write_all(b"{}\n").unwrap();
        assert_eq!(follow.poll(|_| unreachable!()).unwrap(), FollowUpdate::Some);
        assert_eq!(follow.unread().lines, 1);
    }

    #[test]
    fn reading_continues_where_it_stopped_or_from_the_beginning() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.run_dir(samples::RUN)).unwrap();
        let events = samples::a_run();
        let text: String = events.iter().map(|stamped| stamped.to_line() + "\n").collect();
        std::fs::write(layout.run_dir(samples::RUN).join("events.jsonl"), &text).unwrap();
        let mut follow = Follow::open(&layout, samples::RUN).unwrap().unwrap();
        let mut given = Vec::new();
        while follow.progress().unwrap().0 < text.len() as u64 {
            let before = given.len();
            follow
                .poll_until(|stamped| {
                    given.push(stamped);
                    match given.len() - before {
                        2 => ControlFlow::Break(()),
                        _ => ControlFlow::Continue(()),
                    }
                })
                .unwrap();
            assert!(given.len() - before <= 2);
        }
        assert_eq!(given, events);
        follow.rewind();
        let mut again = 0;
        follow.poll(|_| again += 1).unwrap();
        assert_eq!(again, events.len());
    }

    #[test]
    fn an_alteration_is_detected_while_following() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.run_dir(samples::RUN)).unwrap();
        let path = layout.run_dir(samples::RUN).join("events.jsonl");
        let text = samples::log(&samples::a_run());
        let (first, rest) = text.split_at(text.len() / 2);
        std::fs::write(&path, first).unwrap();
        let mut follow = Follow::open(&layout, samples::RUN).unwrap().unwrap();
        follow.poll(|_| {}).unwrap();
        assert_eq!(follow.check().altered(), None);
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(rest.as_bytes()).unwrap();
        follow.poll(|_| {}).unwrap();
        assert_eq!(follow.check(), run_logs::chain(text.as_bytes(), None).unwrap().0.check());
        assert_eq!(follow.check().altered(), None);
        // A state that names a missing line.
        let digest = tasks::Sha256Digest::of("x");
        let state =
            format!(r#"{{"runId":"{}","log":{{"seq":999,"digest":"{digest}"}}}}"#, samples::RUN);
        std::fs::write(layout.prompt_state(), state).unwrap();
        file.set_len(first.len() as u64).unwrap();
        assert_eq!(follow.poll(|_| unreachable!()).unwrap(), FollowUpdate::Replaced);
        follow.poll(|_| {}).unwrap();
        let text = follow.check().text;
        assert!(text.ends_with(", before event 999"), "{text}");
        file.write_all(b"\n{}\n").unwrap();
        follow.poll(|_| {}).unwrap();
        assert!(follow.check().text.ends_with(" has no sequence number"), "{:?}", follow.check());
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_log_is_read_again() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.run_dir(samples::RUN)).unwrap();
        let path = layout.run_dir(samples::RUN).join("events.jsonl");
        let line = samples::a_run()[0].to_line() + "\n";
        std::fs::write(&path, &line).unwrap();
        let mut follow = Follow::open(&layout, samples::RUN).unwrap().unwrap();
        assert_eq!(follow.poll(|_| {}).unwrap(), FollowUpdate::Some);
        let other = dir.path().join("other");
        std::fs::write(&other, line.repeat(3)).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(follow.poll(|_| unreachable!()).unwrap(), FollowUpdate::Replaced);
        let mut given = 0;
        assert_eq!(follow.poll(|_| given += 1).unwrap(), FollowUpdate::Some);
        assert_eq!(given, 3);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(follow.poll(|_| unreachable!()).unwrap(), FollowUpdate::Nothing);
    }

    #[test]
    fn a_truncated_log_is_read_again() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.run_dir(samples::RUN)).unwrap();
        let path = layout.run_dir(samples::RUN).join("events.jsonl");
        let line = samples::a_run()[0].to_line() + "\n";
        std::fs::write(&path, line.repeat(3)).unwrap();
        let mut follow = Follow::open(&layout, samples::RUN).unwrap().unwrap();
        assert_eq!(follow.poll(|_| {}).unwrap(), FollowUpdate::Some);
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(line.len() as u64).unwrap();
        assert_eq!(follow.poll(|_| unreachable!()).unwrap(), FollowUpdate::Replaced);
        let mut given = 0;
        assert_eq!(follow.poll(|_| given += 1).unwrap(), FollowUpdate::Some);
        assert_eq!(given, 1);
    }
}
