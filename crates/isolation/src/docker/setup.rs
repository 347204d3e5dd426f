//! What is run in a sandbox to make it ready, and to write files there. Whatever comes from outside
//! is an argument of a script and never a part of it; every script can be run again.

use std::ffi::OsString;
use std::path::Path;

use super::GitIdentity;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub(super) user: User,
    pub(super) input: Input,
    pub(super) text: &'static str,
    /// `$1`, `$2` …
    pub(super) args: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    None,
    Read,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    Root,
    Agent,
}

/// A link that is right stays, so that a session that has begun does not lose its home. A home whose
/// links lead nowhere would be found out only in the middle of a session, so they are tried.
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

/// A reader sees the old file or the new one.
const WRITE: &str = r#"set -eu
mkdir -p -- "${1%/*}"
cat > "$1.part"
mv -f -- "$1.part" "$1""#;

const REMOVE: &str = r#"rm -f -- "$1""#;

impl Script {
    /// Claude Code's own files lie in the state folder and outlive the sandbox.
    pub fn link_state(state: &Path) -> Self {
        Self::new(User::Root, LINK_STATE, [state.into()])
    }

    pub fn set_identity(identity: &GitIdentity) -> Self {
        let GitIdentity { name, email } = identity;
        Self::new(User::Agent, SET_IDENTITY, [name.into(), email.into()])
    }

    /// What it is told on its standard input becomes the file.
    pub fn write(path: &Path) -> Self {
        Self { input: Input::Read, ..Self::new(User::Agent, WRITE, [path.into()]) }
    }

    pub fn remove(path: &Path) -> Self {
        Self::new(User::Agent, REMOVE, [path.into()])
    }

    fn new<const N: usize>(user: User, text: &'static str, args: [OsString; N]) -> Self {
        Self { user, input: Input::None, text, args: args.into() }
    }
}
