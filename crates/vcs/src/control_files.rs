//! Guards the control files of a repository: settings, hooks, and the files in `.git` that decide
//! which files git sees, how it converts them and which repository it uses.
//!
//! An agent can write them. The guard takes a snapshot at the start of a run, compares it before
//! every git call of the run, and restores changes key by key and file by file. It keeps its
//! findings until the run collects them; the engine decides what follows.

mod image;
mod keys;
mod outside;
mod places;
mod record;
mod settings;
mod special_files;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use self::image::Image;
pub(crate) use self::image::{FileMetadata, remove};
use self::outside::OutsideSettings;
use self::places::{CONFIG, POINTER, WORK_TREE_CONFIG};
pub use self::record::{ControlRecord, RecordedChange};
use self::settings::{Settings, restore_settings};
use self::special_files::SpecialFiles;
use crate::vcs_error::disk;
use crate::{Result, VcsError, WorkTree};

/// A file modified this recently could change again without a new time stamp.
const CLOCK_GRAIN: Duration = Duration::from_secs(1);

/// Each restored setting takes a process; beyond this the whole file is restored.
const MOST_KEYS: usize = 100;

/// What a change of a control file can cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Affects what is committed or checked: visible files, conversions, the repository in use.
    DecidesContent,
    /// Names a program that may be run, or changes the visible history.
    Executes,
}

/// A control file or setting that changed since the start of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlChange {
    /// `core.hookspath`, `.git/hooks/post-commit`
    pub name: String,
    pub effect: Effect,
    pub outcome: ChangeOutcome,
    /// The new value; `None` if removed or unreadable.
    pub found: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeOutcome {
    Restored,
    /// Allowed by the user and kept.
    Allowed,
    /// Outside the repository, where the runner does not write.
    Kept,
}

/// Names of settings and files that sessions may change; `*` is a wildcard. Case-insensitive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedChanges(Vec<String>);

impl AllowedChanges {
    pub fn new(patterns: impl IntoIterator<Item = String>) -> Self {
        Self(patterns.into_iter().map(|pattern| pattern.to_lowercase()).collect())
    }

    pub fn allows(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.0.iter().any(|pattern| matches(pattern, &name))
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            (0..=name.len()).any(|at| name.is_char_boundary(at) && matches(rest, &name[at..]))
        }),
    }
}

/// The expected control files. Shared by all clones of a `WorkTree`.
#[derive(Debug)]
pub(crate) struct ControlGuard {
    /// Without a guard.
    tree: WorkTree,
    allowed: AllowedChanges,
    links: BTreeMap<&'static str, PathBuf>,
    images: BTreeMap<String, Image>,
    configs: BTreeMap<&'static str, Config>,
    outside: OutsideSettings,
    special: SpecialFiles,
    /// File metadata at the last comparison.
    metadata: Vec<FileMetadata>,
    changes: Vec<ControlChange>,
}

/// A config file.
#[derive(Debug, Clone)]
struct Config {
    image: Image,
    settings: Settings,
}

impl Config {
    /// Empty if git cannot parse the file.
    fn read(image: Image) -> Result<Self> {
        let read = image.bytes().map(Settings::read).transpose()?;
        Ok(Self { settings: read.flatten().unwrap_or_default(), image })
    }
}

impl WorkTree {
    /// From here on, every git call of this work tree restores the control files first, except for
    /// `allowed`.
    pub fn guard_control_files(&mut self, allowed: AllowedChanges) -> Result<()> {
        let guard = ControlGuard::snapshot(self, allowed)?;
        self.control = Some(Arc::new(Mutex::new(guard)));
        Ok(())
    }

    /// Restores the control files and returns all changes since the last call.
    pub fn restore_control_files(&self) -> Result<Vec<ControlChange>> {
        self.remove_special_files()?;
        let Some(mut guard) = self.control_guard() else { return Ok(Vec::new()) };
        guard.enforce()?;
        Ok(std::mem::take(&mut guard.changes))
    }

    /// Removes pipes and devices from `.git`, to be reported by
    /// [`WorkTree::restore_control_files`]. Called once all processes that could create them have
    /// ended.
    pub fn remove_special_files(&self) -> Result<()> {
        self.control_guard().map_or(Ok(()), |mut guard| guard.remove_special_files())
    }

    /// Reported by the next [`WorkTree::restore_control_files`].
    pub(crate) fn report_control(&self, name: &str, effect: Effect, outcome: ChangeOutcome) {
        if let Some(mut guard) = self.control_guard() {
            guard.report(name, effect, outcome, None);
        }
    }

    pub(crate) fn enforce_control_files(&self) -> Result<()> {
        self.control_guard().map_or(Ok(()), |mut guard| guard.enforce())
    }

    /// Called before a git that uses the user's settings (commit, push), because it runs the
    /// programs that settings name. Fails if a setting outside the repository changed.
    pub fn enforce_control_files_for_user(&self) -> Result<()> {
        let Some(mut guard) = self.control_guard() else { return Ok(()) };
        guard.enforce()?;
        match guard.outside.differing() {
            Some(name) => Err(VcsError::OutsideSettingChanged { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// The record with which a hook or the next runner detects changes.
    pub fn control_record(&self) -> Result<ControlRecord> {
        match self.control_guard() {
            Some(guard) => Ok(ControlRecord::of(&guard)),
            None => {
                let now = ControlGuard::snapshot(self, AllowedChanges::default())?;
                Ok(ControlRecord::of(&now))
            }
        }
    }

    fn control_guard(&self) -> Option<MutexGuard<'_, ControlGuard>> {
        let guard = self.control.as_ref()?;
        Some(guard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ControlGuard {
    fn snapshot(tree: &WorkTree, allowed: AllowedChanges) -> Result<Self> {
        let tree = WorkTree { control: None, ..tree.clone() };
        let mut special = SpecialFiles::default();
        if let Some(name) = tree.special_files(&mut special).first() {
            return Err(VcsError::BlockingPipe { path: tree.control_path(name) });
        }
        let mut configs = BTreeMap::new();
        for name in [CONFIG, WORK_TREE_CONFIG] {
            configs.insert(name, Config::read(tree.control_image(name))?);
        }
        let (links, images) = (tree.control_links(), tree.control_images());
        let outside = OutsideSettings::read(&tree)?;
        let (metadata, changes) = (Vec::new(), Vec::new());
        Ok(Self { tree, allowed, links, images, configs, outside, special, metadata, changes })
    }

    /// The repository comes first, because its settings can name files outside of it.
    fn enforce(&mut self) -> Result<()> {
        self.enforce_repository()?;
        for name in self.outside.enforce(&self.tree, &self.allowed)? {
            self.report(&name, Effect::Executes, ChangeOutcome::Kept, None);
        }
        Ok(())
    }

    fn enforce_repository(&mut self) -> Result<()> {
        self.remove_links()?;
        self.remove_and_report(self.tree.unopenable())?;
        if self.tree.control_metadata(&self.images) == self.metadata {
            return Ok(());
        }
        self.enforce_files()?;
        self.enforce_settings()?;
        let metadata = self.tree.control_metadata(&self.images);
        self.metadata = if is_settled(&metadata) { metadata } else { Vec::new() };
        Ok(())
    }

    /// Targets of new links are not part of the repository; nothing is written there.
    fn remove_links(&mut self) -> Result<()> {
        for (name, leads_to) in self.tree.control_links() {
            if self.links.get(name) == Some(&leads_to) {
                continue;
            }
            let path = self.tree.control_path(name);
            if name == POINTER {
                return Err(VcsError::RepositoryReplaced { path });
            }
            remove(&path)?;
            std::fs::create_dir_all(&path).map_err(disk(&path))?;
            let found = Some(leads_to.as_os_str().as_encoded_bytes().to_vec());
            self.report(name, Effect::DecidesContent, ChangeOutcome::Restored, found);
        }
        Ok(())
    }

    fn remove_special_files(&mut self) -> Result<()> {
        let names = self.tree.special_files(&mut self.special);
        self.remove_and_report(names.iter().map(String::as_str))
    }

    fn remove_and_report<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        for name in names {
            remove(&self.tree.control_path(name))?;
            self.report(name, Effect::DecidesContent, ChangeOutcome::Restored, None);
        }
        Ok(())
    }

    fn enforce_files(&mut self) -> Result<()> {
        let now = self.tree.control_images();
        let names: BTreeSet<String> = self.images.keys().chain(now.keys()).cloned().collect();
        for name in names {
            let was = self.images.get(&name).unwrap_or(&Image::Absent);
            let found = now.get(&name).unwrap_or(&Image::Absent);
            if was == found {
                continue;
            }
            let path = self.tree.control_path(&name);
            let bytes = found.bytes().map(<[u8]>::to_vec);
            let outcome = if self.allowed.allows(&name) {
                self.images.insert(name.clone(), found.clone());
                ChangeOutcome::Allowed
            } else {
                was.restore(&path)?;
                ChangeOutcome::Restored
            };
            if name == POINTER && !path.exists() {
                return Err(VcsError::RepositoryReplaced { path });
            }
            self.report(&name, places::effect(&name), outcome, bytes);
        }
        Ok(())
    }

    fn enforce_settings(&mut self) -> Result<()> {
        for name in [CONFIG, WORK_TREE_CONFIG] {
            let found = self.tree.control_image(name);
            if self.configs.get(name).is_some_and(|config| config.image == found) {
                continue;
            }
            self.enforce_config(name, found)?;
        }
        Ok(())
    }

    fn enforce_config(&mut self, name: &'static str, found: Image) -> Result<()> {
        let path = self.tree.control_path(name);
        let Some(config) = self.configs.get(name).cloned() else { return Ok(()) };
        let Some(now) = Settings::of(&found)? else {
            return self.restore_config(name, &config, &found);
        };
        let is_allowed = |(key, _): &(String, Effect)| self.allowed.allows(key);
        let (allowed, refused): (Vec<_>, Vec<_>) =
            config.settings.changed(&now).into_iter().partition(is_allowed);
        let keys: Vec<String> = refused.iter().map(|(key, _)| key.clone()).collect();
        if keys.len() > MOST_KEYS {
            return self.restore_config(name, &config, &found);
        }
        if !keys.is_empty() {
            let done = restore_settings(&path, &keys, &config.settings);
            let after = Settings::of(&self.tree.control_image(name));
            let is_back = |after: Settings| config.settings.changed(&after).iter().all(is_allowed);
            if done.is_err() || !after.ok().flatten().is_some_and(is_back) {
                return self.restore_config(name, &config, &found);
            }
        }
        let restored = Config::read(self.tree.control_image(name))?;
        self.configs.insert(name, restored);
        for (list, outcome) in
            [(allowed, ChangeOutcome::Allowed), (refused, ChangeOutcome::Restored)]
        {
            for (key, effect) in list {
                let values = now.values(&key).join(&b'\n');
                let found = (!now.values(&key).is_empty()).then_some(values);
                self.report(&key, effect, outcome, found);
            }
        }
        Ok(())
    }

    /// Restores the whole file if single keys cannot be restored.
    fn restore_config(&mut self, name: &'static str, config: &Config, found: &Image) -> Result<()> {
        config.image.restore(&self.tree.control_path(name))?;
        let bytes = found.bytes().map(<[u8]>::to_vec);
        self.report(name, Effect::DecidesContent, ChangeOutcome::Restored, bytes);
        Ok(())
    }

    fn report(
        &mut self,
        name: &str,
        effect: Effect,
        outcome: ChangeOutcome,
        found: Option<Vec<u8>>,
    ) {
        self.changes.push(ControlChange { name: name.to_owned(), effect, outcome, found });
    }
}

/// Keys whose values differ, or that only one map has.
pub(crate) fn differing<'m, K: Ord, V: PartialEq>(
    before: &'m BTreeMap<K, V>,
    now: &'m BTreeMap<K, V>,
) -> BTreeSet<&'m K> {
    let names = before.keys().chain(now.keys());
    names.filter(|name| before.get(*name) != now.get(*name)).collect()
}

/// Whether a further change of any file would change its time stamp.
fn is_settled(metadata: &[FileMetadata]) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let settled = i128::try_from(now.saturating_sub(CLOCK_GRAIN).as_nanos()).unwrap_or(0);
    metadata.iter().all(|file| file.changed() < settled)
}

#[cfg(test)]
mod tests;
