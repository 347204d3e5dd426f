//! The control files of a repository: settings, hooks, and the files in `.git` that decide which files git
//! sees, how it converts them and which repository it is.
//!
//! An agent can write them. A guard takes a snapshot when a run begins, compares it before every git of the
//! run, and puts back what was changed, key by key and file by file. What it found is kept until the run
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
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use self::image::{Image, remove};
pub(crate) use self::image::{Look, hex};
use self::outside::OutsideSettings;
use self::places::{CONFIG, POINTER, Places, WORK_TREE_CONFIG};
pub use self::record::{ControlRecord, RecordedChange};
use self::settings::{Settings, guarded_changes, put_back};
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

/// Shared by all copies of a work tree.
#[derive(Debug, Clone)]
pub(crate) struct ControlGuard(Arc<Mutex<Guarded>>);

#[derive(Debug)]
struct Guarded {
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

impl WorkTree {
    /// From now on every git of this work tree begins with the control files as they are now, except for
    /// what `allowed` says.
    pub fn guard_control_files(&mut self, allowed: AllowedChanges) -> Result<(), VcsError> {
        let guarded = Guarded::snapshot(Places::of(self), allowed)?;
        self.control = Some(ControlGuard(Arc::new(Mutex::new(guarded))));
        Ok(())
    }

    /// Compares the control files with the snapshot, puts back what was changed, and says what it was, with
    /// all that was put back since this was asked last.
    pub fn restore_control_files(&self) -> Result<Vec<ControlChange>, VcsError> {
        let Some(ControlGuard(guard)) = &self.control else { return Ok(Vec::new()) };
        self.remove_special_files()?;
        let mut guarded = guard.lock().unwrap_or_else(PoisonError::into_inner);
        guarded.enforce()?;
        Ok(std::mem::take(&mut guarded.changes))
    }

    /// Removes pipes and devices from git's folder, for the next one who asks what was put back. Not done before each git:
    /// nothing runs any more of whoever could put them there.
    pub fn remove_special_files(&self) -> Result<(), VcsError> {
        match &self.control {
            Some(ControlGuard(guard)) => {
                guard.lock().unwrap_or_else(PoisonError::into_inner).remove_special_files()
            }
            None => Ok(()),
        }
    }

    /// For the next one who asks what was put back.
    pub(crate) fn report_control(&self, name: &str, effect: Effect, fate: ChangeFate) {
        if let Some(ControlGuard(guard)) = &self.control {
            let mut guarded = guard.lock().unwrap_or_else(PoisonError::into_inner);
            guarded.report(name, effect, fate, None);
        }
    }

    pub(crate) fn enforce_control_files(&self) -> Result<(), VcsError> {
        match &self.control {
            Some(ControlGuard(guard)) => {
                guard.lock().unwrap_or_else(PoisonError::into_inner).enforce()
            }
            None => Ok(()),
        }
    }

    /// Before a git starts that is not ours, such as the user's own that commits or pushes: it runs every
    /// program that a setting names. One that was changed outside of the repository is an error.
    pub fn enforce_control_files_for_user(&self) -> Result<(), VcsError> {
        self.enforce_control_files()?;
        let Some(ControlGuard(guard)) = &self.control else { return Ok(()) };
        let guarded = guard.lock().unwrap_or_else(PoisonError::into_inner);
        match guarded.outside.differing() {
            Some(name) => Err(VcsError::OutsideSettingChanged { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// What a hook, or the next runner, needs to see what was changed.
    pub fn control_record(&self) -> Result<ControlRecord, VcsError> {
        match &self.control {
            Some(ControlGuard(guard)) => {
                Ok(guard.lock().unwrap_or_else(PoisonError::into_inner).record())
            }
            None => Ok(Guarded::snapshot(Places::of(self), AllowedChanges::default())?.record()),
        }
    }
}

impl Guarded {
    fn snapshot(places: Places, allowed: AllowedChanges) -> Result<Self, VcsError> {
        let mut special = SpecialFiles::default();
        if let Some(name) = places.special(&mut special).first() {
            return Err(VcsError::PipeInTheWay { path: places.path(name) });
        }
        let mut configs = BTreeMap::new();
        for name in [CONFIG, WORK_TREE_CONFIG] {
            let image = places.image(name);
            let read = image.bytes().map(|text| Settings::read(text, places.top())).transpose()?;
            configs.insert(name, Config { image, settings: read.flatten().unwrap_or_default() });
        }
        let (links, images) = (places.links(), places.images());
        let outside = OutsideSettings::read(&places)?;
        let (looks, changes) = (Vec::new(), Vec::new());
        Ok(Self { places, allowed, links, images, configs, outside, special, looks, changes })
    }

    fn record(&self) -> ControlRecord {
        let record = ControlRecord::new(&self.images, &self.configs, &self.links, &self.allowed);
        record.with_outside(&self.outside)
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
        let looks: Vec<Look> =
            self.places.looked_at(&self.images).iter().map(|path| Look::at(path)).collect();
        if looks == self.looks {
            return Ok(());
        }
        self.enforce_files()?;
        self.enforce_settings()?;
        let paths = self.places.looked_at(&self.images);
        let looks: Vec<Look> = paths.iter().map(|path| Look::at(path)).collect();
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
            remove(&path).map_err(|error| VcsError::Disk { path: path.clone(), error })?;
            std::fs::create_dir_all(&path).map_err(|error| VcsError::Disk { path, error })?;
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
            let done = put_back(&path, places.top(), &keys, &config.settings);
            let after = guarded_changes(&config.settings, &places.image(name), places.top());
            let is_back = |left: &(String, Effect)| self.allowed.allows(&left.0);
            let is_done =
                done.is_ok() && matches!(after, Ok(Some(left)) if left.iter().all(is_back));
            if !is_done {
                return self.restore_config(name, &config, &found);
            }
        }
        let image = places.image(name);
        let text = image.bytes().unwrap_or_default();
        let settings = Settings::read(text, places.top())?.unwrap_or_default();
        let now = found.bytes().map(|text| Settings::read(text, places.top())).transpose()?;
        let now = now.flatten().unwrap_or_default();
        self.configs.insert(name, Config { image, settings });
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

/// Whether all of them would look different if they were written again.
fn is_settled(looks: &[Look]) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let settled = i128::try_from(now.saturating_sub(CLOCK_GRAIN).as_nanos()).unwrap_or(0);
    looks.iter().all(|look| look.changed() < settled)
}

#[cfg(test)]
mod tests;
