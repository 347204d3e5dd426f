//! Reads the handoffs that the runner saved in the iterations' folders. An agent can write there.

use bounded_read::read_file;
use memory::Handoff;
use project::Layout;
use tasks::Sha256Digest;

use crate::memory::state::KeptHandoff;

pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;

/// `None` if the file is missing or was changed since it was saved.
pub(crate) fn kept(layout: &Layout, kept: &KeptHandoff) -> Option<Handoff> {
    // The state file could name any file.
    let runs = layout.name_of(&layout.runs()) + "/";
    let is_ours = kept.file.starts_with(&runs) && !kept.file.contains("..");
    let path = layout.project_root().join(&kept.file);
    let bytes = read_file(&path, LARGEST).ok().filter(|_| is_ours)?;
    (Sha256Digest::of(&bytes) == kept.digest).then(|| parse(&bytes)).flatten()
}

pub(crate) fn parse(bytes: &[u8]) -> Option<Handoff> {
    memory::read_handoff(&serde_json::from_slice(bytes).ok()?).0
}
