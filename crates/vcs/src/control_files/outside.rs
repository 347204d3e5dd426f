//! Guards git settings outside the repository (user and system), with every file that they or the
//! repository's settings include or name.
//!
//! A session without a sandbox can write them. The runner never writes in the user's home. A
//! changed setting that affects content is an error, which the user resolves. A changed setting
//! that names a program is reported, and no git with the user's settings is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::image::FileMetadata;
use super::places::{CONFIG, WORK_TREE_CONFIG};
use super::settings::{Settings, key_and_value};
use super::{AllowedChanges, Effect, differing, keys};
use crate::path_text::os_string;
use crate::{Result, VcsError, WorkTree};

const PATIENCE: Duration = Duration::from_secs(20);

const LARGEST: u64 = 1024 * 1024;

/// Further files were added during the run, in a file whose change is detected.
const MOST_FILES: usize = 200;

/// A setting that names a file, with git's default for it.
///
/// `core.excludesFile` is omitted: Claude Code appends to that file on start, and the reviewer sees
/// newly ignored files.
const NAMES_A_FILE: (&str, &str) = ("core.attributesfile", "attributes");

const HOOKS_PATH: &str = "core.hookspath";

#[derive(Debug, Clone, Default)]
pub(crate) struct OutsideSettings {
    /// Digests of settings and of files they name, at the start of the run.
    digests: BTreeMap<String, String>,
    /// Changed settings that name programs, with their digest.
    differing: BTreeMap<String, Option<String>>,
    /// Every file that was read, existing or not.
    files: Vec<PathBuf>,
    /// The state of the files at that time.
    seen: Vec<FileState>,
}

/// Metadata and content digest: a quick rewrite may leave the metadata unchanged.
type FileState = (FileMetadata, Option<String>);

impl OutsideSettings {
    /// The repository's own settings must already be restored.
    pub(crate) fn read(tree: &WorkTree) -> Result<Self> {
        let mut files = ConfigFiles::in_effect(tree)?;
        files.follow_includes()?;
        let own = [CONFIG, WORK_TREE_CONFIG].map(|name| tree.control_path(name));
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
                if key == NAMES_A_FILE.0 {
                    named.push((key.as_str(), tree.top.join(expanded(value))));
                } else if key == HOOKS_PATH {
                    named.extend(hooks_in(&tree.top.join(expanded(value)), &tree.top));
                }
            }
        }
        named.extend(xdg().map(|folder| (NAMES_A_FILE.0, folder.join(NAMES_A_FILE.1))));
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

    fn see(&self) -> Vec<FileState> {
        self.files.iter().map(|file| (FileMetadata::through(file), content(file))).collect()
    }

    /// Fails with the first changed setting that affects content and is not in `allowed`. Returns
    /// the settings that name programs and changed since the last call.
    pub(crate) fn enforce(
        &mut self,
        tree: &WorkTree,
        allowed: &AllowedChanges,
    ) -> Result<Vec<String>> {
        let seen = self.see();
        if seen == self.seen {
            return Ok(Vec::new());
        }
        let mut now = Self::read(tree)?;
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
        // The state from before the files were read.
        now.seen = if now.files == self.files { seen } else { Vec::new() };
        *self = now;
        Ok(news)
    }

    /// A changed setting that names a program.
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
    /// Digests of files that git cannot parse.
    unreadable: BTreeMap<String, String>,
}

impl ConfigFiles {
    /// The files that git reads in this repository.
    fn in_effect(tree: &WorkTree) -> Result<Self> {
        let call = tree.git_config().args(["--list", "--includes", "--show-origin", "-z"]);
        let answer = call.answer(Instant::now() + PATIENCE)?;
        answer.check("config")?;
        let mut all = Self::default();
        let mut words = answer.stdout.split(|byte| *byte == 0);
        while let (Some(origin), Some(setting)) = (words.next(), words.next()) {
            let Some(file) = origin.strip_prefix(b"file:") else { continue };
            let file = tree.top.join(os_string(file));
            all.settings.entry(file).or_default().push(key_and_value(setting));
        }
        Ok(all)
    }

    /// Included files that git skips now: missing, or their condition is false.
    fn follow_includes(&mut self) -> Result<()> {
        let mut next = roots();
        next.extend(self.settings.iter().flat_map(|(file, settings)| includes(file, settings)));
        while let Some(file) = next.pop() {
            let is_known = self.settings.contains_key(&file) || self.absent.contains(&file);
            if is_known || self.settings.len() + self.absent.len() > MOST_FILES {
                continue;
            }
            let text = bounded_read::read_file(&file, LARGEST).ok();
            let read = text.as_deref().map(Settings::read).transpose()?;
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

/// The files that a config file includes, under any condition.
fn includes(file: &Path, settings: &[(String, Vec<u8>)]) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(file);
    let is_include =
        |key: &str| matches!(keys::parts(key), Some(("include" | "includeif", "path")));
    let named = settings.iter().filter(|(key, _)| is_include(key));
    named.map(|(_, value)| folder.join(expanded(value))).collect()
}

/// The names that differ, without allowed ones.
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

/// The key of a setting, or of a file that a setting names.
fn key_of(name: &str) -> &str {
    name.split_once(" (").map_or(name, |(key, _)| key)
}

/// Where git looks for settings outside a repository, existing or not.
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

/// The hooks folder and its hooks. Hooks inside the project are part of the work.
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

/// The digest of a file's content.
fn content(file: &Path) -> Option<String> {
    std::fs::metadata(file).ok()?;
    let bytes = bounded_read::read_file(file, LARGEST).unwrap_or_else(|_| b"no file".to_vec());
    Some(HEXLOWER.encode(&Sha256::digest(bytes)))
}
