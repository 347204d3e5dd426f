//! Containers of Podman and Docker Engine: one for each session and each check, removed after it.

use std::ffi::OsString;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use os_sandbox::Policy;
use os_sandbox::container::{self, Container, Owner, Unmountable};
use supervise::{Keeper, Launch, StopRequests};
use uuid::Uuid;

use crate::RunError;
use crate::quick::{Answer, NoAnswer, Question, Quick};

/// For an engine to remove a container whose processes it has to kill.
const REMOVAL: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerBackend {
    /// Podman or Docker.
    pub program: PathBuf,
    pub image: String,
    pub owner: Owner,
    /// Of the user, for `run`.
    pub options: Vec<String>,
}

impl fmt::Display for ContainerBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program.file_name().unwrap_or_default().to_string_lossy();
        write!(f, "{program}, image {}", self.image)
    }
}

impl ContainerBackend {
    /// Makes the launch start `command` in a new container.
    pub(super) fn start(
        &self,
        launch: &mut Launch,
        policy: &Policy,
        environment: &Path,
        command: (&Path, &[OsString]),
    ) -> io::Result<RunningContainer> {
        let name = format!("ralph-{}", Uuid::new_v4());
        let folder = launch.folder.canonicalize()?;
        let container = Container {
            name: &name,
            label: &label(&folder),
            folder: &folder,
            environment,
            ..self.container(command)
        };
        launch.args = container::arguments(policy, &container).map_err(io::Error::other)?;
        launch.program.clone_from(&self.program);
        let engine =
            Engine { program: self.program.clone(), keeper: launch.keeper.clone(), folder };
        Ok(RunningContainer { engine, name })
    }

    /// For a container that needs nothing of a project.
    pub(super) fn trial_arguments(
        &self,
        policy: &Policy,
        command: (&Path, &[OsString]),
    ) -> Result<Vec<OsString>, Unmountable> {
        container::arguments(policy, &self.container(command))
    }

    fn container<'c>(&'c self, command: (&'c Path, &'c [OsString])) -> Container<'c> {
        Container {
            engine: match self.program.ends_with("podman") {
                true => container::Engine::Podman,
                false => container::Engine::Docker,
            },
            image: &self.image,
            name: "",
            label: "ralph",
            owner: self.owner,
            folder: Path::new("/"),
            environment: Path::new("/dev/null"),
            options: &self.options,
            command,
        }
    }

    /// Removes what a run of this project left behind that was killed.
    pub(crate) fn remove_leftovers(&self, keeper: &Keeper, root: &Path) -> Result<(), RunError> {
        let Ok(folder) = root.canonicalize() else { return Ok(()) };
        let filter = format!("label={}", label(&folder));
        let engine = Engine { program: self.program.clone(), keeper: keeper.clone(), folder };
        let args = ["ps", "--all", "--quiet", "--filter", &filter];
        let listed =
            engine.call(&args).map_err(|why| engine.failed("list its containers", &why))?;
        listed.stdout.split_whitespace().try_for_each(|name| engine.remove(name))
    }
}

/// By which the containers of a project are found.
fn label(root: &Path) -> String {
    format!("ralph.project={}", root.display())
}

/// A container, until it is removed.
#[derive(Debug)]
pub(crate) struct RunningContainer {
    engine: Engine,
    name: String,
}

impl RunningContainer {
    /// With Docker Engine the container outlives the program that started it. Nothing is wrong if it is gone.
    pub(super) fn remove(&self) -> Result<(), RunError> {
        self.engine.remove(&self.name)
    }
}

#[derive(Debug)]
struct Engine {
    program: PathBuf,
    keeper: Keeper,
    folder: PathBuf,
}

impl Engine {
    fn remove(&self, name: &str) -> Result<(), RunError> {
        match self.call(&["rm", "--force", "--volumes", name]) {
            Ok(_) => Ok(()),
            Err(why) if why.to_lowercase().contains("no such container") => Ok(()),
            Err(why) => Err(self.failed(&format!("remove the container {name}"), &why)),
        }
    }

    /// What it said where it did not succeed.
    fn call(&self, args: &[&str]) -> Result<Answer, String> {
        let args = args.iter().map(Into::into).collect();
        call(&self.keeper, &self.program, &self.folder, args, REMOVAL)
    }

    fn failed(&self, what: &str, why: &str) -> RunError {
        let program = self.program.file_name().unwrap_or_default().to_string_lossy();
        RunError::precondition(
            format!("{program} cannot {what}, so processes in it may still run: {why}"),
            format!("see to it that `{program} ps` works, and start the run again"),
        )
    }
}

/// A short command of the engine.
pub(super) fn call(
    keeper: &Keeper,
    program: &Path,
    folder: &Path,
    args: Vec<OsString>,
    limit: Duration,
) -> Result<Answer, String> {
    // What a user stops is the run; its containers are removed all the same.
    let stop = StopRequests::new();
    let quick = Quick { keeper, folder, stop: &stop };
    let (environment, input) = (Vec::new(), Vec::new());
    match quick.ask(Question { program, args, environment, input, limit }) {
        Ok(answer) if answer.succeeded() => Ok(answer),
        Ok(answer) => Err(answer.complaint()),
        Err(NoAnswer::NotThere) => Err(format!("{} is not there", program.display())),
        Err(error) => Err(error.to_string()),
    }
}

/// For the eyes of the user alone: keys of agents are in it. Neither engine reads values of several lines from a file, so
/// those are left out.
pub(super) fn write_environment(file: &Path, variables: &[(OsString, OsString)]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    for (name, value) in variables {
        let line = name.to_str().zip(value.to_str()).map(|(name, value)| format!("{name}={value}"));
        if let Some(line) = line.filter(|line| !line.contains(['\n', '\r', '\0'])) {
            writeln!(file, "{line}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;

    use super::*;

    #[test]
    fn variables_are_written_for_the_user_alone_and_only_if_a_line_holds_them() {
        let dir = TempDir::new().unwrap();
        let file = dir.path().join("environment");
        let variables = [("A", "1 2"), ("B", "x\ny"), ("C", "")];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        write_environment(&file, &variables).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "A=1 2\nC=\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
