//! A project, a home and the stand-in for the command line of Docker Sandboxes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use assert_fs::TempDir;
use engine::isolation::docker::{self, DockerOptions, DockerSandbox, SandboxContext, SandboxHooks};
use engine::{HookPrograms, RunError, StopSwitch};
use isolation::Availability;
use project::Layout;
use sandbox_stand_in::{SandboxCall, SandboxStandIn};
use supervise::Keeper;

pub(crate) struct Machine {
    dir: TempDir,
    pub(crate) layout: Layout,
    pub(crate) stand_in: SandboxStandIn,
    pub(crate) options: DockerOptions,
    pub(crate) switch: StopSwitch,
    keeper: Keeper,
    pub(crate) reported: Vec<String>,
}

impl Machine {
    pub(crate) fn with_sbx() -> Self {
        Self::new("sbx", "project")
    }

    pub(crate) fn with_docker() -> Self {
        Self::new("docker", "project")
    }

    /// `cli` is what is installed, `project` the name of the project's folder.
    pub(crate) fn new(cli: &str, project: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["bin", "home", project] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let built = cargo_bin("ralph-loop").with_file_name("sandbox-stand-in");
        assert!(built.is_file(), "{} is missing: build the workspace first", built.display());
        let stand_in = SandboxStandIn::install(&built, &root.join("bin"), cli).unwrap();
        let mut options = DockerOptions::new(&root.join("home"));
        options.programs.sbx = root.join("bin/sbx");
        options.programs.docker = root.join("bin/docker");
        options.settle = Some(Duration::ZERO);
        let layout = Layout::new(root.join(project));
        let (switch, keeper) =
            (StopSwitch::new(Duration::ZERO), Keeper::at(cargo_bin("ralph-loop")));
        Self { dir, layout, stand_in, options, switch, keeper, reported: Vec::new() }
    }

    /// The project becomes a repository whose owner commits as `a <a@localhost>`.
    pub(crate) fn with_git(self) -> Self {
        let project = self.project();
        test_repo::init_for_commits(project);
        self.write("file", "1");
        self.commit();
        self
    }

    pub(crate) fn commit(&self) {
        test_repo::commit_all(self.project());
    }

    pub(crate) fn context(&self) -> SandboxContext<'_> {
        SandboxContext { layout: &self.layout, keeper: &self.keeper, switch: &self.switch }
    }

    pub(crate) fn prepare(&mut self) -> Result<DockerSandbox, RunError> {
        let mut reported = Vec::new();
        let prepared =
            DockerSandbox::prepare(&self.options, self.context(), &mut |text| reported.push(text));
        self.reported.extend(reported);
        prepared
    }

    /// Programs that are never run.
    pub(crate) fn hooks(&self) -> SandboxHooks {
        let program = |name: &str| {
            let path = self.beside("bin").join(name);
            std::fs::write(&path, name).unwrap();
            path
        };
        let programs = HookPrograms {
            stop_guard: program("stop-guard"),
            context_monitor: program("context-monitor"),
            command_guard: program("command-guard"),
        };
        SandboxHooks { folder: self.beside("home/.dclaude_state-hooks"), programs }
    }

    pub(crate) fn survey(&self) -> Availability {
        docker::survey(&self.options, self.context())
    }

    pub(crate) fn project(&self) -> &Path {
        self.layout.root()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.beside("home/.dclaude_state")
    }

    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: &str) {
        std::fs::write(self.project().join(name), contents).unwrap();
    }

    pub(crate) fn calls(&self) -> Vec<SandboxCall> {
        self.stand_in.take_calls().unwrap()
    }

    /// Commands since the last query, such as `ls` or `exec`.
    pub(crate) fn commands(&self) -> Vec<String> {
        self.calls().iter().map(command).collect()
    }
}

/// `exec-root` is what root does in the sandbox.
fn command(call: &SandboxCall) -> String {
    let words: Vec<&str> = call.words.iter().map(String::as_str).collect();
    let words = words.strip_prefix(&["sandbox"]).unwrap_or(&words);
    match words {
        ["exec", "-u", "root", ..] => "exec-root".into(),
        ["exec", "-i", ..] => "exec-write".into(),
        _ => words[0].to_owned(),
    }
}
