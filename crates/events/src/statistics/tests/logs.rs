//! Logs as files: whole, damaged, forged and huge.

use std::fs;

use project::Layout;

use super::*;
use crate::LoopEvent;

const OTHER: &str = "20261116-010000-cd34";

struct Project {
    _dir: assert_fs::TempDir,
    layout: Layout,
}

impl Project {
    fn new() -> Self {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        Self { _dir: dir, layout }
    }

    fn with_log(self, id: &str, text: impl AsRef<[u8]>) -> Self {
        fs::create_dir_all(self.layout.run_dir(id)).unwrap();
        fs::write(self.layout.run_dir(id).join("events.jsonl"), text).unwrap();
        self
    }

    fn read(&self) -> Statistics {
        Statistics::of_project(&self.layout, &Period::default()).unwrap()
    }
}

fn whole() -> String {
    log(&timed(events()))
}

#[test]
fn without_runs_everything_is_zero() {
    let project = Project::new();
    assert_eq!(project.read(), Statistics::default());
    assert_eq!(Statistics::of_newest_runs(&project.layout), Statistics::default());
    assert!(project.read().logs.problems().is_empty());
}

#[test]
fn two_runs_add_up_and_the_newest_are_those_of_an_estimate() {
    let other = whole().replace(RUN, OTHER);
    let project = Project::new().with_log(RUN, whole()).with_log(OTHER, log(&[]) + &other);
    let both = project.read();
    let one = of_one(events());
    assert_eq!((both.runs, both.total.iterations), (2, 2 * one.total.iterations));
    assert_eq!((both.logs.found, both.logs.unread, both.logs.incomplete), (2, 0, 0));
    assert_eq!(Statistics::of_newest_runs(&project.layout).stories, both.stories);
}

#[test]
fn the_copy_of_a_log_does_not_count_again() {
    let project = Project::new().with_log(RUN, whole()).with_log(OTHER, whole());
    let read = project.read();
    assert_eq!((read.runs, read.total), (1, of_one(events()).total));
    assert_eq!(read.logs.problems(), ["1 of 2 logs could not be read"]);
}

#[test]
fn logs_that_cannot_be_read_are_counted() {
    let text = whole();
    let newer = text.replace("{\"v\":1,", "{\"v\":2,").replace(RUN, "20261115-010001-a");
    let project = Project::new()
        .with_log(RUN, &text)
        .with_log("20261115-010001-a", newer)
        .with_log("20261115-010002-a", "nonsense\n\u{0}\n")
        .with_log("20261115-010003-a", "")
        .with_log("20261115-010004-a", [0xff, 0xfe, b'\n', b'{']);
    fs::create_dir_all(project.layout.run_dir("20261115-010005-a").join("events.jsonl")).unwrap();
    let read = project.read();
    assert_eq!((read.logs.found, read.logs.unread, read.runs), (6, 5, 1));
    assert_eq!(read.total, of_one(events()).total);
}

#[test]
fn a_damaged_log_counts_as_far_as_it_can_be_read() {
    let text = whole();
    let lines: Vec<&str> = text.lines().collect();
    let cut_off = &text[..text.len() - 40];
    assert_eq!(Project::new().with_log(RUN, cut_off).read().total.iterations, 4);
    let torn: String = lines
        .iter()
        .map(|line| match line.contains("\"iteration-ended\",\"iteration\":1") {
            true => line[..60].to_owned() + "\n",
            false => format!("{line}\n"),
        })
        .collect();
    let read = Project::new().with_log(RUN, torn).read();
    assert_eq!((read.runs, read.total.iterations, read.logs.incomplete), (1, 4, 1));
    assert_eq!(read.logs.altered, 1);
    let problems = read.logs.problems().join("\n");
    assert!(problems.contains("1 of 1 log could not be read completely"), "{problems}");
    assert!(problems.contains("altered by another program"), "{problems}");
}

#[test]
fn an_older_log_is_not_read_at_all() {
    let since = Period { since: Some(at(1_000_000)), ..Period::default() };
    let project = Project::new().with_log(RUN, "torn\n".to_owned() + &whole());
    let read = Statistics::of_project(&project.layout, &since).unwrap();
    assert_eq!(read, Statistics::default());
}

#[test]
fn a_run_of_five_thousand_iterations() {
    let events = a_long_run(5_000);
    let project = Project::new().with_log(RUN, log(&events));
    let read = project.read();
    assert_eq!(read.total.iterations, 4_999);
    assert_eq!(read.total.failed, 714);
    assert_eq!(read.checks["cargo test --workspace"], CheckFigures { runs: 4_999, failed: 714 });
}

#[test]
fn the_start_of_a_run_reads_a_limited_part_of_the_logs() {
    let text = whole();
    let padding = stamped(0, LoopEvent::Warning { text: "x".repeat(100) }).to_line() + "\n";
    let two_stories = text.clone() + &padding.repeat(100) + &text.replace("US-001", "US-002");
    let names = ["20261115-010003-a", "20261115-010002-a", "20261115-010001-a"];
    let with_log = |project: Project, id: &&str| project.with_log(id, two_stories.replace(RUN, id));
    let project = names.iter().fold(Project::new(), with_log);
    assert_eq!(project.read().total.iterations, 30);
    // The newest is read whole, and of the next one the first story.
    let most = (two_stories.len() + text.len() + 100 * padding.len()) as u64;
    let limited = Statistics::of_newest_bytes(&project.layout, most);
    assert_eq!(limited.total.iterations, 15);
    assert_eq!(Statistics::of_newest_runs(&project.layout).total.iterations, 30);
}

#[test]
fn an_estimate_uses_ten_runs() {
    let with_log = |project: Project, number: u64| {
        let id = format!("20261115-0100{number:02}-a");
        project.with_log(&id, whole().replace(RUN, &id))
    };
    let project = (0..12).fold(Project::new(), with_log);
    assert_eq!(project.read().runs, 12);
    assert_eq!(Statistics::of_newest_runs(&project.layout).runs, 10);
}
