//! Places that a command may not change or read, from the table `protected_places.txt` and the settings.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use project::{Layout, USERS_FILES};

use crate::effect::FileAction;
use crate::pattern::names;
use crate::place::{PathOwner, Relation, is_socket, normal, owner_of, relation, relation_of};
use crate::policy_table::{Reason, rows};
use crate::words::words;
use crate::{Category, CommandContext};

const TABLE: &str = include_str!("protected_places.txt");

#[derive(Debug)]
struct ProtectedPlace {
    /// `./` stands for the project, `~/` for each home.
    name: Cow<'static, str>,
    /// From reading, else from changes.
    from_reading: bool,
    reason: Reason,
}

/// The protected places of one context.
#[derive(Debug)]
pub(crate) struct ProtectedPlaces {
    /// Those in the project first.
    places: Vec<ProtectedPlace>,
    in_project: usize,
}

impl ProtectedPlaces {
    pub(crate) fn of(context: &CommandContext) -> Self {
        let mut places = by_settings(context);
        for row in rows(TABLE) {
            let (verb, names) = row.text.split_once(' ').unwrap_or((row.text, ""));
            places.extend(names.split(' ').map(|name| ProtectedPlace {
                name: if name.contains('+') { name.replace('+', " ").into() } else { name.into() },
                from_reading: verb == "take",
                reason: row.reason,
            }));
        }
        let is_elsewhere = |place: &ProtectedPlace| !place.name.starts_with('.');
        places.sort_by_key(is_elsewhere);
        let in_project = places.partition_point(|place| !is_elsewhere(place));
        Self { places, in_project }
    }

    /// The reasons against an action on a path, whose components may be patterns.
    pub(crate) fn reasons(
        &self,
        path: &Path,
        action: FileAction,
        context: &CommandContext,
    ) -> Vec<Reason> {
        let is_outside = !path.starts_with(&context.project);
        let own_home = context.home.clone().filter(|home| relation(path, home) != Relation::Apart);
        let home = own_home.or_else(|| home_of(path)).filter(|_| is_outside);
        let in_project = named(path, &context.project, ".");
        let in_home = home.and_then(|home| named(path, &home, "~"));
        let anywhere = is_outside.then(|| path.to_string_lossy().into_owned());
        let mut found: Vec<Reason> = Vec::new();
        let most = if is_outside { self.places.len() } else { self.in_project };
        for place in self.places.iter().take(most) {
            let form = match place.name.as_bytes().first() {
                Some(b'.') => &in_project,
                Some(b'~') => &in_home,
                _ => &anywhere,
            };
            let is_new = || found.iter().all(|one| one.category != place.reason.category);
            if form.as_ref().is_some_and(|form| place.is_reached(form, path, action)) && is_new() {
                found.push(place.reason);
            }
        }
        if owner_of(path, context) != PathOwner::Outside || is_socket(&path.to_string_lossy()) {
            found.retain(|reason| reason.category != Category::DiskTools);
        }
        if is_outside && reads(action) && is_key(path) {
            let rows = rows(TABLE).map(|row| row.reason);
            found.extend(rows.into_iter().find(|one| one.category == Category::CredentialFiles));
        }
        found
    }
}

impl ProtectedPlace {
    /// `form` is the path in the form of the name.
    fn is_reached(&self, form: &str, path: &Path, action: FileAction) -> bool {
        let is_meant = if self.from_reading { reads(action) } else { action.changes() };
        is_meant
            && match relation_of(form, &self.name) {
                Relation::Same | Relation::Below => {
                    self.reason.category != Category::CredentialFiles || !is_public(path)
                }
                // The project as a whole is protected from deletion in any case.
                Relation::Above => match action {
                    FileAction::DeleteTree | FileAction::MoveAway => form.starts_with("./"),
                    _ => action == FileAction::ReadTree,
                },
                Relation::Apart => false,
            }
    }
}

/// The path with a sign for a folder that it is in or that it contains.
fn named(path: &Path, folder: &Path, sign: &str) -> Option<String> {
    match relation(path, folder) {
        Relation::Apart => None,
        Relation::Above | Relation::Same => Some(sign.to_owned()),
        Relation::Below => {
            let rest: PathBuf = path.components().skip(folder.components().count()).collect();
            Some(format!("{sign}/{}", rest.to_string_lossy()))
        }
    }
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
    let place = |(path, reason): (PathBuf, Reason)| {
        let name = match path.strip_prefix(&context.project) {
            Ok(rest) => format!("./{}", rest.display()).into(),
            Err(_) => path.to_string_lossy().into_owned().into(),
        };
        ProtectedPlace { name, from_reading: false, reason }
    };
    all.map(place).collect()
}

fn reads(action: FileAction) -> bool {
    !action.changes() || action == FileAction::MoveAway
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
    const KEYS: &[&str] =
        words!("id_rsa id_ed25519 id_ecdsa id_dsa id_ed25519_sk .netrc .git-credentials .pgpass");
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
