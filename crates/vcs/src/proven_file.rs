//! One file of the work tree against the object that a commit has for it.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::Path;

use crate::control_files::Look;
use crate::object_name::ObjectName;
use crate::tree_object::EntryMode;

/// A file that was the content of `id` when it looked like this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProvenFile {
    look: Look,
    id: String,
}

/// A file of the right kind with other bytes than the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OtherFile {
    proven: ProvenFile,
    /// What an object with its bytes would be called.
    name: Option<String>,
    is_settled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileProof {
    /// It looks as it did when it was proved.
    AsKnown,
    /// It has exactly the bytes of the object. Nothing to remember if it was written too recently.
    Same(Option<ProvenFile>),
    OtherBytes(OtherFile),
    Missing,
    /// A folder, a link in place of a file, another mode, something that cannot be read.
    OtherKind,
}

/// What the settings of git say about files on this system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileRules {
    /// Whether the mode says that a file can be executed.
    pub(crate) modes: bool,
    /// Whether links are links, and not files that hold where they lead.
    pub(crate) links: bool,
    /// What was changed after this, by the clock of the disk in nanoseconds, may change again unnoticed.
    pub(crate) settled: i128,
}

impl ProvenFile {
    /// Whether the file still looks as it did when it was proved to be `id`.
    pub(crate) fn holds(&self, now: &Look, id: &str) -> bool {
        self.look == *now && self.id == id
    }
}

impl OtherFile {
    /// Whether it is unchanged since: it looks the same, and has the same bytes.
    pub(crate) fn is_still(&self, found: &Self) -> bool {
        self.proven == found.proven && self.name.is_some() && self.name == found.name
    }

    /// What is remembered if its bytes are accounted for. Nothing if it was written too recently.
    pub(crate) fn into_proven(self) -> Option<ProvenFile> {
        self.is_settled.then_some(self.proven)
    }
}

/// `place` may not be behind a link.
pub(crate) fn prove(
    place: &Path,
    mode: EntryMode,
    id: &str,
    known: Option<&ProvenFile>,
    rules: FileRules,
) -> FileProof {
    let Ok(found) = fs::symlink_metadata(place) else { return FileProof::Missing };
    if mode == EntryMode::Link && rules.links {
        return prove_link(place, id);
    }
    let executable = mode == EntryMode::Executable;
    if !found.is_file() || (rules.modes && is_executable(&found) != executable) {
        return FileProof::OtherKind;
    }
    let look = Look::of(&found);
    if known.is_some_and(|known| known.holds(&look, id)) {
        return FileProof::AsKnown;
    }
    let Ok(name) = name_of(place, found.len(), id) else { return FileProof::OtherKind };
    // One that is being written while it is read is proved the next time.
    let is_settled = look.changed() < rules.settled && Look::at(place) == look;
    let proven = ProvenFile { look, id: id.to_owned() };
    match name.as_deref() == Some(id) {
        true => FileProof::Same(is_settled.then_some(proven)),
        false => FileProof::OtherBytes(OtherFile { proven, name, is_settled }),
    }
}

fn prove_link(place: &Path, id: &str) -> FileProof {
    let Ok(to) = fs::read_link(place) else { return FileProof::OtherKind };
    let name = ObjectName::of_blob(to.as_os_str().as_encoded_bytes(), id);
    if name.as_deref() == Some(id) { FileProof::Same(None) } else { FileProof::OtherKind }
}

/// None if its bytes were made to share their name with others.
fn name_of(place: &Path, size: u64, like: &str) -> io::Result<Option<String>> {
    let (file, _) = bounded_read::open_regular(place).map_err(io::Error::other)?;
    let mut name = ObjectName::of("blob", size, like);
    // No more than it said that it has: one that grows meanwhile could go on for ever.
    let (mut file, mut chunk) = (file.take(size), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut chunk)? {
            0 if file.limit() > 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            0 => return Ok(name.finish()),
            read => name.update(&chunk[..read]),
        }
    }
}

#[cfg(unix)]
fn is_executable(found: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_found: &Metadata) -> bool {
    false
}
