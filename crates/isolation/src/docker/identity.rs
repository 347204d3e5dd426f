//! Who commits in a sandbox.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitIdentity {
    pub name: String,
    pub email: String,
}

/// For a host whose git does not say.
impl Default for GitIdentity {
    fn default() -> Self {
        Self { name: "Ralph Loop".into(), email: "ralph@localhost".into() }
    }
}
