//! The source of a value.

use std::path::Path;

use serde::{Serialize, Serializer};

#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum Source {
    /// The program's default.
    #[display("default")]
    Default,
    /// Its name with its folder: `.ralph/settings.json`.
    File(String),
    /// As typed: `--model`.
    Flag(&'static str),
}

impl Source {
    /// Only the last folder: the whole path is irrelevant.
    pub(crate) fn file(path: &Path) -> Self {
        let folder = path.parent().and_then(Path::file_name).map(Path::new);
        let name = path.file_name().map_or(path, Path::new);
        // The same text on every system.
        let name = folder.map_or(name.into(), |folder| folder.join(name)).display().to_string();
        Self::File(name.replace('\\', "/"))
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
