//! Places that a command may not change or read, from the table `protected_places.txt` and the settings.

use std::path::{Path, PathBuf};

use project::{Layout, USERS_FILES};

use crate::effects::FileAction;
use crate::pattern::names;
use crate::place::{Relation, normal, relation};
use crate::policy_table::{Reason, Row, rows};
use crate::{Category, CommandContext};

const TABLE: &str = include_str!("protected_places.txt");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protected {
    FromChanges,
    FromReading,
}

/// The protected places of one context.
#[derive(Debug)]
pub(crate) struct ProtectedPlaces {
    in_project: Vec<(PathBuf, Protected, Reason)>,
    elsewhere: Vec<(PathBuf, Protected, Reason)>,
    /// Relative to any home.
    in_homes: Vec<(&'static str, Protected, Reason)>,
}

impl ProtectedPlaces {
    pub(crate) fn of(context: &CommandContext) -> Self {
        let mut places =
            Self { in_project: Vec::new(), elsewhere: Vec::new(), in_homes: Vec::new() };
        for Row { reason, text, .. } in rows(TABLE) {
            if let Some(names) = text.strip_prefix("change ") {
                places.add(names, Protected::FromChanges, reason, context);
            } else if let Some(names) = text.strip_prefix("take ") {
                places.add(names, Protected::FromReading, reason, context);
            }
        }
        places.add_settings(context);
        places
    }

    fn add(
        &mut self,
        names: &'static str,
        protected: Protected,
        reason: Reason,
        context: &CommandContext,
    ) {
        for name in names.split(' ') {
            if let Some(name) = name.strip_prefix("./") {
                self.in_project.push((context.project.join(name), protected, reason));
            } else if let Some(name) = name.strip_prefix("~/") {
                let homes = context
                    .home
                    .iter()
                    .map(|home| (home.join(name.replace('+', " ")), protected, reason));
                self.elsewhere.extend(homes);
                self.in_homes.push((name, protected, reason));
            } else {
                self.elsewhere.push((PathBuf::from(name.replace('+', " ")), protected, reason));
            }
        }
    }

    /// The loop's own files and the files that are fixed in this iteration.
    fn add_settings(&mut self, context: &CommandContext) {
        let Some(own) = self.in_project.first().map(|(_, _, reason)| *reason) else { return };
        let layout = Layout::new(&context.project);
        let layout = match &context.rules.ralph_dir {
            Some(folder) => layout.with_ralph_dir(folder),
            None => layout,
        };
        let loops = USERS_FILES.map(|name| normal(&layout.ralph_dir().join(name)));
        let loops =
            loops.into_iter().chain(context.rules.own.iter().chain(&context.plugin).cloned());
        let loops: Vec<PathBuf> = loops.collect();
        let fixed = Reason {
            why: "it changes a file that is fixed in this iteration: a wrong test is disputed in the notes of its story",
            ..own
        };
        let fixed = context.protected.iter().map(|name| (context.project.join(name), fixed));
        for (path, reason) in loops.into_iter().map(|path| (path, own)).chain(fixed) {
            let list = if path.starts_with(&context.project) {
                &mut self.in_project
            } else {
                &mut self.elsewhere
            };
            list.push((path, Protected::FromChanges, reason));
        }
    }

    /// The reasons against an action on a path, whose components may be patterns.
    pub(crate) fn reasons(
        &self,
        path: &Path,
        action: FileAction,
        context: &CommandContext,
    ) -> Vec<Reason> {
        let mut found: Vec<Reason> = Vec::new();
        let mut check = |place: &Path, protected: Protected, reason: Reason| {
            let is_new = found.iter().all(|one| one.category != reason.category);
            if is_new
                && applies(protected, action)
                && reaches(path, place, action, reason.category, context)
            {
                found.push(reason);
            }
        };
        let is_inside = path.starts_with(&context.project);
        self.in_project
            .iter()
            .for_each(|(place, protected, reason)| check(place, *protected, *reason));
        if !is_inside {
            self.elsewhere
                .iter()
                .for_each(|(place, protected, reason)| check(place, *protected, *reason));
            let other = home_of(path).filter(|home| context.home.as_deref() != Some(home));
            if let Some(home) = other {
                let places = self.in_homes.iter();
                places.for_each(|(name, protected, reason)| {
                    check(&home.join(name), *protected, *reason)
                });
            }
            if applies(Protected::FromReading, action) && is_key(path) {
                found.extend(
                    self.in_homes
                        .iter()
                        .map(|(_, _, reason)| *reason)
                        .find(|reason| reason.category == Category::CredentialFiles),
                );
            }
        }
        found
    }
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
    place: &Path,
    action: FileAction,
    category: Category,
    context: &CommandContext,
) -> bool {
    match relation(path, place) {
        Relation::Same | Relation::Below => match category {
            Category::CredentialFiles => !is_public(path),
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
