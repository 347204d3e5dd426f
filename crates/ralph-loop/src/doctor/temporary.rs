//! The folder for temporary files, without which no program is started.

use std::io;

use super::check::{Check, Fix, Id};

pub(crate) fn look() -> io::Result<()> {
    tempfile::tempdir().map(drop)
}

pub(crate) fn judge(made: &io::Result<()>) -> Check {
    let folder = std::env::temp_dir();
    let folder = folder.display();
    match made {
        Ok(()) => Check::ok(Id::Temporary, folder.to_string()),
        Err(error) => {
            let found = format!("{folder} cannot be written: {}", error.kind());
            let name = if cfg!(windows) { "TEMP" } else { "TMPDIR" };
            let fix = Fix::todo(format!("set {name} to a folder that can be written"));
            Check::problem(Id::Temporary, found, fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    #[test]
    fn a_folder_that_cannot_be_written_is_in_the_way() {
        assert_eq!(judge(&look()).state, State::Ok);
        let check = judge(&Err(io::ErrorKind::PermissionDenied.into()));
        assert_eq!(check.state, State::Problem);
        assert!(check.found.contains("permission denied"), "{check:?}");
    }
}
