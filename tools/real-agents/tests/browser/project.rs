//! Projects with runs, and the `ralph-loop` that creates their pages.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use assert_cmd::Command;
use events::{LoopEvent, Stamped, samples};
use project::{Layout, RunLock};
use tempfile::TempDir;

/// Several times the duration of the demo, for busy machines.
const TIME_LIMIT: Duration = Duration::from_secs(60);

pub(crate) struct Project {
    folder: TempDir,
    /// The lock of the active run.
    _lock: Option<RunLock>,
}

impl Project {
    /// A run that ended, with these events.
    pub(crate) fn with(events: &[Stamped]) -> Self {
        let folder = TempDir::with_prefix("project-").unwrap();
        let project = Self { folder, _lock: None };
        std::fs::create_dir_all(project.log().parent().unwrap()).unwrap();
        project.say(events);
        project
    }

    /// An active run with these events; it lasts as long as this test.
    pub(crate) fn active(mut events: Vec<Stamped>) -> Self {
        for event in &mut events {
            if let LoopEvent::RunStarted { start, .. } = &mut event.event {
                start.pid = std::process::id();
            }
        }
        let project = Self::with(&events);
        let lock = RunLock::acquire(&Layout::new(project.folder())).unwrap();
        Self { _lock: Some(lock), ..project }
    }

    /// Adds events.
    pub(crate) fn say(&self, events: &[Stamped]) {
        let lines: String = events.iter().map(|event| event.to_line() + "\n").collect();
        let mut log =
            std::fs::OpenOptions::new().create(true).append(true).open(self.log()).unwrap();
        log.write_all(lines.as_bytes()).unwrap();
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The path of its page, created by the real program.
    pub(crate) fn page(&self) -> PathBuf {
        let page = self.folder().join("report.html");
        make_page(self.folder(), &page);
        page
    }

    fn log(&self) -> PathBuf {
        self.folder().join(".ralph/runs").join(samples::RUN).join("events.jsonl")
    }
}

/// The page of the demo, a whole run with the real hooks. Created once; it stays in Cargo's
/// temporary folder, because the end of the last test is unknown.
pub(crate) fn page_of_the_demo() -> &'static Path {
    static PAGE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-demo");
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        std::fs::create_dir_all(&folder).unwrap();
        let demo = folder.join("demo");
        ralph_loop(&folder).args(["demo", "--fast", "--dir"]).arg(&demo).assert().success();
        let page = folder.join("report.html");
        make_page(&demo.join("greeter"), &page);
        page
    });
    &PAGE
}

pub(crate) fn file_url(path: &Path) -> String {
    format!("file://{}", path.to_str().unwrap())
}

/// A program beside this test in target/<build>.
pub(crate) fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("ralph-loop");
    assert!(program.exists(), "ralph-loop is not built: cargo build --workspace");
    program
}

/// The whole environment of `ralph-loop`.
pub(crate) fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    vec![
        ("HOME".into(), home.into()),
        ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
    ]
}

fn make_page(project: &Path, page: &Path) {
    let mut command = ralph_loop(project);
    command.args(["report", "--format", "html", "--out"]).arg(page);
    command.arg("-d").arg(project).assert().success();
}

fn ralph_loop(home: &Path) -> Command {
    let mut command = Command::new(program());
    command.env_clear().envs(environment(home)).timeout(TIME_LIMIT);
    command
}
