//! Checks whether this machine can run a container of an image, by a trial.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use isolation::Obstacle;
use os_sandbox::container::ContainerUser;
use os_sandbox::{Access, Network, Policy, Tools, Workplace};
use supervise::Keeper;

use super::container::{ContainerBackend, call};
use super::survey::in_path;

/// An idle engine takes seconds to answer.
const TIMEOUT: Duration = Duration::from_secs(60);

const ENGINES: [&str; 2] = ["podman", "docker"];

#[derive(Debug)]
pub struct ContainerQuery<'q> {
    pub keeper: &'q Keeper,
    /// `PATH`, which contains Podman or Docker.
    pub path: Option<&'q OsStr>,
    pub image: &'q str,
    /// Set by the user.
    pub engine: Option<&'q str>,
    pub options: &'q [String],
    /// The runner's program, which must run in the image.
    pub entry: &'q PathBuf,
    /// Additional mounts.
    pub readable: &'q [PathBuf],
    /// User id and group id.
    pub user: (u32, u32),
}

pub fn survey_container(query: &ContainerQuery<'_>) -> Result<ContainerBackend, Obstacle> {
    let program = query.program()?;
    let owner = query.owner(&program)?;
    query.find_image(&program)?;
    let (image, options) = (query.image.to_owned(), query.options.to_vec());
    let backend = ContainerBackend { program, image, owner, options };
    query.try_entry(&backend)?;
    Ok(backend)
}

impl ContainerQuery<'_> {
    fn program(&self) -> Result<PathBuf, Obstacle> {
        let names = self.engine.as_ref().map_or(&ENGINES[..], std::slice::from_ref);
        let found = names.iter().find_map(|name| match Path::new(name) {
            path if path.is_absolute() => Some(path.to_path_buf()).filter(|path| path.is_file()),
            _ => in_path(name, self.path),
        });
        found.ok_or_else(|| Obstacle {
            why: format!("{} is not in PATH", names.join(" or ")),
            fix: Some("install Podman (`sudo apt-get install podman`) or Docker Engine".into()),
        })
    }

    /// Podman runs as the calling user. Docker usually runs as root, and reports if it does not.
    fn owner(&self, program: &Path) -> Result<ContainerUser, Obstacle> {
        let (uid, gid) = self.user;
        if program.ends_with("podman") {
            return Ok(match uid {
                0 => ContainerUser::User { uid, gid },
                _ => ContainerUser::Mapped { uid, gid },
            });
        }
        let args = ["info", "--format", "{{.SecurityOptions}}"];
        let security_options = self.ask(program, &args).map_err(|why| Obstacle {
            why: format!("{} does not answer: {why}", program.display()),
            fix: Some("start Docker, and make sure that `docker info` works for this user".into()),
        })?;
        Ok(if security_options.contains("rootless") {
            ContainerUser::Root
        } else {
            ContainerUser::User { uid, gid }
        })
    }

    fn find_image(&self, program: &Path) -> Result<(), Obstacle> {
        let args = ["image", "inspect", "--format", "{{.Id}}", self.image];
        let found = self.ask(program, &args);
        found.map(drop).map_err(|why| Obstacle {
            why: format!("image {} not found: {why}", self.image),
            fix: Some(format!(
                "build one with Claude Code and Codex: `ralph-loop containerfile | {0} build -t {1} -`, \
                 or pull your own: `{0} pull {1}`",
                program.file_name().unwrap_or_default().to_string_lossy(),
                self.image,
            )),
        })
    }

    /// With the user's mounts: they may add what a small image lacks.
    fn try_entry(&self, backend: &ContainerBackend) -> Result<(), Obstacle> {
        let place = Workplace { root: "/".into(), tools: Tools::OfImage, ..Workplace::default() };
        let mut policy = Policy::of(&place, Network::Isolated { host_ports: Vec::new() });
        for path in self.readable.iter().filter(|path| path.exists()).chain([self.entry]) {
            policy.set(path, Access::ReadOnly);
        }
        let arguments = backend.trial_arguments(&policy, (self.entry, &["--version".into()]));
        let tried = arguments
            .map_err(|error| error.to_string())
            .and_then(|args| call(self.keeper, &backend.program, Path::new("/"), args, TIMEOUT));
        tried.map(drop).map_err(|why| Obstacle {
            why: format!("ralph-loop does not run in a container of {}: {why}", self.image),
            fix: Some(
                "use an image for this machine's architecture with the same or a newer C library"
                    .into(),
            ),
        })
    }

    fn ask(&self, program: &Path, args: &[&str]) -> Result<String, String> {
        let args = args.iter().map(Into::into).collect();
        let answer = call(self.keeper, program, Path::new("/"), args, TIMEOUT);
        answer.map(|answer| answer.stdout)
    }
}
