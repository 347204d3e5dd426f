//! A log that only the runner writes to, and every way in which another program changes it.

mod docs;

use std::fs;

use assert_fs::TempDir;
use events::LogState;

use super::*;
use crate::report::test_events::{self, a_run, stamped};

/// Whether the next event is the last one.
const BEFORE_MORE: bool = false;
const BEFORE_THE_LAST: bool = true;

struct Project {
    dir: TempDir,
}

/// A change by another program.
type Act<'a> = &'a dyn Fn(&Project);

impl Project {
    fn new() -> Self {
        Self { dir: TempDir::new().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("run/events.jsonl")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    /// Repeats until the timestamp changes: file timestamps are coarse.
    fn write(&self, text: &str) {
        let before = Stat::at(&self.path());
        loop {
            fs::write(self.path(), text).unwrap();
            if Stat::at(&self.path()) != before {
                return;
            }
        }
    }

    /// An open log with this many events.
    fn log(&self, events: usize) -> EventLog {
        let (mut log, altered) = EventLog::open(&self.path(), None).unwrap();
        assert_eq!(altered, None);
        a_run().iter().take(events).for_each(|event| add(&mut log, event).unwrap());
        log
    }

    /// The check of a reader without saved state.
    fn check(&self) -> LogCheck {
        run_logs::chain(self.text().as_bytes(), None).unwrap().0.check()
    }
}

fn add(log: &mut EventLog, event: &Stamped) -> io::Result<()> {
    log.append(event).1
}

/// Inspects and appends as the reporters do; returns line and text of each alteration found.
fn continue_log(log: &mut EventLog, events: usize, is_last: bool) -> Vec<(u64, String)> {
    let mut noticed = Vec::new();
    for event in a_run().iter().take(events) {
        if let Some(altered) = log.inspect(is_last).unwrap() {
            add(log, &stamped(1, altered.clone())).unwrap();
            let LoopEvent::LogAltered { line, text } = altered else { unreachable!() };
            noticed.push((line, text));
        }
        add(log, event).unwrap();
    }
    noticed
}

fn noticed(line: u64, how: &str) -> Vec<(u64, String)> {
    vec![(line, format!("the event log was altered: {how}"))]
}

#[test]
fn every_line_is_read_back_and_follows_the_one_before() {
    let project = Project::new();
    let (mut log, _) = EventLog::open(&project.path(), None).unwrap();
    let events =
        [a_run(), test_events::a_run_with_failures(), test_events::a_run_with_memory()].concat();
    let mut printed = String::new();
    for event in &events {
        let (line, written) = log.append(event);
        written.unwrap();
        printed += &line;
    }
    assert_eq!(project.text(), printed);
    let read: Vec<Stamped> =
        printed.lines().map(|line| Stamped::from_line(line.as_bytes()).unwrap()).collect();
    assert_eq!(read, events);
    assert_eq!(printed, test_events::log(&events));
    assert_eq!((log.check().state, log.check()), (LogState::Intact, project.check()));
}

#[test]
fn an_unaltered_log_is_continued() {
    let project = Project::new();
    let mut log = project.log(5);
    let saved = log.head;
    assert_eq!(continue_log(&mut log, 5, BEFORE_MORE), []);
    assert_eq!(continue_log(&mut log, 5, BEFORE_THE_LAST), []);
    for saved in [saved, log.head, None] {
        let (mut log, altered) = EventLog::open(&project.path(), saved).unwrap();
        assert_eq!(altered, None);
        assert_eq!(continue_log(&mut log, 2, BEFORE_MORE), []);
        assert_eq!(project.check().state, LogState::Intact);
    }
}

#[test]
fn a_log_of_an_older_version_is_continued() {
    let project = Project::new();
    fs::create_dir_all(project.path().parent().unwrap()).unwrap();
    let old: String = a_run().iter().take(3).map(|event| event.to_line() + "\n").collect();
    project.write(&old);
    let (mut log, altered) = EventLog::open(&project.path(), None).unwrap();
    assert_eq!(altered, None);
    add(&mut log, &a_run()[3]).unwrap();
    assert!(project.text().lines().nth(3).unwrap().contains(r#""seq":4,"prev":""#));
    assert_eq!(project.check().state, LogState::Intact);
    project.write(&without_line(&project.text(), 3));
    assert_eq!(project.check().state, LogState::Altered);
}

#[test]
fn lines_that_were_changed_cut_out_or_added_are_noticed_once() {
    let emptied = "it ends at line 0, before event 6";
    let altered: [(Act<'_>, u64, &str); 6] = [
        (
            &|p| p.write(&p.text().replacen("opus", "0pus", 1)),
            2,
            "line 2 (event 2) does not follow line 1",
        ),
        (&|p| p.write(&without_line(&p.text(), 3)), 3, "line 3 (event 4) does not follow line 2"),
        (&|p| p.write(&without_line(&p.text(), 6)), 6, "it ends at line 5, before event 6"),
        (&|p| p.write(""), 1, emptied),
        (&|p| p.write(&(p.text() + "{}\n")), 7, "line 7 has no sequence number"),
        (&|p| p.write(&(p.text() + "{\"v\"")), 7, "data was added after line 6"),
    ];
    for (alter, line, how) in altered {
        let project = Project::new();
        let mut log = project.log(6);
        alter(&project);
        // The longer it took to read the log, the later it is read again.
        std::thread::sleep(log.skips_until.saturating_duration_since(Instant::now()));
        assert_eq!(continue_log(&mut log, 3, BEFORE_MORE), noticed(line, how));
        assert_eq!(log.check(), project.check(), "{how}");
        assert_eq!(log.check().state, LogState::Altered, "{how}");
        let (_, again) = EventLog::open(&project.path(), log.head).unwrap();
        assert_eq!(again, None, "{how}: already reported");
    }
}

#[test]
fn lines_that_were_added_with_the_right_digest_are_noticed() {
    let project = Project::new();
    let mut log = project.log(6);
    project.write(&test_events::log(&a_run()[..8]));
    let added = noticed(7, "data was added after line 6");
    assert_eq!(continue_log(&mut log, 3, BEFORE_MORE), added);
    assert_eq!(project.check().line, Some(9), "where the runner's own line follows a foreign one");
}

#[test]
fn a_log_with_new_digests_throughout_is_noticed() {
    let project = Project::new();
    let mut log = project.log(6);
    project.write(&test_events::log(&a_run()[1..7]));
    let changed = noticed(6, "the runner did not write event 6");
    assert_eq!(continue_log(&mut log, 3, BEFORE_MORE), changed);
    assert_eq!(project.check().line, Some(7));
}

#[test]
fn a_log_that_is_altered_again_is_noticed_again() {
    let project = Project::new();
    let mut log = project.log(6);
    project.write("");
    continue_log(&mut log, 3, BEFORE_MORE);
    project.write(&without_line(&project.text(), 2));
    assert_eq!(continue_log(&mut log, 3, BEFORE_MORE), noticed(4, "again"));
}

/// Coarse timestamps may hide a change right after a write.
#[test]
fn a_change_that_leaves_the_file_looking_the_same_is_noticed_at_the_end() {
    let project = Project::new();
    let mut log = project.log(6);
    project.write(&project.text().replacen("opus", "0pus", 1));
    log.last_stat = Stat::at(&project.path());
    assert_eq!(continue_log(&mut log, 1, BEFORE_MORE), []);
    assert_eq!(continue_log(&mut log, 1, BEFORE_THE_LAST).len(), 1);
}

#[test]
fn a_file_that_was_only_touched_is_read_and_is_the_runners() {
    let project = Project::new();
    let mut log = project.log(6);
    let now = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let touch = || fs::File::options().append(true).open(project.path()).unwrap().set_modified(now);
    touch().unwrap();
    assert_eq!(continue_log(&mut log, 1, BEFORE_MORE), []);
    assert_eq!(log.last_stat, Stat::at(&project.path()));
    // Until then a touched file is not read again.
    log.skips_until = Instant::now() + std::time::Duration::from_secs(600);
    touch().unwrap();
    assert_eq!(log.inspect(BEFORE_MORE).unwrap(), None);
}

#[cfg(unix)]
#[test]
fn a_foreign_file_in_place_of_the_log_is_renamed_and_not_written_to() {
    use std::os::unix::fs::symlink;
    let users = |project: &Project| project.dir.path().join("users");
    let replaced: [Act<'_>; 4] = [
        &|p| fs::rename(p.path(), users(p)).and_then(|()| symlink(users(p), p.path())).unwrap(),
        &|p| {
            fs::remove_file(p.path()).unwrap();
            fs::create_dir_all(p.path().join("deep")).unwrap();
        },
        &|p| {
            fs::remove_file(p.path()).unwrap();
            fs::write(users(p), "precious").unwrap();
            fs::hard_link(users(p), p.path()).unwrap();
        },
        &|p| {
            fs::remove_file(p.path()).unwrap();
            pipe(&p.path());
        },
    ];
    let how = "another file was in its place and is now events.jsonl.replaced-1";
    for replace in replaced {
        let project = Project::new();
        let mut log = project.log(6);
        replace(&project);
        let before = fs::read(users(&project)).ok();
        assert_eq!(continue_log(&mut log, 3, BEFORE_MORE), noticed(1, how));
        assert_eq!(fs::read(users(&project)).ok(), before, "it is not the runner's");
        assert_eq!(project.check().text, "the event log was altered: it begins with event 7");
        assert!(
            project.path().with_file_name("events.jsonl.replaced-1").symlink_metadata().is_ok()
        );
    }
}

/// The file is sparse.
#[test]
fn a_huge_file_is_not_read() {
    let project = Project::new();
    let mut log = project.log(6);
    let saved = log.head;
    let grow = |length| {
        fs::File::options().write(true).open(project.path()).unwrap().set_len(length).unwrap();
    };
    grow(1 << 40);
    let how =
        |number| format!("another file was in its place and is now events.jsonl.replaced-{number}");
    assert_eq!(continue_log(&mut log, 3, BEFORE_MORE), noticed(1, &how(1)));
    grow(1 << 40);
    let (_, altered) = EventLog::open(&project.path(), saved).unwrap();
    let text = format!("the event log was altered: {}", how(2));
    assert_eq!(altered, Some(LoopEvent::LogAltered { line: 1, text }));
}

#[cfg(target_os = "linux")]
fn pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[cfg(all(unix, not(target_os = "linux")))]
fn pipe(path: &Path) {
    fs::create_dir(path).unwrap();
}

#[test]
fn a_missing_log_is_started_again() {
    for how in [&|p: &Project| fs::remove_file(p.path()).unwrap(), &|p: &Project| {
        fs::remove_dir_all(p.path().parent().unwrap()).unwrap();
    }] as [Act<'_>; 2]
    {
        let project = Project::new();
        let mut log = project.log(6);
        how(&project);
        assert_eq!(continue_log(&mut log, 3, BEFORE_MORE), noticed(1, "it was removed"));
        assert_eq!(project.check().line, Some(1));
    }
}

#[test]
fn a_resumed_run_checks_the_line_that_its_state_names() {
    let project = Project::new();
    let log = project.log(6);
    let saved = log.head;
    drop(log);
    let whole = project.text();
    for (text, line, how) in [
        (without_line(&whole, 6), 6, "it ends at line 5, before event 6"),
        (without_line(&whole, 2), 2, "line 2 (event 3) does not follow line 1"),
        (test_events::log(&a_run()[1..8]), 6, "the runner did not write event 6"),
    ] {
        project.write(&text);
        let (mut log, altered) = EventLog::open(&project.path(), saved).unwrap();
        let text = format!("the event log was altered: {how}");
        assert_eq!(altered, Some(LoopEvent::LogAltered { line, text }));
        add(&mut log, &a_run()[0]).unwrap();
        assert_eq!(log.check(), project.check());
        assert!(project.text().lines().last().unwrap().contains(r#""seq":7,"#), "{how}");
    }
}

#[test]
fn a_partial_line_of_a_killed_runner_is_removed() {
    let project = Project::new();
    let log = project.log(6);
    let (saved, whole) = (log.head, project.text());
    drop(log);
    project.write(&format!("{whole}{{\"v\":1,\"at\""));
    assert_eq!(project.check().state, LogState::Intact);
    let (mut log, altered) = EventLog::open(&project.path(), saved).unwrap();
    assert_eq!((altered, project.text()), (None, whole));
    assert_eq!(continue_log(&mut log, 1, BEFORE_MORE), []);
    assert_eq!(project.check().state, LogState::Intact);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_its_partial_line_is_removed() {
    let project = Project::new();
    let mut log = project.log(6);
    let (head, whole) = (log.head, project.text());
    log.file = File::options().write(true).open("/dev/full").unwrap();
    let error = add(&mut log, &a_run()[0]).unwrap_err();
    assert_eq!((error.kind(), log.head), (io::ErrorKind::StorageFull, head));
    project.write(&format!("{whole}{{\"v\":1,\"at\""));
    assert_eq!(continue_log(&mut log, 2, BEFORE_MORE), []);
    assert_eq!(project.check().state, LogState::Intact);
}

fn without_line(text: &str, number: usize) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    lines.filter(|(index, _)| index + 1 != number).map(|(_, line)| line).collect()
}
