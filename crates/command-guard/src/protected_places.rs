//! Places that a command may not change or read, from the table `protected_places.txt` and the settings.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use project::{Layout, USERS_FILES};

use crate::effect::FileAction;
use crate::pattern::names;
use crate::place::{
    PathOwner, Relation, as_text, is_below, is_socket, normal, owner_of, relation_of,
};
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

/// The protected places of one context, by the signs of their names. Most commands need only those in the project.
#[derive(Debug, Default)]
pub(crate) struct ProtectedPlaces {
    in_project: OnceCell<Vec<ProtectedPlace>>,
    in_homes: OnceCell<Vec<ProtectedPlace>>,
    elsewhere: OnceCell<Vec<ProtectedPlace>>,
}

/// The places whose names begin with this sign, or with neither sign.
fn places(sign: Option<char>, context: &CommandContext) -> Vec<ProtectedPlace> {
    let is_meant = |name: &str| name.chars().next().filter(|first| ".~".contains(*first)) == sign;
    let mut places = by_settings(context);
    places.retain(|place| is_meant(&place.name));
    for row in rows(TABLE) {
        let (verb, names) = row.text.split_once(' ').unwrap_or((row.text, ""));
        places.extend(names.split(' ').filter(|name| is_meant(name)).map(|name| ProtectedPlace {
            name: if name.contains('+') { name.replace('+', " ").into() } else { name.into() },
            from_reading: verb == "take",
            reason: row.reason,
        }));
    }
    places
}

impl ProtectedPlaces {
    /// The reasons against an action on a path, whose components may be patterns.
    pub(crate) fn reasons(
        &self,
        path: &Path,
        action: FileAction,
        context: &CommandContext,
    ) -> Vec<Reason> {
        let is_outside = !is_below(path, &context.project);
        let text = as_text(path);
        let homes = || context.home.clone().into_iter().chain(home_of(path));
        let home = is_outside.then(|| homes().find_map(|home| named(&text, &home, "~"))).flatten();
        let forms = [
            (&self.in_project, Some('.'), named(&text, &context.project, ".")),
            (&self.in_homes, Some('~'), home),
            (&self.elsewhere, None, is_outside.then(|| text.to_string())),
        ];
        let mut found: Vec<Reason> = Vec::new();
        for (known, sign, form) in &forms {
            let Some(form) = form else { continue };
            let places = known.get_or_init(|| places(*sign, context));
            for place in places.iter().filter(|place| place.is_reached(form, path, action)) {
                if found.iter().all(|one| one.category != place.reason.category) {
                    found.push(place.reason);
                }
            }
        }
        let is_disk = || owner_of(path, context) == PathOwner::Outside && !is_socket(&text);
        found.retain(|reason| reason.category != Category::DiskTools || is_disk());
        if is_outside && reads(action) && is_key(path) {
            let mut reasons = rows(TABLE).map(|row| row.reason);
            found.extend(reasons.find(|one| one.category == Category::CredentialFiles));
        }
        found
    }
}

impl ProtectedPlace {
    /// `form` is the path in the form of the name.
    fn is_reached(&self, form: &str, path: &Path, action: FileAction) -> bool {
        // A link is another name under which the place could be changed.
        let is_link = action == FileAction::LinkTo;
        let is_meant = if self.from_reading { reads(action) } else { is_link || action.changes() };
        is_meant
            && match relation_of(form, &self.name) {
                Relation::Same | Relation::Below => {
                    self.reason.category != Category::CredentialFiles || !is_public(path)
                }
                // The project as a whole is protected from deletion in any case.
                Relation::Above => match action {
                    FileAction::DeleteTree | FileAction::MoveAway => form.starts_with("./"),
                    FileAction::LinkTo => form.starts_with('.') && !self.from_reading,
                    _ => action == FileAction::ReadTree,
                },
                Relation::Apart => false,
            }
    }
}

/// The path with a sign for a folder that it is in or that it contains.
fn named(path: &str, folder: &Path, sign: &str) -> Option<String> {
    let folder = as_text(folder);
    let folder = folder.trim_end_matches('/');
    if let Some(inside) = path.strip_prefix(folder).filter(|inside| inside.starts_with('/')) {
        return Some(sign.to_owned() + inside);
    }
    match relation_of(path, folder) {
        Relation::Apart => None,
        Relation::Above | Relation::Same => Some(sign.to_owned()),
        Relation::Below => {
            let inside = path.split('/').skip(folder.split('/').count());
            Some(inside.fold(sign.to_owned(), |form, part| form + "/" + part))
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
    let loops = USERS_FILES.map(|name| normal(layout.ralph_dir().join(name)));
    let loops = loops.into_iter().chain(context.rules.own.iter().chain(&context.plugin).cloned());
    let fixed =
        context.protected.iter().map(|name| (context.project.join(name), Reason { why, ..own }));
    let all = loops.map(|path| (path, own)).chain(fixed);
    let place = |(path, reason): (PathBuf, Reason)| {
        let name = match path.strip_prefix(&context.project) {
            Ok(rest) => format!("./{}", as_text(rest)),
            Err(_) => as_text(&path).into_owned(),
        };
        ProtectedPlace { name: name.into(), from_reading: false, reason }
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
    let ends = ["*.pem", "*.key", "*.kdbx", "*.p12", "*.pfx", "id_*"];
    let searches = ends.contains(&name.as_ref());
    let is_environment = path.starts_with("/proc") && path.ends_with("environ");
    is_environment
        || searches
        || (looks_for_keys || name != "*" && KEYS.iter().any(|key| names(&name, key)))
            && !is_public(path)
}
