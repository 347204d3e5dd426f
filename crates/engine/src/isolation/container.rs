//! Containers of Podman and Docker Engine: one for each session and each check, removed after it.

use std::ffi::OsString;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use os_sandbox::Policy;
use os_sandbox::container::{self, Container, ContainerUser, Unmountable};
use supervise::{
    Keeper, Launch, ProgramCall, ProgramError, ProgramOutput, ProgramRunner, StopRequests,
};
use uuid::Uuid;

use crate::RunError;

/// How long an engine may take to kill and remove a container.
const REMOVAL: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerBackend {
    pub program: PathBuf,
    pub image: String,
    pub owner: ContainerUser,
    /// Options of the user for `run`.
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
        let engine = ContainerEngine {
            program: self.program.clone(),
            keeper: launch.keeper.clone(),
            folder,
        };
        Ok(RunningContainer { engine, name })
    }

    /// For a container without a project.
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

    /// Removes the containers that a killed run of this project left behind.
    pub(crate) fn remove_leftovers(&self, keeper: &Keeper, root: &Path) -> Result<(), RunError> {
        let Ok(folder) = root.canonicalize() else { return Ok(()) };
        let filter = format!("label={}", label(&folder));
        let engine =
            ContainerEngine { program: self.program.clone(), keeper: keeper.clone(), folder };
        let args = ["ps", "--all", "--quiet", "--filter", &filter];
        let listed =
            engine.call(&args).map_err(|why| engine.failed("list its containers", &why))?;
        listed.stdout.split_whitespace().try_for_each(|name| engine.remove(name))
    }
}

/// Identifies the containers of a project.
fn label(root: &Path) -> String {
    format!("ralph.project={}", root.display())
}

/// A container that is removed when its program ends.
#[derive(Debug)]
pub(crate) struct RunningContainer {
    engine: ContainerEngine,
    name: String,
}

impl RunningContainer {
    /// With Docker Engine the container outlives the program that started it. A missing container is no error.
    pub(super) fn remove(&self) -> Result<(), RunError> {
        self.engine.remove(&self.name)
    }
}

#[derive(Debug)]
struct ContainerEngine {
    program: PathBuf,
    keeper: Keeper,
    folder: PathBuf,
}

impl ContainerEngine {
    fn remove(&self, name: &str) -> Result<(), RunError> {
        match self.call(&["rm", "--force", "--volumes", name]) {
            Ok(_) => Ok(()),
            Err(why) if why.to_lowercase().contains("no such container") => Ok(()),
            Err(why) => Err(self.failed(&format!("remove the container {name}"), &why)),
        }
    }

    /// Returns its error output if it failed.
    fn call(&self, args: &[&str]) -> Result<ProgramOutput, String> {
        let args = args.iter().map(Into::into).collect();
        call(&self.keeper, &self.program, &self.folder, args, REMOVAL)
    }

    fn failed(&self, what: &str, why: &str) -> RunError {
        let program = self.program.file_name().unwrap_or_default().to_string_lossy();
        RunError::precondition(
            format!("{program} cannot {what}: {why}; its processes may still run"),
            format!("make sure that `{program} ps` works, then start the run again"),
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
) -> Result<ProgramOutput, String> {
    // A stop ends the run, not the removal of its containers.
    let stop = StopRequests::new();
    let runner = ProgramRunner { keeper, folder, stop: &stop };
    match runner.run(ProgramCall::new(program, args, limit)) {
        Ok(answer) if answer.succeeded() => Ok(answer),
        Ok(answer) => Err(answer.error_text()),
        Err(ProgramError::NotInstalled) => Err(format!("{} not found", program.display())),
        Err(error) => Err(error.to_string()),
    }
}

/// Readable by the user only: it contains the keys of agents. Neither engine reads values with several lines
/// from a file, so those are left out.
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
    fn single_line_variables_are_written_with_private_permissions() {
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
