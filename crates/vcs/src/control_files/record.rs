//! Digests of the control files, with which a hook process or a restarted runner detects changes.
//! Contains no values, because settings can hold credentials.

use std::collections::BTreeMap;
use std::path::PathBuf;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::image::{Image, remove};
use super::outside::{self, OutsideSettings};
use super::places::effect;
use super::settings::{Settings, is_recorded, restore_settings, starts_submodule};
use super::special_files::SpecialFiles;
use super::{AllowedChanges, Config, ControlGuard, Effect, differing, keys};
use crate::path_text::from_os;
use crate::{Result, VcsError, WorkTree};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlRecord {
    /// Digests of existing files.
    files: BTreeMap<String, String>,
    configs: BTreeMap<String, RecordedConfig>,
    links: BTreeMap<String, String>,
    #[serde(default)]
    outside: BTreeMap<String, String>,
    /// Names that may change.
    #[serde(default)]
    allowed: AllowedChanges,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedConfig {
    whole: Option<String>,
    settings: BTreeMap<String, String>,
}

/// A control file that differs from the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedChange {
    pub name: String,
    pub effect: Effect,
}

impl RecordedChange {
    fn deciding(name: &str) -> Self {
        Self { name: name.to_owned(), effect: Effect::DecidesContent }
    }
}

impl ControlRecord {
    pub(super) fn of(guard: &ControlGuard) -> Self {
        let recorded = |(name, config): (&&str, &Config)| {
            let (whole, settings) = (config.image.digest(), digests(&config.settings));
            ((*name).to_owned(), RecordedConfig { whole, settings })
        };
        Self {
            files: file_digests(&guard.images),
            configs: guard.configs.iter().map(recorded).collect(),
            links: named(&guard.links),
            outside: guard.outside.digests().clone(),
            allowed: guard.allowed.clone(),
        }
    }

    /// Whether the record has a file or setting of this name.
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
    /// The differences to the record. Starts no git that reads the repository's settings.
    pub fn control_changes_since(&self, record: &ControlRecord) -> Result<Vec<RecordedChange>> {
        let links = named(&self.control_links());
        let moved = differing(&record.links, &links);
        // The target of such a link is no control file of this repository.
        if !moved.is_empty() {
            return Ok(moved.into_iter().map(|name| RecordedChange::deciding(name)).collect());
        }
        let special = self.special_files(&mut SpecialFiles::default());
        let unopenable = self.unopenable().into_iter().chain(special.iter().map(String::as_str));
        let mut changes: Vec<RecordedChange> = unopenable.map(RecordedChange::deciding).collect();
        let now = file_digests(&self.control_images());
        let files = differing(&record.files, &now).into_iter();
        let change = |name: &String| RecordedChange { name: name.clone(), effect: effect(name) };
        changes.extend(files.map(change));
        for (name, config) in &record.configs {
            changes.extend(config.changes(name, self)?);
        }
        changes.retain(|change| !record.allowed.allows(&change.name));
        Ok(changes)
    }

    /// Removes control files and settings that the record lacks, and returns them. A changed one
    /// cannot be restored from digests and is an error.
    pub fn remove_unrecorded_control_files(
        &self,
        record: &ControlRecord,
    ) -> Result<Vec<RecordedChange>> {
        let changes = self.control_changes_since(record)?;
        let is_lost = |change: &&RecordedChange| record.holds(&change.name);
        if let Some(change) = changes.iter().find(is_lost) {
            return Err(VcsError::ControlFileChanged { name: change.name.clone() });
        }
        for RecordedChange { name, .. } in &changes {
            if name.starts_with(".git") {
                remove(&self.control_path(name))?;
                continue;
            }
            for config in record.configs.keys() {
                let (path, keys) = (self.control_path(config), std::slice::from_ref(name));
                restore_settings(&path, keys, &Settings::default())?;
            }
        }
        let outside = OutsideSettings::read(self)?;
        let changed = outside::changed(&record.outside, outside.digests(), &record.allowed);
        match changed.into_iter().next() {
            Some(name) => Err(VcsError::ControlFileChanged { name }),
            None => Ok(changes),
        }
    }
}

impl RecordedConfig {
    fn changes(&self, name: &str, tree: &WorkTree) -> Result<Vec<RecordedChange>> {
        let image = tree.control_image(name);
        if image.digest() == self.whole {
            return Ok(Vec::new());
        }
        let Some(settings) = Settings::of(&image)? else {
            return Ok(vec![RecordedChange::deciding(name)]);
        };
        let now = digests(&settings);
        let differ = differing(&self.settings, &now).into_iter();
        // A new remote is harmless; an existing one must keep its address.
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
        (key.to_owned(), HEXLOWER.encode(&digest.finalize()))
    };
    settings.guarded().filter(|(key, _)| is_recorded(key)).map(digest).collect()
}

fn file_digests(images: &BTreeMap<String, Image>) -> BTreeMap<String, String> {
    images.iter().filter_map(|(name, image)| Some((name.clone(), image.digest()?))).collect()
}

fn named(links: &BTreeMap<&'static str, PathBuf>) -> BTreeMap<String, String> {
    let name = |(name, to): (&&'static str, &PathBuf)| {
        ((*name).to_owned(), from_os(to.as_os_str()).into_owned())
    };
    links.iter().map(name).collect()
}
