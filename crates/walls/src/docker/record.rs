//! What is remembered of a sandbox: what it was made with, which nobody can ask it, and how far its
//! setup came.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Access, GitIdentity, Mount};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    project: String,
    mounts: Vec<(String, Access)>,
    identity: GitIdentity,
    progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Progress {
    /// It may be there, and it may not be set up.
    Begun,
    SetUp,
}

impl Record {
    /// Of one that is about to be made.
    pub fn begun(project: &Path, mounts: &[Mount], identity: &GitIdentity) -> Self {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let mounts = mounts.iter().map(|mount| (shown(&mount.path), mount.access)).collect();
        let (identity, progress) = (identity.clone(), Progress::Begun);
        Self { project: shown(project), mounts, identity, progress }
    }

    pub fn set_up(self) -> Self {
        Self { progress: Progress::SetUp, ..self }
    }

    /// What can be changed by removing the sandbox and nothing else.
    pub fn sees_the_same(&self, other: &Self) -> bool {
        self.project == other.project && self.mounts == other.mounts
    }

    /// None for what nobody wrote like this.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(mounts: &[Mount]) -> Record {
        Record::begun(Path::new("/p"), mounts, &GitIdentity::default())
    }

    #[test]
    fn it_comes_back_as_it_was_and_nothing_else_passes_for_one() {
        let one = begun(&[Mount::read_only("/a\n\"b"), Mount::read_write("/c")]);
        assert_eq!(Record::read(&one.text().unwrap()), Some(one.clone()));
        assert_ne!(one.clone().set_up(), one);
        assert_eq!(Record::read("{}"), None);
        assert_eq!(Record::read(""), None);
    }

    #[test]
    fn other_mounts_or_another_access_are_another_sandbox() {
        let one = begun(&[Mount::read_only("/a")]).set_up();
        assert!(one.sees_the_same(&begun(&[Mount::read_only("/a")])));
        assert!(!one.sees_the_same(&begun(&[Mount::read_write("/a")])));
        assert!(!one.sees_the_same(&begun(&[])));
    }
}
