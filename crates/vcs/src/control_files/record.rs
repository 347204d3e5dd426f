//! Control files as digests: what a hook in another process, or the runner after one that was killed, needs
//! to see what was changed. It holds no value: settings can hold credentials.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::image::{Image, hex, remove};
use super::outside::{self, OutsideSettings};
use super::places::{Places, effect};
use super::settings::{Settings, is_recorded, put_back, starts_submodule};
use super::special_files::SpecialFiles;
use super::{AllowedChanges, Config, Effect, keys};
use crate::path_text::from_os;
use crate::{VcsError, WorkTree};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlRecord {
    /// Digests of files that are there.
    files: BTreeMap<String, String>,
    configs: BTreeMap<String, RecordedConfig>,
    links: BTreeMap<String, String>,
    /// Settings outside of the repository.
    #[serde(default)]
    outside: BTreeMap<String, String>,
    /// What may change.
    #[serde(default)]
    allowed: AllowedChanges,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedConfig {
    whole: Option<String>,
    settings: BTreeMap<String, String>,
}

/// A control file that is not what was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedChange {
    pub name: String,
    pub effect: Effect,
}

impl ControlRecord {
    pub(super) fn new(
        images: &BTreeMap<String, Image>,
        configs: &BTreeMap<&'static str, Config>,
        links: &BTreeMap<&'static str, PathBuf>,
        allowed: &AllowedChanges,
    ) -> Self {
        let files = images.iter().filter_map(|(name, image)| Some((name.clone(), image.digest()?)));
        let configs = configs.iter().map(|(name, config)| {
            let (whole, settings) = (config.image.digest(), digests(&config.settings));
            ((*name).to_owned(), RecordedConfig { whole, settings })
        });
        let (links, allowed) = (named(links), allowed.clone());
        let (files, configs, outside) = (files.collect(), configs.collect(), BTreeMap::new());
        Self { files, configs, links, outside, allowed }
    }

    pub(super) fn with_outside(mut self, settings: &OutsideSettings) -> Self {
        self.outside = settings.digests().clone();
        self
    }

    /// Whether a file or a setting of this name was there.
    fn holds(&self, name: &str) -> bool {
        let is_set = |config: &RecordedConfig| config.settings.contains_key(name);
        let is_config =
            |(known, config): (&String, &RecordedConfig)| known == name && config.whole.is_some();
        self.files.contains_key(name)
            || self.configs.values().any(is_set)
            || self.configs.iter().any(is_config)
    }
}

impl WorkTree {
    /// What is not as it was recorded. Starts no git that reads the repository's settings.
    pub fn control_changes_since(
        &self,
        record: &ControlRecord,
    ) -> Result<Vec<RecordedChange>, VcsError> {
        let places = Places::of(self);
        let links = named(&places.links());
        let differ = |name: &&String| record.links.get(*name) != links.get(*name);
        let moved: BTreeSet<String> =
            record.links.keys().chain(links.keys()).filter(differ).cloned().collect();
        let changed = |name: String, effect| RecordedChange { name, effect };
        // What lies behind such a link is no control file of this repository.
        if !moved.is_empty() {
            return Ok(moved
                .into_iter()
                .map(|name| changed(name, Effect::DecidesContent))
                .collect());
        }
        let special = places.special(&mut SpecialFiles::default());
        let unopenable = places.unopenable().into_iter().map(str::to_owned).chain(special);
        let mut changes: Vec<RecordedChange> =
            unopenable.map(|name| changed(name, Effect::DecidesContent)).collect();
        let now: BTreeMap<String, String> = places
            .images()
            .iter()
            .filter_map(|(name, image)| Some((name.clone(), image.digest()?)))
            .collect();
        let names: BTreeSet<&String> = record.files.keys().chain(now.keys()).collect();
        let files = names.into_iter().filter(|name| record.files.get(*name) != now.get(*name));
        changes.extend(files.map(|name| changed(name.clone(), effect(name))));
        for (name, config) in &record.configs {
            changes.extend(config.changes(name, &places)?);
        }
        changes.retain(|change| !record.allowed.allows(&change.name));
        Ok(changes)
    }

    /// Removes control files and settings that were not there when the record was made, and says what they
    /// were. What was there and is not the same now cannot be put back from a record: it is an error.
    pub fn remove_unrecorded_control_files(
        &self,
        record: &ControlRecord,
    ) -> Result<Vec<RecordedChange>, VcsError> {
        let changes = self.control_changes_since(record)?;
        let is_lost = |change: &&RecordedChange| record.holds(&change.name);
        if let Some(change) = changes.iter().find(is_lost) {
            return Err(VcsError::ControlFileChanged { name: change.name.clone() });
        }
        let places = Places::of(self);
        for RecordedChange { name, .. } in &changes {
            if name.starts_with(".git") {
                let path = places.path(name);
                remove(&path).map_err(|error| VcsError::Disk { path, error })?;
                continue;
            }
            for config in record.configs.keys() {
                put_back(
                    &places.path(config),
                    places.top(),
                    std::slice::from_ref(name),
                    &Settings::default(),
                )?;
            }
        }
        let outside = OutsideSettings::read(&places)?;
        let changed = outside::changed(&record.outside, outside.digests(), &record.allowed);
        match changed.into_iter().next() {
            Some(name) => Err(VcsError::ControlFileChanged { name }),
            None => Ok(changes),
        }
    }
}

impl RecordedConfig {
    fn changes(&self, name: &str, places: &Places) -> Result<Vec<RecordedChange>, VcsError> {
        let image = places.image(name);
        if image.digest() == self.whole {
            return Ok(Vec::new());
        }
        let settings = match &image {
            Image::Absent => Some(Settings::default()),
            Image::File { bytes, .. } => Settings::read(bytes, places.top())?,
            Image::Link(_) | Image::Other => None,
        };
        let Some(settings) = settings else {
            let change = RecordedChange { name: name.to_owned(), effect: Effect::DecidesContent };
            return Ok(vec![change]);
        };
        let now = digests(&settings);
        let keys: BTreeSet<&String> = self.settings.keys().chain(now.keys()).collect();
        let differ = keys.into_iter().filter(|key| self.settings.get(*key) != now.get(*key));
        // A remote that is new is harmless; one that was there has to lead where it led.
        let counts = |key: &&String| {
            let is_guarded = keys::effect(key).is_some() || self.settings.contains_key(*key);
            is_guarded && !starts_submodule(key, settings.values(key), self.settings.keys())
        };
        let change = |key: &String| RecordedChange {
            name: key.clone(),
            effect: keys::effect(key).unwrap_or(Effect::Executes),
        };
        Ok(differ.filter(counts).map(change).collect())
    }
}

fn digests(settings: &Settings) -> BTreeMap<String, String> {
    let digest = |(key, values): (&str, &[Vec<u8>])| {
        let mut digest = Sha256::new();
        for value in values {
            digest.update(value);
            digest.update([0]);
        }
        (key.to_owned(), hex(&digest.finalize()))
    };
    settings.guarded().filter(|(key, _)| is_recorded(key)).map(digest).collect()
}

fn named(links: &BTreeMap<&'static str, PathBuf>) -> BTreeMap<String, String> {
    let name = |(name, to): (&&'static str, &PathBuf)| {
        ((*name).to_owned(), from_os(to.as_os_str()).into_owned())
    };
    links.iter().map(name).collect()
}
