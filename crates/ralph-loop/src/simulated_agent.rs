//! Under the name `simulated-agent`, this program is the agent of the demo, so that the demo needs no other program.
//! The agent's behaviour is in `simulator`.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const NAME: &str = "simulated-agent";

/// Acts as the agent if this program was called by its name.
pub fn run_if_called(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter();
    let called = PathBuf::from(args.next()?);
    if called.file_stem()? != NAME {
        return None;
    }
    let args = args.map(|arg| arg.to_string_lossy().into_owned());
    Some(ExitCode::from(simulator::run_agent(args)))
}

/// Links `program` to the agent's name in `folder` and returns that path.
pub(crate) fn link_in(folder: &Path, program: &Path) -> io::Result<PathBuf> {
    let named = folder.join(format!("{NAME}{}", std::env::consts::EXE_SUFFIX));
    match link(program, &named) {
        Ok(()) => Ok(named),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => std::fs::copy(program, &named).map(|_| named),
    }
}

fn link(program: &Path, named: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(program, named);
    // Symbolic links need a privilege on this system.
    #[cfg(not(unix))]
    std::fs::hard_link(program, named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str) -> Option<ExitCode> {
        run_if_called([name, "--version"].map(OsString::from))
    }

    #[test]
    fn only_the_name_makes_it_the_agent() {
        for name in ["ralph-loop", "/usr/bin/ralph-loop", "/opt/simulated-agent/ralph-loop", ""] {
            assert!(called(name).is_none(), "{name}");
        }
        for name in ["simulated-agent", "/tmp/demo/simulated-agent", "simulated-agent.exe"] {
            assert!(called(name).is_some(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_existing_file_is_not_replaced() {
        let dir = assert_fs::TempDir::new().unwrap();
        let [program, other] = ["ralph-loop", "other"].map(|name| dir.path().join(name));
        std::fs::write(&program, "x").unwrap();
        std::fs::write(&other, "y").unwrap();
        let named = link_in(dir.path(), &program).unwrap();
        assert!(link_in(dir.path(), &other).is_err());
        assert_eq!(std::fs::read(&named).unwrap(), b"x");
    }
}
