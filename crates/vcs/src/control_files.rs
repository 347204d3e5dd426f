//! The control files of a repository: settings, hooks, and the files in `.git` that decide which files git
//! sees, how it converts them and which repository it is.
//!
//! An agent can write them. A guard takes a snapshot when a run begins, compares it before every git call of
//! the run, and puts back what was changed, key by key and file by file. What it found is kept until the run
//! asks for it. Not here: what becomes of the iteration that did it.

mod image;
mod keys;
mod outside;
mod places;
mod record;
mod settings;
mod special_files;
mod unwritable;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

pub(crate) use self::image::Look;
use self::image::{Image, remove};
use self::outside::OutsideSettings;
use self::places::{CONFIG, POINTER, Places, WORK_TREE_CONFIG};
pub use self::record::{ControlRecord, RecordedChange};
use self::settings::{Settings, guarded_changes, move_back};
use self::special_files::SpecialFiles;
use crate::{VcsError, WorkTree};

/// A file that was written so short a time ago could be written again without looking different.
const CLOCK_GRAIN: Duration = Duration::from_secs(1);

/// More settings at once than any honest tool changes: each takes a process to put back.
const MOST_KEYS: usize = 100;

/// What a change of a control file can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It decides what is committed or checked: which files git sees, how it converts them, which
    /// repository it is.
    DecidesContent,
    /// It names a program that others may run, or changes what others see of the history.
    Executes,
}

/// A control file or a setting that is not what it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlChange {
    /// `core.hookspath`, `.git/hooks/post-commit`
    pub name: String,
    pub effect: Effect,
    pub fate: ChangeFate,
    /// What was found; nothing if it was removed or cannot be read.
    pub found: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeFate {
    PutBack,
    /// The user allows it: it stays.
    Allowed,
    /// It lies outside of the repository, where the runner does not write.
    Left,
}

/// Names of settings and files that sessions may change, with `*` for anything. Case does not matter.
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

/// The control files as they have to be. Shared by all copies of a work tree.
#[derive(Debug)]
pub(crate) struct ControlGuard {
    places: Places,
    allowed: AllowedChanges,
    links: BTreeMap<&'static str, PathBuf>,
    images: BTreeMap<String, Image>,
    configs: BTreeMap<&'static str, Config>,
    outside: OutsideSettings,
    special: SpecialFiles,
    /// How everything looked when it was compared last.
    looks: Vec<Look>,
    changes: Vec<ControlChange>,
}

/// A file with settings.
#[derive(Debug, Clone)]
struct Config {
    image: Image,
    settings: Settings,
}

impl Config {
    /// Without settings if there are none that git can read.
    fn read(image: Image, top: &Path) -> Result<Self, VcsError> {
        let read = image.bytes().map(|text| Settings::read(text, top)).transpose()?;
        Ok(Self { settings: read.flatten().unwrap_or_default(), image })
    }
}

impl WorkTree {
    /// From now on every git call of this work tree begins with the control files as they are now, except for
    /// what `allowed` says.
    pub fn guard_control_files(&mut self, allowed: AllowedChanges) -> Result<(), VcsError> {
        let guard = ControlGuard::snapshot(Places::of(self), allowed)?;
        self.control = Some(Arc::new(Mutex::new(guard)));
        Ok(())
    }

    /// Compares the control files with the snapshot, puts back what was changed, and returns it, with all
    /// that was put back since the last call.
    pub fn restore_control_files(&self) -> Result<Vec<ControlChange>, VcsError> {
        self.remove_special_files()?;
        let Some(mut guard) = self.control_guard() else { return Ok(Vec::new()) };
        guard.enforce()?;
        Ok(std::mem::take(&mut guard.changes))
    }

    /// Removes pipes and devices from git's folder, for the next call of [`WorkTree::restore_control_files`].
    /// Not done before each git: by then every process is ended that could put them there.
    pub fn remove_special_files(&self) -> Result<(), VcsError> {
        self.control_guard().map_or(Ok(()), |mut guard| guard.remove_special_files())
    }

    /// For the next call of [`WorkTree::restore_control_files`].
    pub(crate) fn report_control(&self, name: &str, effect: Effect, fate: ChangeFate) {
        if let Some(mut guard) = self.control_guard() {
            guard.report(name, effect, fate, None);
        }
    }

    pub(crate) fn enforce_control_files(&self) -> Result<(), VcsError> {
        self.control_guard().map_or(Ok(()), |mut guard| guard.enforce())
    }

    /// Before the user's own git starts, which commits or pushes: it runs every program that a setting
    /// names. A setting outside of the repository that was changed is an error.
    pub fn enforce_control_files_for_user(&self) -> Result<(), VcsError> {
        let Some(mut guard) = self.control_guard() else { return Ok(()) };
        guard.enforce()?;
        match guard.outside.differing() {
            Some(name) => Err(VcsError::OutsideSettingChanged { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// What a hook, or the next runner, needs to find out what was changed.
    pub fn control_record(&self) -> Result<ControlRecord, VcsError> {
        match self.control_guard() {
            Some(guard) => Ok(ControlRecord::of(&guard)),
            None => {
                let now = ControlGuard::snapshot(Places::of(self), AllowedChanges::default())?;
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
    fn snapshot(places: Places, allowed: AllowedChanges) -> Result<Self, VcsError> {
        let mut special = SpecialFiles::default();
        if let Some(name) = places.special(&mut special).first() {
            return Err(VcsError::PipeInTheWay { path: places.path(name) });
        }
        let mut configs = BTreeMap::new();
        for name in [CONFIG, WORK_TREE_CONFIG] {
            configs.insert(name, Config::read(places.image(name), places.top())?);
        }
        let (links, images) = (places.links(), places.images());
        let outside = OutsideSettings::read(&places)?;
        let (looks, changes) = (Vec::new(), Vec::new());
        Ok(Self { places, allowed, links, images, configs, outside, special, looks, changes })
    }

    /// The repository first: its settings can name files outside of it.
    fn enforce(&mut self) -> Result<(), VcsError> {
        self.enforce_repository()?;
        for name in self.outside.enforce(&self.places, &self.allowed)? {
            self.report(&name, Effect::Executes, ChangeFate::Left, None);
        }
        Ok(())
    }

    fn enforce_repository(&mut self) -> Result<(), VcsError> {
        self.remove_links()?;
        self.remove_unopenable()?;
        if self.places.looks(&self.images) == self.looks {
            return Ok(());
        }
        self.enforce_files()?;
        self.enforce_settings()?;
        let looks = self.places.looks(&self.images);
        self.looks = if is_settled(&looks) { looks } else { Vec::new() };
        Ok(())
    }

    /// Whatever lies behind a link that was not there is not the repository's, and nothing is written there.
    fn remove_links(&mut self) -> Result<(), VcsError> {
        for (name, leads_to) in self.places.links() {
            if self.links.get(name) == Some(&leads_to) {
                continue;
            }
            let path = self.places.path(name);
            if name == POINTER {
                return Err(VcsError::RepositoryReplaced { path });
            }
            remove(&path)
                .and_then(|()| std::fs::create_dir_all(&path))
                .map_err(|error| VcsError::Disk { path, error })?;
            let found = Some(leads_to.as_os_str().as_encoded_bytes().to_vec());
            self.report(name, Effect::DecidesContent, ChangeFate::PutBack, found);
        }
        Ok(())
    }

    fn remove_special_files(&mut self) -> Result<(), VcsError> {
        for name in self.places.special(&mut self.special) {
            let path = self.places.path(&name);
            remove(&path).map_err(|error| VcsError::Disk { path, error })?;
            self.report(&name, Effect::DecidesContent, ChangeFate::PutBack, None);
        }
        Ok(())
    }

    fn remove_unopenable(&mut self) -> Result<(), VcsError> {
        for name in self.places.unopenable() {
            let path = self.places.path(name);
            remove(&path).map_err(|error| VcsError::Disk { path, error })?;
            self.report(name, Effect::DecidesContent, ChangeFate::PutBack, None);
        }
        Ok(())
    }

    fn enforce_files(&mut self) -> Result<(), VcsError> {
        let now = self.places.images();
        let names: BTreeSet<String> = self.images.keys().chain(now.keys()).cloned().collect();
        for name in names {
            let was = self.images.get(&name).unwrap_or(&Image::Absent);
            let found = now.get(&name).unwrap_or(&Image::Absent);
            if was == found {
                continue;
            }
            let path = self.places.path(&name);
            let bytes = found.bytes().map(<[u8]>::to_vec);
            let fate = if self.allowed.allows(&name) {
                self.images.insert(name.clone(), found.clone());
                ChangeFate::Allowed
            } else {
                was.restore(&path).map_err(|error| VcsError::Disk { path: path.clone(), error })?;
                ChangeFate::PutBack
            };
            if name == POINTER && !path.exists() {
                return Err(VcsError::RepositoryReplaced { path });
            }
            self.report(&name, places::effect(&name), fate, bytes);
        }
        Ok(())
    }

    fn enforce_settings(&mut self) -> Result<(), VcsError> {
        for name in [CONFIG, WORK_TREE_CONFIG] {
            let found = self.places.image(name);
            if self.configs.get(name).is_some_and(|config| config.image == found) {
                continue;
            }
            self.enforce_config(name, found)?;
        }
        Ok(())
    }

    fn enforce_config(&mut self, name: &'static str, found: Image) -> Result<(), VcsError> {
        let (places, path) = (&self.places, self.places.path(name));
        let Some(config) = self.configs.get(name).cloned() else { return Ok(()) };
        let changed = guarded_changes(&config.settings, &found, places.top())?;
        let Some(changed) = changed else {
            return self.restore_config(name, &config, &found);
        };
        let is_allowed = |(key, _): &(String, Effect)| self.allowed.allows(key);
        let (allowed, refused): (Vec<_>, Vec<_>) = changed.into_iter().partition(is_allowed);
        let keys: Vec<String> = refused.iter().map(|(key, _)| key.clone()).collect();
        if keys.len() > MOST_KEYS {
            return self.restore_config(name, &config, &found);
        }
        if !keys.is_empty() {
            let done = move_back(&path, places.top(), &keys, &config.settings);
            let after = guarded_changes(&config.settings, &places.image(name), places.top());
            let is_back = |left: &(String, Effect)| self.allowed.allows(&left.0);
            let is_done =
                done.is_ok() && matches!(after, Ok(Some(left)) if left.iter().all(is_back));
            if !is_done {
                return self.restore_config(name, &config, &found);
            }
        }
        let restored = Config::read(places.image(name), places.top())?;
        let now = Config::read(found, places.top())?.settings;
        self.configs.insert(name, restored);
        for (list, fate) in [(allowed, ChangeFate::Allowed), (refused, ChangeFate::PutBack)] {
            for (key, effect) in list {
                let values = now.values(&key).join(&b'\n');
                let found = (!now.values(&key).is_empty()).then_some(values);
                self.report(&key, effect, fate, found);
            }
        }
        Ok(())
    }

    /// What cannot be put right key by key goes back as a whole.
    fn restore_config(
        &mut self,
        name: &'static str,
        config: &Config,
        found: &Image,
    ) -> Result<(), VcsError> {
        let path = self.places.path(name);
        config.image.restore(&path).map_err(|error| VcsError::Disk { path, error })?;
        let bytes = found.bytes().map(<[u8]>::to_vec);
        self.report(name, Effect::DecidesContent, ChangeFate::PutBack, bytes);
        Ok(())
    }

    fn report(&mut self, name: &str, effect: Effect, fate: ChangeFate, found: Option<Vec<u8>>) {
        self.changes.push(ControlChange { name: name.to_owned(), effect, fate, found });
    }
}

/// The names under which the two maps hold different values, or only one of them holds a value.
fn differing<'m, V: PartialEq>(
    before: &'m BTreeMap<String, V>,
    now: &'m BTreeMap<String, V>,
) -> BTreeSet<&'m String> {
    let names = before.keys().chain(now.keys());
    names.filter(|name| before.get(*name) != now.get(*name)).collect()
}

/// Whether all of them would look different if they were written again.
fn is_settled(looks: &[Look]) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let settled = i128::try_from(now.saturating_sub(CLOCK_GRAIN).as_nanos()).unwrap_or(0);
    looks.iter().all(|look| look.changed() < settled)
}

#[cfg(test)]
mod tests;
