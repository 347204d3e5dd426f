//! Scripts that prepare a sandbox and write files in it. Outside values are always arguments, never part of
//! a script. Every script can be repeated.

use std::ffi::OsString;
use std::path::Path;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub(super) user: User,
    pub(super) reads_stdin: bool,
    pub(super) text: &'static str,
    /// `$1`, `$2` …
    pub(super) args: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    Root,
    Agent,
}

/// The git author in a sandbox.
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

/// Keeps a correct link, so that a running session does not lose its home. Tests the links at the end,
/// because a broken one would show only during a session.
const LINK_STATE: &str = r#"set -eu
state=$1 home=/home/agent
for name in .claude .claude.json; do
  if [ "$(readlink -- "$home/$name" || true)" != "$state/$name" ]; then
    rm -rf -- "${home:?}/$name"
    ln -s -- "$state/$name" "$home/$name"
  fi
  chown -h agent:agent "$home/$name" 2>/dev/null || true
done
test -d "$home/.claude/." && test -f "$home/.claude.json""#;

const SET_IDENTITY: &str = r#"set -eu
git config --global --replace-all -- user.name "$1"
git config --global --replace-all -- user.email "$2""#;

/// Atomic: a reader sees the old file or the new one.
const WRITE: &str = r#"set -eu
mkdir -p -- "${1%/*}"
cat > "$1.part"
mv -f -- "$1.part" "$1""#;

const REMOVE: &str = r#"rm -f -- "$1""#;

impl Script {
    /// Links Claude Code's files to the state folder, which outlives the sandbox.
    pub fn link_state(state: &Path) -> Self {
        Self::new(User::Root, LINK_STATE, [state.into()])
    }

    pub fn set_identity(identity: &GitIdentity) -> Self {
        let GitIdentity { name, email } = identity;
        Self::new(User::Agent, SET_IDENTITY, [name.into(), email.into()])
    }

    /// Writes standard input to the file.
    pub fn write(path: &Path) -> Self {
        Self { reads_stdin: true, ..Self::new(User::Agent, WRITE, [path.into()]) }
    }

    pub fn remove(path: &Path) -> Self {
        Self::new(User::Agent, REMOVE, [path.into()])
    }

    fn new<const N: usize>(user: User, text: &'static str, args: [OsString; N]) -> Self {
        Self { user, reads_stdin: false, text, args: args.into() }
    }
}
