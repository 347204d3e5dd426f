//! Whether a session belongs to the loop of the marker. Every session in the project runs the hooks; only those of
//! the loop must follow its rules.

use std::path::Path;
use std::time::SystemTime;

use tasks::Sha256Digest;

use crate::{Layout, LoopEnvironment, Marker, MarkerError, StoredMarker, is_alive};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Membership {
    NoMarker,
    /// The marker belongs to another session, or its run has ended.
    NotOurs {
        why: String,
    },
    /// The owner is unknown.
    Corrupt {
        why: String,
    },
    /// The environment proves that this is a loop session and that its marker was changed.
    Tampered(Tampering),
    Ours(Box<Marker>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tampering {
    Removed,
    Unreadable { why: String },
    Altered { written: Sha256Digest, found: Sha256Digest },
}

/// `session` is the id of the calling session, if known.
pub fn membership(layout: &Layout, env: &LoopEnvironment, session: Option<&str>) -> Membership {
    membership_of(StoredMarker::load(layout), layout, env, session)
}

/// For a marker that was already read.
pub fn membership_of(
    stored: Result<Option<StoredMarker>, MarkerError>,
    layout: &Layout,
    env: &LoopEnvironment,
    session: Option<&str>,
) -> Membership {
    let stored = match stored {
        Ok(Some(stored)) => stored,
        Ok(None) => return without_marker(layout, env),
        Err(error) => return unreadable(env, error.to_string()),
    };
    if let Some(written) = &env.marker_sha256 {
        let (written, found) = (*written, stored.sha256());
        if written != found {
            return Membership::Tampered(Tampering::Altered { written, found });
        }
    }
    match stored.parse() {
        Ok(marker) => {
            let Marker { run_id, session_id, pid, .. } = &marker;
            let owner = MarkerOwner { run_id, session_id, pid: *pid };
            match not_ours(&owner, stored.written(), env, session) {
                None => Membership::Ours(Box::new(marker)),
                Some(why) => Membership::NotOurs { why },
            }
        }
        Err(why) => unreadable(env, why),
    }
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

fn unreadable(env: &LoopEnvironment, why: String) -> Membership {
    if env.run_id.is_some() || env.marker_sha256.is_some() {
        Membership::Tampered(Tampering::Unreadable { why })
    } else {
        Membership::Corrupt { why }
    }
}

/// A hash in the environment proves that the run's project had a marker. A session that the agent started in
/// another folder never had one.
fn without_marker(layout: &Layout, env: &LoopEnvironment) -> Membership {
    let is_the_runs = || match &env.project_dir {
        Some(named) => is_same_folder(named, layout.root()),
        None => layout.is_set_up(),
    };
    if env.marker_sha256.is_some() && is_the_runs() {
        Membership::Tampered(Tampering::Removed)
    } else {
        Membership::NoMarker
    }
}

/// The owner that a marker names.
pub(crate) struct MarkerOwner<'a> {
    pub(crate) run_id: &'a Option<String>,
    pub(crate) session_id: &'a Option<String>,
    pub(crate) pid: Option<u32>,
}

/// Why the session is not the marker's; `None` if it is.
pub(crate) fn not_ours(
    owner: &MarkerOwner<'_>,
    written: Option<SystemTime>,
    env: &LoopEnvironment,
    session: Option<&str>,
) -> Option<String> {
    let session_id = owner.session_id.as_deref().filter(|id| !id.is_empty());
    let same = |a: Option<&str>, b: Option<&str>| a.is_some() && a == b;
    if same(session_id, session) || same(owner.run_id.as_deref(), env.run_id.as_deref()) {
        return None;
    }
    if let Some(named) = session_id {
        return Some(format!("the loop runs session {named:.40}, not this one"));
    }
    match owner.pid {
        Some(pid) if is_alive(pid, written) => None,
        Some(pid) => Some(format!("the run of the marker has ended (pid {pid})")),
        None => Some("the marker names neither a session nor a process".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OwnMarker;

    struct Case {
        dir: assert_fs::TempDir,
        env: LoopEnvironment,
    }

    impl Case {
        fn new(marker: &str) -> Self {
            let dir = assert_fs::TempDir::new().unwrap();
            std::fs::write(dir.path().join(".ralph-active"), marker).unwrap();
            Self { dir, env: LoopEnvironment::default() }
        }

        fn empty() -> Self {
            Self { dir: assert_fs::TempDir::new().unwrap(), env: LoopEnvironment::default() }
        }

        fn run_id(mut self, run: &str) -> Self {
            self.env.run_id = Some(run.into());
            self
        }

        fn sha256(mut self, of: &str) -> Self {
            self.env.marker_sha256 = Some(Sha256Digest::of(of));
            self
        }

        fn folder(self, name: &str) -> Self {
            std::fs::create_dir(self.dir.path().join(name)).unwrap();
            self
        }

        /// Both ways, which must agree.
        fn membership(&self, session: Option<&str>) -> &'static str {
            let full = self.full_membership(session);
            if let (Some(session), None) = (session, &self.env.marker_sha256) {
                let layout = Layout::new(self.dir.path());
                let own = OwnMarker::new(&layout, &self.env, session);
                assert_eq!(own.brief().is_some(), full == "ours");
            }
            full
        }

        fn full_membership(&self, session: Option<&str>) -> &'static str {
            match membership(&Layout::new(self.dir.path()), &self.env, session) {
                Membership::NoMarker => "no marker",
                Membership::NotOurs { .. } => "not ours",
                Membership::Corrupt { .. } => "corrupt",
                Membership::Tampered(Tampering::Removed) => "removed",
                Membership::Tampered(Tampering::Altered { .. }) => "altered",
                Membership::Tampered(Tampering::Unreadable { .. }) => "unreadable",
                Membership::Ours(_) => "ours",
            }
        }
    }

    #[test]
    fn a_named_session_is_ours_and_no_other() {
        let marker = r#"{"sessionId":"mine","runId":"r1"}"#;
        assert_eq!(Case::new(marker).membership(Some("mine")), "ours");
        assert_eq!(Case::new(marker).membership(Some("other")), "not ours");
        assert_eq!(Case::new(marker).membership(None), "not ours");
        assert_eq!(Case::new(marker).run_id("r1").membership(Some("other")), "ours");
        assert_eq!(Case::new(marker).run_id("r2").membership(Some("other")), "not ours");
    }

    #[test]
    fn a_living_pid_makes_any_session_ours_only_if_none_is_named() {
        let pid = std::process::id();
        assert_eq!(Case::new(&format!(r#"{{"pid":{pid}}}"#)).membership(Some("s")), "ours");
        let named = format!(r#"{{"pid":{pid},"sessionId":"mine"}}"#);
        assert_eq!(Case::new(&named).membership(Some("s")), "not ours");
        for dead in ["0", "-1", "2147483647", "99999999999"] {
            let marker = format!(r#"{{"pid":{dead}}}"#);
            assert_eq!(Case::new(&marker).membership(Some("s")), "not ours", "{dead}");
        }
        assert_eq!(Case::new("{}").membership(Some("s")), "not ours");
    }

    #[test]
    fn a_marker_cannot_be_made_older_than_its_runner() {
        let case = Case::new(&format!(r#"{{"pid":{}}}"#, std::process::id()));
        let marker = std::fs::File::open(case.dir.path().join(".ralph-active")).unwrap();
        let yesterday = SystemTime::now() - std::time::Duration::from_secs(24 * 3600);
        marker.set_modified(yesterday).unwrap();
        assert_eq!(case.membership(Some("s")), "ours");
    }

    #[test]
    fn a_marker_without_run_does_not_match_an_environment_without_run() {
        assert_eq!(Case::new("{}").membership(None), "not ours");
    }

    #[test]
    fn a_hash_that_differs_from_the_environment_is_tampering() {
        let marker = r#"{"sessionId":"mine"}"#;
        assert_eq!(Case::new(marker).sha256(marker).membership(Some("mine")), "ours");
        assert_eq!(Case::new(marker).sha256("else").membership(Some("mine")), "altered");
        assert_eq!(Case::new(marker).sha256("else").membership(Some("other")), "altered");
        assert_eq!(Case::new("broken").sha256("else").membership(Some("mine")), "altered");
    }

    #[test]
    fn a_removed_marker_is_tampering_where_a_loop_is_set_up() {
        assert_eq!(Case::empty().folder(".ralph").sha256("x").membership(Some("s")), "removed");
        assert_eq!(Case::empty().sha256("x").membership(Some("s")), "no marker");
        assert_eq!(Case::empty().folder(".ralph").membership(Some("s")), "no marker");
    }

    #[test]
    fn the_environment_knows_best_which_project_had_a_marker() {
        let mut wiped = Case::empty().sha256("x");
        wiped.env.project_dir = Some(wiped.dir.path().to_path_buf());
        assert_eq!(wiped.membership(Some("s")), "removed", "nothing is left of the run's project");
        let mut elsewhere = Case::empty().folder(".ralph").sha256("x");
        elsewhere.env.project_dir = Some(wiped.dir.path().to_path_buf());
        assert_eq!(elsewhere.membership(Some("s")), "no marker", "another project with a loop");
    }

    #[test]
    fn a_corrupt_marker_counts_only_against_a_proven_loop_session() {
        for broken in ["", "{", "[1]", "\u{0}"] {
            assert_eq!(Case::new(broken).membership(Some("s")), "corrupt", "{broken:?}");
            assert_eq!(Case::new(broken).run_id("r").membership(Some("s")), "unreadable");
        }
        let replaced = Case::empty().folder(".ralph-active").sha256("x");
        assert_eq!(replaced.membership(Some("s")), "unreadable");
        assert_eq!(Case::empty().folder(".ralph-active").membership(Some("s")), "corrupt");
    }
}
