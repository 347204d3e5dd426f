//! Settings of git outside of the repository, the user's and the system's, as far as they decide which files
//! git sees and how it converts them.
//!
//! A session without a sandbox can write them. The runner writes nothing in the user's home: a change is an
//! error, and the user decides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::image::{Look, hex};
use super::{AllowedChanges, Effect, is_settled, keys, settings};
use crate::VcsError;

const PATIENCE: Duration = Duration::from_secs(20);

/// More than any of these files has.
const LARGEST: u64 = 1024 * 1024;

/// Settings that name a file, with the one that git reads without them.
const NAMES_A_FILE: [(&str, &str); 2] =
    [("core.attributesfile", "attributes"), ("core.excludesfile", "ignore")];

#[derive(Debug, Clone, Default)]
pub(crate) struct OutsideSettings {
    /// Digests of settings and of the files that they name.
    digests: BTreeMap<String, String>,
    /// Everything that was read for it.
    files: Vec<PathBuf>,
    /// How the files looked then.
    looks: Vec<Look>,
}

impl OutsideSettings {
    pub(crate) fn read(top: &Path) -> Result<Self, VcsError> {
        let call = settings::git_config(top);
        let call = call.args(["--list", "--includes", "--show-origin", "-z"]);
        let answer = call.answer(Instant::now() + PATIENCE)?;
        let mut words = answer.printed.split(|byte| *byte == 0);
        let mut found = Self { files: homes(), ..Self::default() };
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        while let (Some(origin), Some(setting)) = (words.next(), words.next()) {
            let Some(file) = origin.strip_prefix(b"file:") else { continue };
            let file = top.join(String::from_utf8_lossy(file).as_ref());
            if !found.files.contains(&file) {
                found.files.push(file);
            }
            let setting = String::from_utf8_lossy(setting);
            let (key, value) = setting.split_once('\n').unwrap_or((&setting, "true"));
            if keys::effect(key) == Some(Effect::DecidesContent) {
                values.entry(key.to_owned()).or_default().push(value.to_owned());
            }
        }
        for (key, file) in named_files(&values) {
            if let Ok(bytes) = bounded_read::read_file(&file, LARGEST) {
                found.digests.insert(format!("{key} ({})", file.display()), digest(&bytes));
            }
            found.files.push(file);
        }
        let settings =
            values.into_iter().map(|(key, all)| (key, digest(all.join("\0").as_bytes())));
        found.digests.extend(settings);
        Ok(found)
    }

    /// The first setting that is not what it was, unless `allowed` allows it.
    pub(crate) fn enforce(&mut self, top: &Path, allowed: &AllowedChanges) -> Result<(), VcsError> {
        let looks: Vec<Look> = self.files.iter().map(|file| Look::through(file)).collect();
        if looks == self.looks {
            return Ok(());
        }
        let mut now = Self::read(top)?;
        let digests = now.digests.clone();
        if let Some(name) = changed(&self.digests, &digests, allowed) {
            return Err(VcsError::OutsideSettingChanged { name });
        }
        now.looks = if is_settled(&looks) && now.files == self.files { looks } else { Vec::new() };
        *self = now;
        Ok(())
    }

    pub(crate) fn digests(&self) -> &BTreeMap<String, String> {
        &self.digests
    }
}

pub(crate) fn changed(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
    allowed: &AllowedChanges,
) -> Option<String> {
    let names = before.keys().chain(now.keys());
    let mut differ = names.filter(|name| before.get(*name) != now.get(*name));
    differ.find(|name| !allowed.allows(name)).cloned()
}

/// Where git looks for the user's settings, also if nothing is there.
fn homes() -> Vec<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let home = variable("HOME").map(|home| home.join(".gitconfig"));
    let configured = xdg().map(|folder| folder.join("config"));
    [variable("GIT_CONFIG_GLOBAL"), home, configured].into_iter().flatten().collect()
}

fn xdg() -> Option<PathBuf> {
    let configured = std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty());
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    configured.map(PathBuf::from).or(home).map(|folder| folder.join("git"))
}

fn named_files(values: &BTreeMap<String, Vec<String>>) -> Vec<(String, PathBuf)> {
    let by_setting = NAMES_A_FILE.into_iter().filter_map(|(key, usual)| {
        let named = values.get(key).and_then(|values| values.last());
        let file = named.map(|name| expanded(name)).or_else(|| Some(xdg()?.join(usual)));
        Some((key.to_owned(), file?))
    });
    // git includes them under a condition that the repository decides.
    let conditional = values.iter().filter(|(key, _)| key.starts_with("includeif."));
    let conditional =
        conditional.flat_map(|(key, names)| names.iter().map(|name| (key.clone(), expanded(name))));
    by_setting.chain(conditional).collect()
}

fn expanded(name: &str) -> PathBuf {
    match (name.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(name),
    }
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
