//! The programs to compare: ours, the peers, and the interpreters of the peers.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::hook_answer::HookAnswer;
use crate::launch::{Invocation, Program};
use crate::measure::Entrant;

/// One hook in three implementations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hook {
    pub(crate) name: &'static str,
    python: (&'static str, &'static str),
    bash: (&'static str, &'static str),
}

pub(crate) const CONTEXT_MONITOR: Hook = Hook {
    name: "context-monitor",
    python: ("context_monitor.py", include_str!("../peers/context_monitor.py")),
    bash: ("context_monitor.sh", include_str!("../peers/context_monitor.sh")),
};

pub(crate) const STOP_GUARD: Hook = Hook {
    name: "stop-guard",
    python: ("stop_guard.py", include_str!("../peers/stop_guard.py")),
    bash: ("stop_guard.sh", include_str!("../peers/stop_guard.sh")),
};

/// Has no peer: one that checks less would not be comparable.
pub(crate) const COMMAND_GUARD: &str = "command-guard";

/// A minimal loop.
pub(crate) const LOOP_PEER: (&str, &str) = ("loop.sh", include_str!("../peers/loop.sh"));

/// A hook or peer by name, and the reason if it cannot run.
pub(crate) type Contender = (String, Result<Program, String>);

/// Programs that must be in the same folder as this one.
const PROGRAMS: [&str; 9] = [
    CONTEXT_MONITOR.name,
    STOP_GUARD.name,
    COMMAND_GUARD,
    "ralph-loop",
    "simulated-agent",
    "empty-process",
    "stopwatch",
    "flood-agent",
    "waiting-agent",
];

#[derive(Debug)]
pub(crate) struct Toolbox {
    /// The temporary folder.
    pub(crate) folder: PathBuf,
    binaries: PathBuf,
    python: Result<PathBuf, String>,
    jq: Result<(), String>,
    env: Vec<(String, OsString)>,
}

impl Toolbox {
    pub(crate) fn gather(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let own = std::env::current_exe()?;
        let binaries = own.parent().ok_or("this program lies in no folder")?.to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let env = vec![
            ("PATH".to_owned(), path),
            ("LANG".to_owned(), "C.UTF-8".into()),
            // Neither the user's nor the machine's git settings.
            ("HOME".to_owned(), folder.join("home").into_os_string()),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".into()),
        ];
        for name in ["home", "peers"] {
            fs::create_dir(folder.join(name))?;
        }
        fs::write(folder.join("no-input"), "")?;
        for (name, source) in [
            CONTEXT_MONITOR.python,
            CONTEXT_MONITOR.bash,
            STOP_GUARD.python,
            STOP_GUARD.bash,
            LOOP_PEER,
        ] {
            fs::write(folder.join("peers").join(name), source)?;
        }

        let folder = folder.to_owned();
        let mut toolbox = Self { folder, binaries, python: Err(String::new()), jq: Ok(()), env };
        toolbox.python = toolbox.find_python();
        toolbox.jq = toolbox.version("jq").map(|_| ()).ok_or_else(|| "jq is missing".to_owned());
        for name in PROGRAMS {
            let program = toolbox.binary(name).path;
            if !program.is_file() {
                return Err(format!("{} is missing: build it first", program.display()).into());
            }
        }
        Ok(toolbox)
    }

    /// The quickest interpreter in the PATH: some are slow launchers, or load start-up files.
    fn find_python(&self) -> Result<PathBuf, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let named = std::env::split_paths(&path).map(|folder| folder.join("python3"));
        let found = named.filter(|path| path.is_file()).filter_map(|path| self.real_python(path));
        let timed = found.filter_map(|path| Some((self.start_time(&path)?, path)));
        let quickest = timed.min().map(|(_, path)| path);
        quickest.ok_or_else(|| "python3 is missing".to_owned())
    }

    fn real_python(&self, named: PathBuf) -> Option<PathBuf> {
        let ask = Program::new(named).with(&["-c", "import sys; print(sys.executable)"]);
        let mut invocation = self.invocation(ask, &self.folder);
        // A launcher may read settings in the home.
        invocation.env.extend(std::env::var_os("HOME").map(|home| ("HOME".to_owned(), home)));
        let path = PathBuf::from(invocation.answer().ok()?.trim());
        path.is_file().then_some(path)
    }

    fn start_time(&self, python: &Path) -> Option<Duration> {
        let invocation = self.invocation(Program::new(python).with(&["-c", "pass"]), &self.folder);
        (0..5).filter_map(|_| invocation.time().ok()).min()
    }

    fn version(&self, program: &str) -> Option<String> {
        let invocation = self.invocation(Program::new(program).with(&["--version"]), &self.folder);
        Some(invocation.answer().ok()?.lines().next()?.to_owned())
    }

    pub(crate) fn missing(&self) -> impl Iterator<Item = &str> {
        let reasons = [self.python.as_ref().err(), self.jq.as_ref().err()];
        reasons.into_iter().flatten().map(String::as_str)
    }

    /// Or the reason why there is none.
    pub(crate) fn jq(&self) -> Result<(), String> {
        self.jq.clone()
    }

    /// A script in bash; it may need jq.
    pub(crate) fn peer(&self, (name, _): (&str, &str), arguments: &[&str]) -> Program {
        let script = self.folder.join("peers").join(name);
        Program::new("bash").with_path(&script).with(arguments)
    }

    /// Machine facts for the report.
    pub(crate) fn describe(&self) -> Result<String, Box<dyn Error>> {
        let cores = std::thread::available_parallelism()?;
        let mut found = vec![format!("{cores} cores")];
        found.extend(["git", "bash", "jq"].iter().filter_map(|name| self.version(name)));
        if let Ok(python) = &self.python {
            found.extend(python.to_str().and_then(|python| self.version(python)));
        }
        Ok(found.join(", "))
    }

    pub(crate) fn binary(&self, name: &str) -> Program {
        Program::new(self.binaries.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
    }

    pub(crate) fn contenders(&self, hook: Hook) -> [Contender; 3] {
        let script = |name| self.folder.join("peers").join(name).into_os_string();
        let python = self
            .python
            .clone()
            .map(|path| Program { path, arguments: vec![script(hook.python.0)] });
        let bash = self
            .jq
            .clone()
            .map(|()| Program { path: "bash".into(), arguments: vec![script(hook.bash.0)] });
        [
            (hook.name.to_owned(), Ok(self.binary(hook.name))),
            ("the same in Python".to_owned(), python),
            ("the same in bash + jq".to_owned(), bash),
        ]
    }

    /// A run in `cwd` without input.
    pub(crate) fn invocation(&self, program: Program, cwd: &Path) -> Invocation {
        Invocation {
            program,
            cwd: cwd.to_owned(),
            stdin: self.folder.join("no-input"),
            stdout: self.folder.join("output"),
            env: self.env.clone(),
        }
    }

    /// Each contender must answer `expected` when called as `setting` says.
    pub(crate) fn check(
        &self,
        hook: Hook,
        case: &str,
        expected: HookAnswer,
        setting: impl Fn(Program, usize) -> Result<Invocation, Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        for (index, (name, program)) in self.contenders(hook).into_iter().enumerate() {
            let Ok(program) = program else { continue };
            let who = format!("{}, {name}", hook.name);
            check_answer(&who, case, expected, &setting(program, index)?)?;
        }
        Ok(())
    }

    /// A hook and its peers as entrants; the budget is the hook's alone.
    pub(crate) fn entrants(
        &self,
        hook: Hook,
        budget: Option<f64>,
        setting: impl Fn(Program) -> Result<Invocation, Box<dyn Error>>,
    ) -> Result<Vec<Entrant>, Box<dyn Error>> {
        let mut entrants = Vec::new();
        for (index, (name, program)) in self.contenders(hook).into_iter().enumerate() {
            let invocation = match program {
                Ok(program) => Ok(setting(program)?),
                Err(why) => Err(why),
            };
            entrants.push(Entrant { name, budget: budget.filter(|_| index == 0), invocation });
        }
        Ok(entrants)
    }
}

pub(crate) fn check_answer(
    who: &str,
    case: &str,
    expected: HookAnswer,
    invocation: &Invocation,
) -> Result<(), Box<dyn Error>> {
    let output = invocation.answer()?;
    if HookAnswer::of(&output) == Some(expected) {
        return Ok(());
    }
    Err(format!("{who}: expected {expected} when {case}, but it printed {output:?}").into())
}
