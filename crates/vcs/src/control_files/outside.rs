//! Settings of git outside of the repository, the user's and the system's, with every file that they or the
//! repository's own settings include or name.
//!
//! A session without a sandbox can write them. The runner writes nothing in the user's home. If a setting
//! changes that decides which files git sees or how it converts them, that is an error, and the user decides.
//! If one changes that names a program, it is reported, and the user's own git is not started with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::image::Look;
use super::places::{CONFIG, Places, WORK_TREE_CONFIG};
use super::settings::{Settings, key_and_value};
use super::{AllowedChanges, Effect, differing, keys};
use crate::VcsError;
use crate::path_text::os_string;

const PATIENCE: Duration = Duration::from_secs(20);

/// More than any of these files has.
const LARGEST: u64 = 1024 * 1024;

/// More files than any user's settings include. What is beyond was added during the run, in a file that differs.
const MOST_FILES: usize = 200;

/// Settings that name a file, with the one that git reads without them.
///
/// Not `core.excludesFile`: Claude Code adds to the user's list of ignored files when it starts, and new
/// files that git ignores are listed to the reviewer.
const NAMES_A_FILE: [(&str, &str); 1] = [("core.attributesfile", "attributes")];

const HOOKS_PATH: &str = "core.hookspath";

#[derive(Debug, Clone, Default)]
pub(crate) struct OutsideSettings {
    /// Digests of settings and of the files that they name, as they were when the run began.
    digests: BTreeMap<String, String>,
    /// Settings that name programs and differ now, with their digest.
    differing: BTreeMap<String, Option<String>>,
    /// Everything that was read for it, also what is not there.
    files: Vec<PathBuf>,
    /// What the files were like then.
    seen: Vec<Seen>,
}

/// How a file or a folder looks, and what is in a file: one that was written again at once can look the same.
type Seen = (Look, Option<String>);

impl OutsideSettings {
    /// The repository's own settings have to be the user's.
    pub(crate) fn read(places: &Places) -> Result<Self, VcsError> {
        let mut files = ConfigFiles::in_effect(places)?;
        files.follow_includes(places)?;
        let own = [CONFIG, WORK_TREE_CONFIG].map(|name| places.path(name));
        let mut found = Self { digests: files.unreadable, ..Self::default() };
        let mut values: BTreeMap<&str, Sha256> = BTreeMap::new();
        let mut named: Vec<(&str, PathBuf)> = Vec::new();
        for (file, settings) in &files.settings {
            for (key, value) in settings {
                if keys::effect(key).is_some() && !own.contains(file) {
                    let digest = values.entry(key).or_default();
                    for part in [file.as_os_str().as_encoded_bytes(), value] {
                        digest.update(part);
                        digest.update([0]);
                    }
                }
                if NAMES_A_FILE.iter().any(|(names, _)| names == key) {
                    named.push((key.as_str(), places.top().join(expanded(value))));
                } else if key == HOOKS_PATH {
                    named.extend(hooks_in(&places.top().join(expanded(value)), places.top()));
                }
            }
        }
        let usual = NAMES_A_FILE.iter().filter_map(|(key, usual)| Some((*key, xdg()?.join(usual))));
        named.extend(usual);
        found.digests.extend(
            values.into_iter().map(|(key, all)| (key.into(), HEXLOWER.encode(&all.finalize()))),
        );
        for (key, file) in &named {
            if let Some(digest) = content(file) {
                found.digests.insert(format!("{key} ({})", file.display()), digest);
            }
        }
        let read = files.settings.keys().chain(&files.absent);
        found.files = read.filter(|file| !own.contains(file)).cloned().collect();
        found.files.extend(named.into_iter().map(|(_, file)| file));
        found.seen = found.see();
        Ok(found)
    }

    fn see(&self) -> Vec<Seen> {
        self.files.iter().map(|file| (Look::through(file), content(file))).collect()
    }

    /// The first setting that decides content and is not what it was is an error, unless `allowed` allows it.
    /// Returns those that name programs and have changed since the last call.
    pub(crate) fn enforce(
        &mut self,
        places: &Places,
        allowed: &AllowedChanges,
    ) -> Result<Vec<String>, VcsError> {
        let seen = self.see();
        if seen == self.seen {
            return Ok(Vec::new());
        }
        let mut now = Self::read(places)?;
        let names = changed(&self.digests, &now.digests, allowed);
        if let Some(name) = names.iter().find(|name| !executes(name)) {
            return Err(VcsError::OutsideSettingChanged { name: name.clone() });
        }
        for name in names {
            now.differing.insert(name.clone(), now.digests.remove(&name));
            let before = self.digests.get(&name).map(|digest| (name, digest.clone()));
            now.digests.extend(before);
        }
        let is_new = |name: &&String| self.differing.get(*name) != now.differing.get(*name);
        let news = now.differing.keys().filter(is_new).cloned().collect();
        // As they were before they were read.
        now.seen = if now.files == self.files { seen } else { Vec::new() };
        *self = now;
        Ok(news)
    }

    /// A setting that names a program, if one is not what it was.
    pub(crate) fn differing(&self) -> Option<&String> {
        self.differing.keys().next()
    }

    pub(crate) fn digests(&self) -> &BTreeMap<String, String> {
        &self.digests
    }
}

/// The settings of each file, in the order in which git reads them.
#[derive(Default)]
struct ConfigFiles {
    settings: BTreeMap<PathBuf, Vec<(String, Vec<u8>)>>,
    absent: Vec<PathBuf>,
    /// Digests of files in which git finds no settings.
    unreadable: BTreeMap<String, String>,
}

impl ConfigFiles {
    /// What git reads in this repository.
    fn in_effect(places: &Places) -> Result<Self, VcsError> {
        let call = places.git_config().args(["--list", "--includes", "--show-origin", "-z"]);
        let answer = call.answer(Instant::now() + PATIENCE)?;
        answer.well("config")?;
        let mut all = Self::default();
        let mut words = answer.printed.split(|byte| *byte == 0);
        while let (Some(origin), Some(setting)) = (words.next(), words.next()) {
            let Some(file) = origin.strip_prefix(b"file:") else { continue };
            let file = places.top().join(os_string(file));
            all.settings.entry(file).or_default().push(key_and_value(setting));
        }
        Ok(all)
    }

    /// Files that git does not read now: they are not there, or their condition does not hold.
    fn follow_includes(&mut self, places: &Places) -> Result<(), VcsError> {
        let mut next = roots();
        next.extend(self.settings.iter().flat_map(|(file, settings)| includes(file, settings)));
        while let Some(file) = next.pop() {
            let is_known = self.settings.contains_key(&file) || self.absent.contains(&file);
            if is_known || self.settings.len() + self.absent.len() > MOST_FILES {
                continue;
            }
            let text = bounded_read::read_file(&file, LARGEST).ok();
            let read = text.map(|text| Settings::read(&text, places.top())).transpose()?;
            let Some(settings) = read.flatten() else {
                let name = format!("include.path ({})", file.display());
                self.unreadable.extend(content(&file).map(|digest| (name, digest)));
                self.absent.push(file);
                continue;
            };
            let all = settings.guarded().flat_map(|(key, values)| {
                values.iter().map(move |value| (key.to_owned(), value.clone()))
            });
            let all: Vec<(String, Vec<u8>)> = all.collect();
            next.extend(includes(&file, &all));
            self.settings.insert(file, all);
        }
        Ok(())
    }
}

/// The files that a file includes, under whatever condition.
fn includes(file: &Path, settings: &[(String, Vec<u8>)]) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(file);
    let is_include =
        |key: &str| matches!(keys::parts(key), Some(("include" | "includeif", "path")));
    let named = settings.iter().filter(|(key, _)| is_include(key));
    named.map(|(_, value)| folder.join(expanded(value))).collect()
}

/// The names in which the two differ, without those that are allowed.
pub(crate) fn changed(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
    allowed: &AllowedChanges,
) -> Vec<String> {
    let refused = differing(before, now)
        .into_iter()
        .filter(|name| !allowed.allows(name) && !allowed.allows(key_of(name)));
    refused.cloned().collect()
}

fn executes(name: &str) -> bool {
    keys::effect(key_of(name)) == Some(Effect::Executes)
}

/// Of a setting, or of a file that a setting names.
fn key_of(name: &str) -> &str {
    name.split_once(" (").map_or(name, |(key, _)| key)
}

/// Where git looks for settings outside of a repository, also if nothing is there.
fn roots() -> Vec<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let system = variable("GIT_CONFIG_SYSTEM").or_else(|| Some("/etc/gitconfig".into()));
    let system = system.filter(|_| variable("GIT_CONFIG_NOSYSTEM").is_none());
    let home = variable("HOME").map(|home| home.join(".gitconfig"));
    let users = match variable("GIT_CONFIG_GLOBAL") {
        Some(named) => [Some(named), None],
        None => [home, xdg().map(|folder| folder.join("config"))],
    };
    users.into_iter().chain([system]).flatten().collect()
}

fn xdg() -> Option<PathBuf> {
    let configured = std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty());
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    configured.map(PathBuf::from).or(home).map(|folder| folder.join("git"))
}

/// The folder and its hooks. Hooks in the project itself are part of the work.
fn hooks_in(folder: &Path, top: &Path) -> Vec<(&'static str, PathBuf)> {
    if folder.starts_with(top) {
        return Vec::new();
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut hooks: Vec<PathBuf> = entries.take(MOST_FILES).map(|entry| entry.path()).collect();
    hooks.sort();
    hooks.retain(|hook| hook.is_file());
    hooks.push(folder.to_owned());
    hooks.into_iter().map(|hook| (HOOKS_PATH, hook)).collect()
}

fn expanded(name: &[u8]) -> PathBuf {
    match (name.strip_prefix(b"~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(os_string(rest)),
        _ => PathBuf::from(os_string(name)),
    }
}

/// A digest of what is in a file, if it is there.
fn content(file: &Path) -> Option<String> {
    std::fs::metadata(file).ok()?;
    let bytes = bounded_read::read_file(file, LARGEST).unwrap_or_else(|_| b"no file".to_vec());
    Some(HEXLOWER.encode(&Sha256::digest(bytes)))
}
