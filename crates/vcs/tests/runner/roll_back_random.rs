//! Random changes of random trees are reverted.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use proptest::prelude::*;
use vcs::{NotRestoredReason, RolledBack};

use crate::picture::Picture;
use crate::repository::{Repository, soon};
use crate::roll_back::nothing;

#[derive(Debug, Clone)]
enum Deed {
    Write(String, String),
    Remove(String),
    Rename(String, String),
    Mode(String, u32),
    Link(String, String),
    Folder(String),
    Rules(String, String),
    Add,
    Commit,
    Branch(String),
    Detach,
}

/// Few names, so that actions collide; ignore rules match some of them.
fn path() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec!["a", "b", "build", "x.log", "-d", "ü y"]);
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"))
}

fn rules() -> impl Strategy<Value = String> {
    let rule = prop::sample::select(vec!["*.log", "build/", "a", "!x.log", "/b/a", "*"]);
    prop::collection::vec(rule, 0..3).prop_map(|rules| rules.join("\n"))
}

fn folder() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a/", "b/"]).prop_map(str::to_owned)
}

fn deed() -> impl Strategy<Value = Deed> {
    let text = prop::sample::select(vec!["", "one", "two\n", "three\r\n"]).prop_map(str::to_owned);
    let mode = prop::sample::select(vec![0o644, 0o755, 0o444, 0o600]);
    let branch = prop::sample::select(vec!["main", "agents"]).prop_map(str::to_owned);
    prop_oneof![
        4 => (path(), text).prop_map(|(path, text)| Deed::Write(path, text)),
        3 => path().prop_map(Deed::Remove),
        2 => (path(), path()).prop_map(|(from, to)| Deed::Rename(from, to)),
        1 => (path(), mode).prop_map(|(path, mode)| Deed::Mode(path, mode)),
        1 => (path(), path()).prop_map(|(to, path)| Deed::Link(to, path)),
        1 => path().prop_map(Deed::Folder),
        1 => (folder(), rules()).prop_map(|(folder, rules)| Deed::Rules(folder, rules)),
        1 => Just(Deed::Add),
        2 => Just(Deed::Commit),
        1 => branch.prop_map(Deed::Branch),
        1 => Just(Deed::Detach),
    ]
}

/// Impossible actions are skipped: a file may be in place of a folder.
fn perform(repository: &Repository, deed: &Deed) {
    let make_parent = |place: &Path| fs::create_dir_all(place.parent().unwrap());
    match deed {
        Deed::Write(path, text) => {
            let place = repository.at(path);
            let _ = make_parent(&place).and_then(|()| fs::write(&place, text));
        }
        Deed::Remove(path) => {
            let place = repository.at(path);
            let is_folder = fs::symlink_metadata(&place).is_ok_and(|found| found.is_dir());
            let _ = if is_folder { fs::remove_dir_all(place) } else { fs::remove_file(place) };
        }
        Deed::Rename(from, to) => {
            let place = repository.at(to);
            let _ = make_parent(&place).and_then(|()| fs::rename(repository.at(from), &place));
        }
        Deed::Mode(path, mode) => {
            let place = repository.at(path);
            if fs::symlink_metadata(&place).is_ok_and(|found| found.is_file()) {
                fs::set_permissions(place, fs::Permissions::from_mode(*mode)).unwrap();
            }
        }
        Deed::Link(to, path) => {
            let place = repository.at(path);
            let _ = make_parent(&place).and_then(|()| symlink(to, &place));
        }
        Deed::Folder(path) => drop(fs::create_dir_all(repository.at(path))),
        Deed::Rules(folder, rules) => {
            let _ = fs::create_dir_all(repository.at(folder));
            let _ = fs::write(repository.at(&format!("{folder}.gitignore")), rules);
        }
        Deed::Add => drop(repository.git(&["add", "-A"])),
        Deed::Commit => drop(repository.commit_all()),
        Deed::Branch(name) => drop(repository.git(&["checkout", "-q", "-f", "-B", name])),
        Deed::Detach => drop(repository.git(&["checkout", "-q", "--detach"])),
    }
}

fn perform_before(repository: &Repository, deeds: &[Deed]) {
    for deed in deeds {
        match deed {
            Deed::Branch(_) | Deed::Detach => {}
            deed => perform(repository, deed),
        }
    }
}

/// Without paths that were reported as different.
fn without_left(mut picture: Picture, rolled: &RolledBack) -> Picture {
    for left in &rolled.left {
        let folder = format!("{}/", left.path.trim_end_matches('/'));
        picture.0.retain(|name, _| *name != left.path && !format!("{name}/").starts_with(&folder));
        // Parent folders may be missing with it.
        for (slash, _) in left.path.match_indices('/') {
            picture.0.remove(&left.path[..slash]);
        }
    }
    picture
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn random_changes_are_reverted(
        before in prop::collection::vec(deed(), 0..16),
        after in prop::collection::vec(deed(), 1..16),
    ) {
        let repository = Repository::new();
        perform_before(&repository, &before);
        let tree = repository.tree();
        let (picture, status) = (Picture::of(repository.path()), repository.status());
        let staged = repository.git(&["write-tree"]);
        let to = tree.checkpoint(nothing, soon()).unwrap();
        prop_assert_eq!(&Picture::of(repository.path()), &picture);
        after.iter().for_each(|deed| perform(&repository, deed));
        tree.discarded("main", &to, nothing, soon()).unwrap();
        for _ in 0..2 {
            let rolled = tree.roll_back_and(vcs::NewIgnored::Removed, "main", &to, nothing, soon()).unwrap();
            let fits = |why: &NotRestoredReason| matches!(why, NotRestoredReason::Changed | NotRestoredReason::Gone);
            prop_assert!(rolled.left.iter().all(|left| fits(&left.why)), "{:?}", rolled);
            let now = without_left(Picture::of(repository.path()), &rolled);
            let was = without_left(picture.clone(), &rolled);
            prop_assert_eq!(was.differences(&now), Vec::<String>::new(), "{:?}", rolled);
            // Only what git can store counts here.
            prop_assert_eq!(repository.git(&["write-tree"]), staged.clone());
            if rolled.left.is_empty() {
                prop_assert_eq!(repository.status(), status.clone());
            }
            prop_assert_eq!(repository.head(), to.head.clone());
        }
    }
}
