//! Free space on the disks that a run writes to, and the folder for temporary files.

use std::io;
use std::path::Path;

use super::check::{Check, CheckId, Fix};

pub(crate) const LEAST_FREE: u64 = 1024 * 1024 * 1024;

/// Each folder with the free space on its disk, as far as the system reports it.
pub(crate) fn look<'f>(folders: &[&'f Path]) -> Vec<(&'f Path, u64)> {
    folders
        .iter()
        .filter_map(|folder| Some((*folder, fs2::available_space(folder).ok()?)))
        .collect()
}

pub(crate) fn judge(disks: &[(&Path, u64)]) -> Check {
    match disks.iter().min_by_key(|(_, bytes)| bytes) {
        None => CheckId::Disk.not_checked("the system does not report free space"),
        Some((folder, bytes)) if *bytes < LEAST_FREE => {
            let found = format!("only {} free for {}", shown(*bytes), folder.display());
            let fix = Fix::todo("free disk space: a run stores the output of agents");
            CheckId::Disk.warning(found, fix)
        }
        Some((_, bytes)) => CheckId::Disk.ok(format!("at least {} free", shown(*bytes))),
    }
}

pub(crate) fn shown(bytes: u64) -> String {
    let units = [(1, "KiB"), (2, "MiB"), (3, "GiB"), (4, "TiB")];
    match units.into_iter().rfind(|(power, _)| bytes >> (10 * power) > 0) {
        Some((power, unit)) => format!("{:.1} {unit}", bytes as f64 / 1024_f64.powi(power)),
        None => format!("{bytes} bytes"),
    }
}

pub(crate) fn judge_temporary(made: &io::Result<()>) -> Check {
    let folder = std::env::temp_dir();
    let folder = folder.display();
    match made {
        Ok(()) => CheckId::Temporary.ok(folder.to_string()),
        Err(error) => {
            let found = format!("cannot write to {folder}: {}", error.kind());
            let name = if cfg!(windows) { "TEMP" } else { "TMPDIR" };
            let fix = Fix::todo(format!("set {name} to a writable folder"));
            CheckId::Temporary.problem(found, fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    #[test]
    fn the_fullest_disk_counts() {
        let (project, tmp) = (Path::new("/project"), Path::new("/tmp"));
        let check = judge(&[(project, LEAST_FREE * 9), (tmp, LEAST_FREE - 1)]);
        assert_eq!(check.state, CheckState::Warning);
        assert_eq!(check.found, "only 1024.0 MiB free for /tmp");
        assert_eq!(judge(&[(project, LEAST_FREE)]).state, CheckState::Ok);
        assert_eq!(judge(&look(&[Path::new("/no/such/folder")])).state, CheckState::NotChecked);
        assert_eq!(look(&[&std::env::temp_dir()]).len(), 1);
    }

    #[test]
    fn sizes_have_units() {
        let all = [999, 1024, 1536 * 1024, 5 * LEAST_FREE].map(shown);
        assert_eq!(all, ["999 bytes", "1.0 KiB", "1.5 MiB", "5.0 GiB"]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_a_problem() {
        assert_eq!(judge_temporary(&tempfile::tempdir().map(drop)).state, CheckState::Ok);
        let check = judge_temporary(&Err(io::ErrorKind::PermissionDenied.into()));
        assert_eq!(check.state, CheckState::Problem);
        assert!(check.found.contains("permission denied"), "{check:?}");
    }
}
