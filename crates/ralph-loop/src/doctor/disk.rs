//! Room on the disks that a run writes to.

use std::path::{Path, PathBuf};

use super::check::{Check, Fix, Id};

const LEAST: u64 = 1024 * 1024 * 1024;

/// A folder and the room that is left for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Room {
    folder: PathBuf,
    bytes: Option<u64>,
}

pub(crate) fn look(folders: &[&Path]) -> Vec<Room> {
    let room = |folder: &&Path| Room {
        folder: folder.to_path_buf(),
        bytes: fs2::available_space(folder).ok(),
    };
    folders.iter().map(room).collect()
}

pub(crate) fn judge(rooms: &[Room]) -> Check {
    let Some(least) =
        rooms.iter().filter(|room| room.bytes.is_some()).min_by_key(|room| room.bytes)
    else {
        return Check::not_checked(Id::Disk, "the system does not tell how much is free");
    };
    let (bytes, folder) = (least.bytes.unwrap_or_default(), least.folder.display());
    if bytes < LEAST {
        let found = format!("only {} are free for {folder}", shown(bytes));
        return Check::warning(
            Id::Disk,
            found,
            Fix::todo("make room: a run keeps what agents say"),
        );
    }
    Check::ok(Id::Disk, format!("at least {} are free", shown(bytes)))
}

pub(crate) fn shown(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    // Exact enough for one digit behind the point.
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
    use crate::doctor::check::State;

    fn room(folder: &str, bytes: Option<u64>) -> Room {
        Room { folder: folder.into(), bytes }
    }

    #[test]
    fn the_fullest_disk_counts() {
        let rooms = [room("/project", Some(LEAST * 9)), room("/tmp", Some(LEAST - 1))];
        let check = judge(&rooms);
        assert_eq!(check.state, State::Warning);
        assert_eq!(check.found, "only 1024.0 MiB are free for /tmp");
        assert_eq!(judge(&[room("/project", Some(LEAST)), room("/tmp", None)]).state, State::Ok);
        assert_eq!(judge(&[room("/tmp", None)]).state, State::NotChecked);
        assert!(look(&[&std::env::temp_dir()])[0].bytes.is_some());
    }

    #[test]
    fn sizes_are_for_people() {
        let all = [999, 1024, 1536 * 1024, 5 * LEAST].map(shown);
        assert_eq!(all, ["999 bytes", "1.0 KiB", "1.5 MiB", "5.0 GiB"]);
    }
}
