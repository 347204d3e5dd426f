//! Compares one file of the work tree with its committed object.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::control_files::FileMetadata;
use crate::object_name::ObjectName;
use crate::stamp::mode as mode_of;
use crate::tree_object::EntryMode;

/// Bytes that are read at once.
const LONGEST_CHUNK: usize = 64 * 1024;

/// A file that had the content of `id` with this metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProvenFile {
    look: FileMetadata,
    id: String,
}

/// A file of the right kind whose bytes differ from the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OtherFile {
    proven: ProvenFile,
    /// The object id of its bytes.
    name: Option<String>,
    is_settled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileProof {
    /// The metadata is unchanged since the last proof.
    AsKnown,
    /// The bytes equal the object. `None` if the file is too recent to be cached.
    Same(Option<ProvenFile>),
    OtherBytes(OtherFile),
    Missing,
    /// A folder, a link instead of a file, another mode, or unreadable.
    OtherKind,
}

/// git settings about files on this system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileRules {
    /// Whether the executable bit is meaningful.
    pub(crate) modes: bool,
    /// Whether links are real links, not files with the target as content.
    pub(crate) links: bool,
    /// Files changed after this time (file system clock, nanoseconds) may change again unnoticed.
    pub(crate) settled: i128,
}

impl ProvenFile {
    /// Whether the metadata is unchanged since the proof for `id`.
    pub(crate) fn holds(&self, now: &FileMetadata, id: &str) -> bool {
        self.look == *now && self.id == id
    }
}

impl OtherFile {
    /// Whether metadata and bytes are unchanged.
    pub(crate) fn is_still(&self, found: &Self) -> bool {
        self.proven == found.proven && self.name.is_some() && self.name == found.name
    }

    /// The cache entry once the bytes are explained. `None` if the file is too recent.
    pub(crate) fn into_proven(self) -> Option<ProvenFile> {
        self.is_settled.then_some(self.proven)
    }
}

/// `place` must not be behind a link.
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
    if !found.is_file() || (rules.modes && (mode_of(&found) & 0o100 != 0) != executable) {
        return FileProof::OtherKind;
    }
    let look = FileMetadata::of(&found);
    if known.is_some_and(|known| known.holds(&look, id)) {
        return FileProof::AsKnown;
    }
    let Ok((name, after)) = name_of(place, found.len(), id) else { return FileProof::OtherKind };
    // A file that changes while it is read is proved again next time.
    let is_settled = look.changed() < rules.settled && after == look;
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

/// The object id of the bytes, `None` if they are a SHA-1 collision attack, and the metadata after reading.
fn name_of(place: &Path, size: u64, like: &str) -> io::Result<(Option<String>, FileMetadata)> {
    let (file, _) = bounded_read::open_regular(place).map_err(io::Error::other)?;
    let mut name = ObjectName::of("blob", size, like);
    // Reads at most the reported size, because the file could grow endlessly.
    let longest = usize::try_from(size).map_or(LONGEST_CHUNK, |size| size.clamp(1, LONGEST_CHUNK));
    let (mut file, mut chunk) = (file.take(size), vec![0; longest]);
    loop {
        match file.read(&mut chunk)? {
            0 if file.limit() > 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            0 => return Ok((name.finish(), FileMetadata::of(&file.into_inner().metadata()?))),
            read => name.update(&chunk[..read]),
        }
    }
}
