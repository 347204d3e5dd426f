//! The guarded settings of one config file: read with git, compared and restored key by key.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use super::keys::{effect, parts};
use super::{Effect, Image, differing};
use crate::Result;
use crate::git_call::GitCall;
use crate::path_text::{from_bytes, os_string, to_bytes};
use crate::refs_on_disk::is_ref_name;

const PATIENCE: Duration = Duration::from_secs(20);

/// The values of each key in order. A key without a value means true.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settings(BTreeMap<String, Vec<Vec<u8>>>);

impl Settings {
    /// The settings of a config file without its includes. `None` if git cannot parse it.
    pub(crate) fn read(text: &[u8]) -> Result<Option<Self>> {
        let call =
            git_config().args(["--file", "-", "--no-includes", "--list", "-z"]).input(text)?;
        let answer = call.answer(Instant::now() + PATIENCE)?;
        Ok(answer.status.success().then(|| Self::parse(&answer.stdout)))
    }

    /// Like `read`, for a file that may be missing.
    pub(crate) fn of(image: &Image) -> Result<Option<Self>> {
        match image {
            Image::Absent => Ok(Some(Self::default())),
            Image::File { bytes, .. } => Self::read(bytes),
            Image::Link(_) | Image::Other => Ok(None),
        }
    }

    fn parse(printed: &[u8]) -> Self {
        let mut all = Self::default();
        for setting in printed.split(|byte| *byte == 0).filter(|setting| !setting.is_empty()) {
            let (key, value) = key_and_value(setting);
            all.0.entry(key).or_default().push(value);
        }
        all
    }

    pub(crate) fn values(&self, key: &str) -> &[Vec<u8>] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }

    /// The settings that are guarded regardless of the others.
    pub(crate) fn guarded(&self) -> impl Iterator<Item = (&str, &[Vec<u8>])> {
        let guarded = self.0.iter().filter(|(key, _)| is_recorded(key));
        guarded.map(|(key, values)| (key.as_str(), values.as_slice()))
    }

    /// The guarded keys that differ in `now`, with the effect.
    pub(crate) fn changed(&self, now: &Self) -> Vec<(String, Effect)> {
        let differ = differing(&self.0, &now.0).into_iter();
        differ.filter_map(|key| Some((key.clone(), self.effect_of(key, now)?))).collect()
    }

    fn effect_of(&self, key: &str, now: &Self) -> Option<Effect> {
        if starts_submodule(key, now.values(key), self.0.keys()) {
            return None;
        }
        let is_refused = || self.redirects(key, now) || stops_git(key, now.values(key));
        effect(key).or_else(|| is_refused().then_some(Effect::Executes))
    }

    /// Whether the change redirects pushes: a new address of an existing remote, or a new remote.
    fn redirects(&self, key: &str, now: &Self) -> bool {
        let (Some((section, name)), Some(remote)) = (parts(key), subsection(key)) else {
            return false;
        };
        match (section, name) {
            ("remote", "url" | "pushurl") => {
                !self.values(&format!("remote.{remote}.url")).is_empty()
            }
            ("branch", "remote" | "pushremote") => now.values(key).iter().any(|value| {
                let name = from_bytes(value);
                name != "." && self.values(&format!("remote.{name}.url")).is_empty()
            }),
            _ => false,
        }
    }
}

/// Splits an entry of `git config --list -z`.
pub(crate) fn key_and_value(setting: &[u8]) -> (String, Vec<u8>) {
    let mut halves = setting.splitn(2, |byte| *byte == b'\n');
    let key = from_bytes(halves.next().unwrap_or_default()).into_owned();
    (key, halves.next().unwrap_or(b"true").to_vec())
}

/// Whether git would fail on this value of `remote.<name>.fetch`. Every git call that reads remotes
/// parses it.
fn stops_git(key: &str, values: &[Vec<u8>]) -> bool {
    let is_name = |name: &str| is_ref_name(name) && name.matches('*').count() <= 1;
    let is_valid = |value: &Vec<u8>| {
        let text = from_bytes(value);
        let text = text.strip_prefix(['+', '^']).unwrap_or(&text);
        match text.split_once(':') {
            None => is_name(text),
            Some((from, "")) => is_name(from) && !from.contains('*'),
            Some((from, to)) => {
                is_name(from) && is_name(to) && from.contains('*') == to.contains('*')
            }
        }
    };
    let is_fetch = matches!(parts(key), Some(("remote", "fetch")));
    is_fetch && !values.iter().all(is_valid)
}

/// Settings that `git submodule add` and `git submodule init` write for a new submodule.
pub(crate) fn starts_submodule<'k>(
    key: &str,
    values: &[Vec<u8>],
    mut known: impl Iterator<Item = &'k String>,
) -> bool {
    let name = key.strip_prefix("submodule.").and_then(|rest| rest.strip_suffix(".active"));
    name.is_some_and(|name| {
        let its = format!("submodule.{name}.");
        values == [b"true"] && !known.any(|known| known.starts_with(&its))
    })
}

/// Addresses of remotes are also recorded for comparison.
pub(crate) fn is_recorded(key: &str) -> bool {
    let is_address = |(section, name)| section == "remote" && matches!(name, "url" | "pushurl");
    effect(key).is_some() || parts(key).is_some_and(is_address)
}

/// Restores the values of each key from `was` and leaves all other keys.
pub(crate) fn restore_settings(file: &Path, keys: &[String], was: &Settings) -> Result<()> {
    let change = |args: &[OsString]| {
        let call = git_config().writing().args(["--file".into(), OsString::from(file)]);
        call.args(args).answer(Instant::now() + PATIENCE)
    };
    for key in keys {
        let name = os_string(&to_bytes(key));
        // Exit code 5 means that the key does not exist.
        change(&["--unset-all".into(), name.clone()])?;
        for value in was.values(key) {
            change(&["--add".into(), name.clone(), os_string(value)])?.check("config")?;
        }
    }
    Ok(())
}

/// Runs in the root folder, so that no repository settings apply.
fn git_config() -> GitCall {
    GitCall::anywhere(Path::new("/"), "config")
}

fn subsection(key: &str) -> Option<&str> {
    let (first, last) = (key.find('.')?, key.rfind('.')?);
    key.get(first + 1..last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        Settings::read(text.as_bytes()).unwrap().unwrap()
    }

    const BEFORE: &str =
        "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = a\n[user]\n\tname = x\n";

    fn changed(more: &str) -> Vec<String> {
        let changed = settings(BEFORE).changed(&settings(&format!("{BEFORE}{more}")));
        changed.into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn only_guarded_keys_count_as_changed() {
        assert_eq!(changed("[user]\n\tname = y\n[branch \"b\"]\n\tremote = origin\n"), [""; 0]);
        assert_eq!(changed("[remote \"new\"]\n\turl = b\n"), [""; 0]);
        assert_eq!(changed("[CORE]\n\tFsMonitor = evil\n"), ["core.fsmonitor"]);
        assert_eq!(changed("[core]\n\tbare\n"), ["core.bare"]);
        assert_eq!(changed("[filter \"Big.One\"]\n\tclean = evil\n"), ["filter.Big.One.clean"]);
        assert_eq!(changed("[include]\n\tpath = evil\n"), ["include.path"]);
    }

    #[test]
    fn redirected_pushes_are_detected() {
        assert_eq!(changed("[remote \"origin\"]\n\turl = b\n"), ["remote.origin.url"]);
        assert_eq!(changed("[remote \"origin\"]\n\tpushurl = b\n"), ["remote.origin.pushurl"]);
        let evil = "[remote \"evil\"]\n\turl = b\n[branch \"b\"]\n\tpushRemote = evil\n";
        assert_eq!(changed(evil), ["branch.b.pushremote"]);
        assert_eq!(changed("[branch \"b\"]\n\tremote = .\n"), [""; 0]);
    }

    #[test]
    fn invalid_fetch_refspecs_are_detected() {
        let changed = |value| changed(&format!("[remote \"x\"]\n\tfetch = {value}\n"));
        for value in [
            "+refs/heads/*:refs/remotes/x/*",
            "refs/heads/main:refs/remotes/x/main",
            "^refs/heads/wip-*",
            "main",
        ] {
            assert_eq!(changed(value), [""; 0], "{value}");
        }
        for value in
            ["+refs/heads/*:refs/heads/main", "a..b:c", "refs//x", "*/*:*/*", "a b:c", "a:b:c"]
        {
            assert_eq!(changed(value), ["remote.x.fetch"], "{value}");
        }
    }

    #[test]
    fn only_new_submodules_may_get_settings() {
        let new = "[submodule \"lib\"]\n\turl = b\n\tactive = true\n";
        assert_eq!(changed(new), [""; 0]);
        let with = |more: &str| settings(&format!("[submodule \"lib\"]\n\turl = b\n{more}"));
        let active = [("submodule.lib.active".to_owned(), Effect::DecidesContent)];
        assert_eq!(with("").changed(&with("\tactive = true\n")), active);
        assert_eq!(with("\tactive = true\n").changed(&with("\tactive = false\n")), active);
        assert_eq!(with("\tactive = true\n").changed(&settings("")), active);
        assert_eq!(changed("[submodule \"lib\"]\n\tactive = false\n"), ["submodule.lib.active"]);
        assert_eq!(changed("[submodule]\n\tactive = true\n"), ["submodule.active"]);
        assert_eq!(changed("[submodule \"lib\"]\n\tignore = all\n"), ["submodule.lib.ignore"]);
    }

    #[test]
    fn invalid_config_has_no_settings() {
        assert_eq!(Settings::read(b"[core\n").unwrap(), None);
    }

    #[test]
    fn keys_are_restored_with_all_values_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config");
        let was = settings("[a \"x\"]\n\tk = 1\n\tk = two words\n[core]\n\tpager = less\n");
        let text =
            "# mine\n[a \"x\"]\n\tk = 3\n[user]\n\tname = y\n[filter \"e\"]\n\tclean = evil\n";
        std::fs::write(&file, text).unwrap();
        let keys = ["a.x.k", "core.pager", "filter.e.clean"].map(str::to_owned);
        restore_settings(&file, &keys, &was).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let now = settings(&text);
        assert_eq!(now.values("a.x.k"), [b"1".to_vec(), b"two words".to_vec()]);
        assert_eq!(now.values("core.pager"), [b"less".to_vec()]);
        assert_eq!(now.values("filter.e.clean"), [b""; 0]);
        assert_eq!(now.values("user.name"), [b"y".to_vec()]);
        assert!(text.starts_with("# mine\n"), "{text}");
    }
}
