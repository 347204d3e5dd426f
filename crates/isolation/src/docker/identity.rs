//! The git author in a sandbox.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitIdentity {
    pub name: String,
    pub email: String,
}

/// Used if git on the host has no identity.
impl Default for GitIdentity {
    fn default() -> Self {
        Self { name: "Ralph Loop".into(), email: "ralph@localhost".into() }
    }
}
