//! The subject of a finding.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "name")]
pub enum Subject {
    Test(String),
    /// A module, class or `describe` with its contents.
    Group(String),
    /// A test helper function.
    Helper(String),
    File,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Test(name) => write!(f, "`{name}`"),
            Self::Group(name) => write!(f, "all of `{name}`"),
            Self::Helper(name) => write!(f, "the helper `{name}`"),
            Self::File => f.write_str("the whole file"),
        }
    }
}
