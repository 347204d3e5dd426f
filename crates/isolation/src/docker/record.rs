//! The saved record of a sandbox: its creation options, which the program does not report, and its setup
//! progress.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{GitIdentity, Mount, MountAccess};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    project: String,
    mounts: Vec<(String, MountAccess)>,
    identity: GitIdentity,
    /// The hosts that its network is limited to.
    #[serde(default)]
    hosts: Option<Vec<String>>,
    progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Progress {
    /// The sandbox may or may not exist, and is not set up.
    Begun,
    SetUp,
}

impl Record {
    /// The record of a sandbox before its creation.
    pub fn begun(
        project: &Path,
        mounts: &[Mount],
        identity: &GitIdentity,
        hosts: Option<&[String]>,
    ) -> Self {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let mounts = mounts.iter().map(|mount| (shown(&mount.path), mount.access)).collect();
        Self {
            project: shown(project),
            mounts,
            identity: identity.clone(),
            hosts: hosts.map(<[String]>::to_vec),
            progress: Progress::Begun,
        }
    }

    pub fn set_up(self) -> Self {
        Self { progress: Progress::SetUp, ..self }
    }

    /// Whether the sandbox can be changed to `wanted`: the mounts must be equal, and a host cannot be removed.
    pub fn can_become(&self, wanted: &Self) -> bool {
        let hosts_stay = match (&self.hosts, &wanted.hosts) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(wanted)) => own.iter().all(|host| wanted.contains(host)),
        };
        self.project == wanted.project && self.mounts == wanted.mounts && hosts_stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(mounts: &[Mount]) -> Record {
        Record::begun(Path::new("/p"), mounts, &GitIdentity::default(), None)
    }

    fn limited(hosts: &[&str]) -> Record {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        Record::begun(Path::new("/p"), &[], &GitIdentity::default(), Some(&hosts))
    }

    #[test]
    fn a_record_survives_a_round_trip() {
        let one = begun(&[Mount::read_only("/a\n\"b"), Mount::read_write("/c")]);
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), one);
        assert_ne!(one.clone().set_up(), one);
        assert!(serde_json::from_str::<Record>("{}").is_err());
    }

    #[test]
    fn other_mounts_or_another_access_are_another_sandbox() {
        let one = begun(&[Mount::read_only("/a")]).set_up();
        assert!(one.can_become(&begun(&[Mount::read_only("/a")])));
        assert!(!one.can_become(&begun(&[Mount::read_write("/a")])));
        assert!(!one.can_become(&begun(&[])));
    }

    #[test]
    fn hosts_can_be_added_to_a_sandbox_but_not_removed() {
        assert!(begun(&[]).can_become(&limited(&["a"])));
        assert!(limited(&["a"]).can_become(&limited(&["b", "a"])));
        assert!(!limited(&["a", "b"]).can_become(&limited(&["a"])));
        assert!(!limited(&["a"]).can_become(&begun(&[])));
        let before_hosts = serde_json::to_string(&begun(&[])).unwrap();
        let before_hosts = before_hosts.replace("\"hosts\":null,", "");
        assert_eq!(serde_json::from_str::<Record>(&before_hosts).unwrap(), begun(&[]));
    }
}
