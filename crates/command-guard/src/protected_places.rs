//! Places that a command may not change or read, from the table `protected_places.txt` and the settings.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use project::{Layout, USERS_FILES};

use crate::effect::FileAction;
use crate::pattern::names;
use crate::place::{PathOwner, Relation, is_socket, normal, owner_of, relation};
use crate::policy_table::{Reason, Row, rows};
use crate::{Category, CommandContext};

const TABLE: &str = include_str!("protected_places.txt");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protected {
    FromChanges,
    FromReading,
}

#[derive(Debug)]
struct ProtectedPlace {
    path: PathBuf,
    protected: Protected,
    reason: Reason,
}

/// The protected places of one context. Most commands stay in the project, so the others are found when needed.
#[derive(Debug)]
pub(crate) struct ProtectedPlaces {
    in_project: Vec<ProtectedPlace>,
    elsewhere: OnceCell<Vec<ProtectedPlace>>,
}

impl ProtectedPlaces {
    pub(crate) fn of(context: &CommandContext) -> Self {
        let mut in_project = named(|name| Some(context.project.join(name.strip_prefix("./")?)));
        in_project.extend(by_settings(context));
        Self { in_project, elsewhere: OnceCell::new() }
    }

    fn elsewhere(&self, context: &CommandContext) -> &[ProtectedPlace] {
        let of_machine = |name: &str| name.starts_with('/').then(|| PathBuf::from(name));
        self.elsewhere.get_or_init(|| {
            let own = context.home.iter().flat_map(|home| in_home(home));
            own.chain(named(of_machine)).collect()
        })
    }

    /// The reasons against an action on a path, whose components may be patterns.
    pub(crate) fn reasons(
        &self,
        path: &Path,
        action: FileAction,
        context: &CommandContext,
    ) -> Vec<Reason> {
        let mut places: Vec<&ProtectedPlace> = self.in_project.iter().collect();
        let mut in_other_home = Vec::new();
        if !path.starts_with(&context.project) {
            places.extend(self.elsewhere(context));
            let other = home_of(path).filter(|home| context.home.as_deref() != Some(home));
            in_other_home.extend(other.iter().flat_map(|home| in_home(home)));
            places.extend(&in_other_home);
        }
        let mut found: Vec<Reason> = Vec::new();
        for place in places {
            let is_new = found.iter().all(|one| one.category != place.reason.category);
            if is_new && applies(place.protected, action) && reaches(path, place, action, context) {
                found.push(place.reason);
            }
        }
        if applies(Protected::FromReading, action)
            && !path.starts_with(&context.project)
            && is_key(path)
        {
            let credentials =
                rows(TABLE).find(|row| row.reason.category == Category::CredentialFiles);
            found.extend(credentials.map(|row| row.reason));
        }
        found
    }
}

/// The places of the table whose names stand for a path.
fn named(path: impl Fn(&str) -> Option<PathBuf>) -> Vec<ProtectedPlace> {
    let mut places = Vec::new();
    for Row { reason, text, .. } in rows(TABLE) {
        let (verb, names) = text.split_once(' ').unwrap_or((text, ""));
        let protected =
            if verb == "take" { Protected::FromReading } else { Protected::FromChanges };
        let paths = names.split(' ').filter_map(|name| path(&name.replace('+', " ")));
        places.extend(paths.map(|path| ProtectedPlace { path, protected, reason }));
    }
    places
}

fn in_home(home: &Path) -> Vec<ProtectedPlace> {
    named(|name| Some(home.join(name.strip_prefix("~/")?)))
}

/// The loop's own files and the files that are fixed in this iteration.
fn by_settings(context: &CommandContext) -> Vec<ProtectedPlace> {
    let Some(own) = rows(TABLE).map(|row| row.reason).next() else { return Vec::new() };
    let layout = Layout::new(&context.project);
    let layout = match &context.rules.ralph_dir {
        Some(folder) => layout.with_ralph_dir(folder),
        None => layout,
    };
    let why = "it changes a file that is fixed in this iteration: a wrong test is disputed in the notes of its story";
    let loops = USERS_FILES.map(|name| normal(&layout.ralph_dir().join(name)));
    let loops = loops.into_iter().chain(context.rules.own.iter().chain(&context.plugin).cloned());
    let fixed =
        context.protected.iter().map(|name| (context.project.join(name), Reason { why, ..own }));
    let all = loops.map(|path| (path, own)).chain(fixed);
    all.map(|(path, reason)| ProtectedPlace { path, protected: Protected::FromChanges, reason })
        .collect()
}

fn applies(protected: Protected, action: FileAction) -> bool {
    match protected {
        Protected::FromChanges => action.changes(),
        Protected::FromReading => matches!(
            action,
            FileAction::Read | FileAction::ReadTree | FileAction::MoveAway | FileAction::LinkTo
        ),
    }
}

fn reaches(
    path: &Path,
    place: &ProtectedPlace,
    action: FileAction,
    context: &CommandContext,
) -> bool {
    match relation(path, &place.path) {
        Relation::Same | Relation::Below => match place.reason.category {
            Category::CredentialFiles => !is_public(path),
            Category::DiskTools => {
                owner_of(path, context) == PathOwner::Outside && !is_socket(&path.to_string_lossy())
            }
            // A lock that git left behind may be removed.
            Category::GitHistory => path.extension().is_none_or(|extension| extension != "lock"),
            _ => true,
        },
        Relation::Above if action == FileAction::ReadTree => true,
        // The project as a whole is protected from deletion in any case.
        Relation::Above => {
            let takes_all = matches!(action, FileAction::DeleteTree | FileAction::MoveAway);
            takes_all && path.starts_with(&context.project) && path != context.project
        }
        Relation::Apart => false,
    }
}

/// The home folder that contains the path.
fn home_of(path: &Path) -> Option<PathBuf> {
    let mut parts = path.components();
    let (root, folder, user) = (parts.next()?, parts.next()?, parts.next()?);
    let name = folder.as_os_str().to_string_lossy();
    let is_homes = ["home", "Users"].iter().any(|homes| names(&name, homes));
    is_homes.then(|| Path::new(root.as_os_str()).join(folder).join(user))
}

/// Files of keys that hold no secret.
fn is_public(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let in_ssh = path.parent().is_some_and(|folder| folder.ends_with(".ssh"));
    name.ends_with(".pub")
        || (in_ssh && ["known_hosts", "config", "authorized_keys"].contains(&name.as_ref()))
}

/// A key file in any folder, a pattern that matches key folders anywhere, or the environment of a process.
fn is_key(path: &Path) -> bool {
    const KEYS: &[&str] = crate::words::words!(
        "id_rsa id_ed25519 id_ecdsa id_dsa id_ed25519_sk .netrc .git-credentials .pgpass"
    );
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let looks_for_keys = path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        let bare = part.trim_matches('*');
        part != bare && [".ssh", "ssh", ".gnupg", "gnupg", ".aws"].contains(&bare)
    });
    let is_environment = path.starts_with("/proc") && path.ends_with("environ");
    is_environment
        || (looks_for_keys || name != "*" && KEYS.iter().any(|key| names(&name, key)))
            && !is_public(path)
}
