//! Checks the folder for temporary files, which every program start needs.

use std::io;

use super::check::{Check, CheckId, Fix};

pub(crate) fn look() -> io::Result<()> {
    tempfile::tempdir().map(drop)
}

pub(crate) fn judge(made: &io::Result<()>) -> Check {
    let folder = std::env::temp_dir();
    let folder = folder.display();
    match made {
        Ok(()) => Check::ok(CheckId::Temporary, folder.to_string()),
        Err(error) => {
            let found = format!("cannot write to {folder}: {}", error.kind());
            let name = if cfg!(windows) { "TEMP" } else { "TMPDIR" };
            let fix = Fix::todo(format!("set {name} to a writable folder"));
            Check::problem(CheckId::Temporary, found, fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    #[test]
    fn a_folder_that_cannot_be_written_is_a_problem() {
        assert_eq!(judge(&look()).state, CheckState::Ok);
        let check = judge(&Err(io::ErrorKind::PermissionDenied.into()));
        assert_eq!(check.state, CheckState::Problem);
        assert!(check.found.contains("permission denied"), "{check:?}");
    }
}
