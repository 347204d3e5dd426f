//! Reads settings from the keys of an object.
//!
//! `null` counts as missing. Every key that was not read is unknown, so no second list of keys is needed.

use std::collections::{BTreeMap, HashMap};

use json_reader::{Entry, Json, Leaf, ObjectReader};

use crate::json_path::JsonPath;
use crate::nearest::nearest;
use crate::problem::Problems;
use crate::source::Source;

pub(crate) type Keys<'j, 'p, 's> = ObjectReader<'j, 'p, Problems<'s>>;

/// Settings that are an object in the file.
pub(crate) trait Section {
    /// What is not set has its default.
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self;
}

/// Defines settings that are an object in the file. Each field says how it is read from the keys, with its default.
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $name:ident from $keys:ident {
            $($(#[$note:meta])* pub $field:ident: $type:ty = $read:expr,)+
        }
    ) => {
        $(#[$about])*
        #[serde_with_macros::skip_serializing_none]
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub struct $name {
            $($(#[$note])* pub $field: $type,)+
        }

        impl crate::section::Section for $name {
            fn read($keys: &mut crate::section::Keys<'_, '_, '_>) -> Self {
                Self { $($field: $read,)+ }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                crate::section::defaults()
            }
        }
    };
}

pub(crate) use settings;

/// The settings of an empty object.
pub(crate) fn defaults<S: Section>() -> S {
    let mut problems = Problems::of(&Source::Default);
    S::read(&mut Keys::new(&[], JsonPath::default(), &mut problems))
}

pub(crate) fn section<S: Section>(keys: &mut Keys<'_, '_, '_>, key: &'static str) -> S {
    optional_section(keys, key).unwrap_or_else(defaults)
}

pub(crate) fn optional_section<S: Section>(
    keys: &mut Keys<'_, '_, '_>,
    key: &'static str,
) -> Option<S> {
    keys.object(key).map(whole_section)
}

/// Also reports unknown keys.
pub(crate) fn whole_section<S: Section>(mut keys: Keys<'_, '_, '_>) -> S {
    let section = S::read(&mut keys);
    finish(keys);
    section
}

/// An object whose keys the user chooses, limited by `name`.
pub(crate) fn read_map<T>(
    keys: &mut Keys<'_, '_, '_>,
    key: &'static str,
    name: Leaf<String>,
    leaf: Leaf<T>,
) -> BTreeMap<String, T> {
    let mut map = BTreeMap::new();
    let Some(Keys { entries, place: path, problems, .. }) = keys.object(key) else { return map };
    report_doubles(entries, &path, problems);
    for (key, json) in entries {
        let Some(name) = (name.read)(&Json::Text(key.clone())) else {
            problems.wrong_name(&path, &name.expected, key);
            continue;
        };
        match (leaf.read)(json) {
            _ if *json == Json::Null => {}
            Some(value) => drop(map.insert(name, value)),
            None => problems.wrong(&path.key(key), &leaf.expected, json),
        }
    }
    map
}

/// Reports duplicate and unknown keys, after everything was read.
pub(crate) fn finish(Keys { entries, place, problems, known }: Keys<'_, '_, '_>) {
    report_doubles(entries, &place, problems);
    for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        problems.unknown(&place, key, nearest(key, &known));
    }
}

pub(crate) fn report_doubles(entries: &[Entry], path: &JsonPath, problems: &mut Problems<'_>) {
    let mut times = HashMap::new();
    for (key, _) in entries {
        let times = times.entry(key).or_insert(0);
        *times += 1;
        if *times == 2 {
            problems.twice(path, key);
        }
    }
}
