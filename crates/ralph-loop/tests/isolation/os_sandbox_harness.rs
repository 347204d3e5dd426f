//! A home with secrets in it, a project in that home, and a real sandbox around one command: bubblewrap or a container
//! of Podman.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use assert_fs::TempDir;
use engine::AllowedChanges;
use engine::isolation::{
    Backend, CheckTrial, CheckTrialRunner, ContainerQuery, NetworkAccess, Sandbox,
    survey_container, survey_os_sandbox,
};
use events::CheckOutcome;
use project::Layout;
use sandbox_network::{AllowedHosts, Rules};
use supervise::{Keeper, StopRequests};

use crate::podman;

/// Far longer than any of the commands takes.
const LIMIT: Duration = Duration::from_secs(120);

pub(crate) struct Machine {
    dir: TempDir,
    pub(crate) layout: Layout,
    pub(crate) sandbox: Sandbox,
    keeper: Keeper,
}

impl Machine {
    /// In the sandbox of the operating system.
    pub(crate) fn new() -> Self {
        Self::with_backend(|keeper, _, path| survey_os_sandbox(keeper, Some(path)).unwrap())
    }

    /// In containers of an image that has nothing but folders: programs are those of this machine.
    pub(crate) fn in_container() -> Self {
        let programs = podman::PROGRAMS.map(PathBuf::from);
        let mut machine = Self::with_backend(|keeper, entry, path| {
            let query = ContainerQuery {
                keeper,
                path: Some(path),
                image: podman::IMAGE,
                engine: Some(podman::program()),
                options: &[],
                entry,
                readable: &programs,
                user: (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw()),
            };
            Backend::Container(survey_container(&query).unwrap())
        });
        machine.sandbox.readable = programs.to_vec();
        machine
    }

    fn with_backend(survey: impl Fn(&Keeper, &PathBuf, &OsStr) -> Backend) -> Self {
        let dir = TempDir::new().unwrap();
        let home = dir.path().canonicalize().unwrap().join("home");
        let project = home.join("shop");
        std::fs::create_dir_all(&project).unwrap();
        test_repo::init_for_commits(&project);
        let entry = cargo_bin("ralph-loop");
        let keeper = Keeper::at(&entry);
        let path = std::env::var_os("PATH").unwrap();
        let backend = survey(&keeper, &entry, &path);
        let sandbox = Sandbox {
            backend,
            entry,
            readable: Vec::new(),
            writable: Vec::new(),
            folders: Vec::new(),
            project_folders: Vec::new(),
            project_files: Vec::new(),
            copied: Vec::new(),
            environment: Vec::new(),
            network: NetworkAccess::Open,
            home: Some(home),
            variables: vec![("PATH".into(), path)],
        };
        let machine = Self { dir, layout: Layout::new(project), sandbox, keeper };
        machine.write("shop/.ralph/state.json", "{}");
        machine.write("shop/.ralph-active", "{}");
        machine.write("shop/.claude/settings.json", "{}");
        machine.write("shop/src/main.rs", "fn main() {}\n");
        machine
    }

    pub(crate) fn with_network(mut self, hosts: &[&str], host_ports: &[u16]) -> Self {
        let hosts = AllowedHosts::parse(hosts.iter().copied()).unwrap();
        let rules = Rules { hosts, host_ports: host_ports.to_vec() };
        self.sandbox.network = NetworkAccess::Allowlist(rules);
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("home")
    }

    pub(crate) fn project(&self) -> &Path {
        self.layout.root()
    }

    /// A file below the home.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.home().join(name)).unwrap()
    }

    pub(crate) fn set_variable(&mut self, name: &str, value: impl Into<OsString>) {
        self.sandbox.variables.push((name.into(), value.into()));
    }

    /// The script runs before every program of the runner.
    pub(crate) fn keep_by_script(&mut self, script: &str) {
        let program = self.dir.path().join("keeper");
        let ralph_loop = self.sandbox.entry.display().to_string();
        std::fs::write(&program, script.replace("@RALPH_LOOP@", &ralph_loop)).unwrap();
        let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, runs).unwrap();
        self.keeper = Keeper::at(program);
    }

    /// In the sandbox, as a check runs.
    pub(crate) fn inside(&self, command: &str) -> CheckTrial {
        self.try_check(command, Some(&self.sandbox), &StopRequests::new())
    }

    pub(crate) fn inside_until(&self, command: &str, stop: &StopRequests) -> CheckTrial {
        self.try_check(command, Some(&self.sandbox), stop)
    }

    /// With the home as a variable: the command is meant for this machine, not for that of the tests.
    fn try_check(
        &self,
        command: &str,
        sandbox: Option<&Sandbox>,
        stop: &StopRequests,
    ) -> CheckTrial {
        let home = self.home();
        let command = format!("HOME='{}'; export HOME; {command}", home.display());
        let (allowed, layout) = (AllowedChanges::default(), &self.layout);
        let runner = CheckTrialRunner {
            keeper: &self.keeper,
            layout,
            allowed: &allowed,
            stop,
            limit: LIMIT,
        };
        runner.try_check(&command, sandbox)
    }

    /// The command succeeds inside.
    #[track_caller]
    pub(crate) fn works(&self, command: &str) {
        let trial = self.inside(command);
        assert_eq!(trial.outcome, CheckOutcome::Passed, "{command}: {trial:?}");
    }

    /// Each of the commands succeeds outside and fails inside, where they run one after the other.
    #[track_caller]
    pub(crate) fn refuses_each(&self, commands: impl IntoIterator<Item = String>) {
        let commands: Vec<String> = commands.into_iter().collect();
        let script = |expected: &str| -> String {
            let each = |(number, command): (usize, &String)| {
                format!(
                    "if ( {command} ) >/dev/null 2>&1; then it=works; else it=fails; fi; \
                         [ $it = {expected} ] || wrong=\"$wrong {number}\"\n"
                )
            };
            let tried: String = commands.iter().enumerate().map(each).collect();
            format!("wrong=''\n{tried}[ -z \"$wrong\" ] || {{ echo \"wrong:$wrong\"; exit 1; }}")
        };
        let inside = self.inside(&script("fails"));
        assert_eq!(inside.outcome, CheckOutcome::Passed, "{inside:?} of {commands:#?}");
        let outside = self.try_check(&script("works"), None, &StopRequests::new());
        assert_eq!(outside.outcome, CheckOutcome::Passed, "outside: {outside:?} of {commands:#?}");
    }

    /// Each of the commands fails inside.
    #[track_caller]
    pub(crate) fn fails_each(&self, commands: &[&str]) {
        let script: String = commands
            .iter()
            .enumerate()
            .map(|(number, command)| {
                format!("if ( {command} ) >/dev/null 2>&1; then wrong=\"$wrong {number}\"; fi\n")
            })
            .collect();
        let inside = self.inside(&format!(
            "wrong=''\n{script}[ -z \"$wrong\" ] || {{ echo \"worked:$wrong\"; exit 1; }}"
        ));
        assert_eq!(inside.outcome, CheckOutcome::Passed, "{inside:?} of {commands:#?}");
    }

    /// The command succeeds outside and fails inside.
    #[track_caller]
    pub(crate) fn refuses(&self, command: &str) {
        let inside = self.inside(command);
        assert!(matches!(inside.outcome, CheckOutcome::Failed(_)), "{command}: {inside:?}");
        let outside = self.try_check(command, None, &StopRequests::new());
        assert_eq!(outside.outcome, CheckOutcome::Passed, "outside, {command}: {outside:?}");
    }
}
