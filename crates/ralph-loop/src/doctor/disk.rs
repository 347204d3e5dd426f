//! Free space on the disks that a run writes to.

use std::path::{Path, PathBuf};

use super::check::{Check, CheckId, Fix};

const LEAST_FREE: u64 = 1024 * 1024 * 1024;

/// A folder and the free space on its disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiskSpace {
    folder: PathBuf,
    bytes: Option<u64>,
}

pub(crate) fn look(folders: &[&Path]) -> Vec<DiskSpace> {
    let disk_space = |folder: &&Path| DiskSpace {
        folder: folder.to_path_buf(),
        bytes: fs2::available_space(folder).ok(),
    };
    folders.iter().map(disk_space).collect()
}

pub(crate) fn judge(disks: &[DiskSpace]) -> Check {
    let Some(least) = disks
        .iter()
        .filter(|disk_space| disk_space.bytes.is_some())
        .min_by_key(|disk_space| disk_space.bytes)
    else {
        return Check::not_checked(CheckId::Disk, "the system does not report free space");
    };
    let (bytes, folder) = (least.bytes.unwrap_or_default(), least.folder.display());
    if bytes < LEAST_FREE {
        let found = format!("only {} free for {folder}", shown(bytes));
        return Check::warning(
            CheckId::Disk,
            found,
            Fix::todo("free disk space: a run stores the output of agents"),
        );
    }
    Check::ok(CheckId::Disk, format!("at least {} free", shown(bytes)))
}

pub(crate) fn shown(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut size = bytes as f64;
    let mut unit = "";
    for larger in UNITS {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        unit = larger;
    }
    format!("{size:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    fn disk_space(folder: &str, bytes: Option<u64>) -> DiskSpace {
        DiskSpace { folder: folder.into(), bytes }
    }

    #[test]
    fn the_fullest_disk_counts() {
        let disks = [
            disk_space("/project", Some(LEAST_FREE * 9)),
            disk_space("/tmp", Some(LEAST_FREE - 1)),
        ];
        let check = judge(&disks);
        assert_eq!(check.state, CheckState::Warning);
        assert_eq!(check.found, "only 1024.0 MiB free for /tmp");
        assert_eq!(
            judge(&[disk_space("/project", Some(LEAST_FREE)), disk_space("/tmp", None)]).state,
            CheckState::Ok
        );
        assert_eq!(judge(&[disk_space("/tmp", None)]).state, CheckState::NotChecked);
        assert!(look(&[&std::env::temp_dir()])[0].bytes.is_some());
    }

    #[test]
    fn sizes_have_units() {
        let all = [999, 1024, 1536 * 1024, 5 * LEAST_FREE].map(shown);
        assert_eq!(all, ["999 bytes", "1.0 KiB", "1.5 MiB", "5.0 GiB"]);
    }
}
