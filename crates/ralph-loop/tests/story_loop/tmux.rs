//! A tmux for a test, which can wait for text on its screen.

use std::time::{Duration, Instant};

use crate::harness::Project;

/// For each thing that is waited for.
const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) struct Tmux {
    socket: String,
    environment: Vec<(String, std::ffi::OsString)>,
    folder: std::path::PathBuf,
}

impl Tmux {
    /// A shell in the project, on a screen of this size.
    pub(crate) fn start(project: &Project, columns: u16, rows: u16) -> Self {
        let mut environment: Vec<(String, std::ffi::OsString)> = project
            .environment()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        for (name, value) in [("LC_ALL", "C.UTF-8"), ("TERM", "xterm-256color"), ("PS1", "% ")] {
            environment.push((name.into(), value.into()));
        }
        let folder = project.path();
        // Its socket is in a folder that goes with the project.
        environment.push(("TMUX_TMPDIR".into(), folder.join("..").into()));
        let tmux = Self { socket: "test".into(), environment, folder };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        tmux.call(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns,
            "-y",
            &rows,
            "-s",
            "seen",
            "sh",
        ]);
        tmux
    }

    /// Runs a command in another window.
    pub(crate) fn beside(&self, command: &str) {
        self.call(&["new-window", "-d", command]);
    }

    /// Waits for an event of a run of the project.
    pub(crate) fn await_run(&self, project: &Project) -> &Self {
        let runs = project.path().join(".ralph/runs");
        self.until("a run", || {
            let runs = std::fs::read_dir(&runs).into_iter().flatten().flatten();
            runs.into_iter().any(|run| run.path().join("events.jsonl").exists())
        })
    }

    pub(crate) fn types(&self, text: &str) -> &Self {
        self.call(&["send-keys", "-t", "seen:0", "-l", text]);
        self
    }

    /// A key by the name that tmux has for it.
    pub(crate) fn press(&self, key: &str) -> &Self {
        self.call(&["send-keys", "-t", "seen:0", key]);
        self
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) -> &Self {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.call(&["resize-window", "-t", "seen:0", "-x", &columns, "-y", &rows]);
        self
    }

    /// The process in the window that is seen.
    pub(crate) fn pid(&self) -> String {
        self.call(&["display-message", "-p", "-t", "seen:0", "#{pane_pid}"]).trim().to_owned()
    }

    /// Closes the visible window, as a user does.
    pub(crate) fn close(&self) {
        self.call(&["kill-window", "-t", "seen:0"]);
    }

    pub(crate) fn cleared(self) -> Self {
        self.types("clear").press("Enter");
        self.until("an empty screen", || self.screen().trim().len() < 5);
        self
    }

    #[track_caller]
    pub(crate) fn shows(&self, text: &str) -> &Self {
        self.until(text, || self.screen().contains(text))
    }

    #[track_caller]
    fn until(&self, what: &str, is_so: impl Fn() -> bool) -> &Self {
        let deadline = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(Instant::now() < deadline, "{what} did not come:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(30));
        }
        self
    }

    fn screen(&self) -> String {
        self.call(&["capture-pane", "-p", "-t", "seen:0"])
    }

    #[track_caller]
    fn call(&self, args: &[&str]) -> String {
        let output = assert_cmd::Command::new("tmux")
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.folder)
            .args(["-L", &self.socket])
            .args(args)
            .timeout(PATIENCE)
            .output()
            .unwrap();
        assert!(output.status.success(), "tmux {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Tmux {
    /// Its own server, and no other.
    fn drop(&mut self) {
        let _ = assert_cmd::Command::new("tmux")
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .args(["-L", &self.socket, "kill-server"])
            .timeout(PATIENCE)
            .output();
    }
}
