//! The source of a value.

use std::fmt;
use std::path::Path;

use serde::{Serialize, Serializer};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The program's default.
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

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Default => "default",
            Self::File(name) => name,
            Self::Flag(name) => name,
        })
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
