//! Reads the keys of one JSON object and reports every problem.
//!
//! Reading continues after a problem, so that one pass reports all. `null` counts as missing. Every key that was
//! not read is unknown, so no second list of keys is needed.

use std::collections::{BTreeMap, HashMap};

use crate::json::Json;
use crate::json_path::JsonPath;
use crate::leaf::Leaf;
use crate::nearest::nearest;
use crate::problem::{Fault, Problems};

pub(crate) trait FromKeys: Sized {
    /// `None` only if a required key is missing or wrong, which is reported.
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self>;
}

#[derive(Debug)]
pub(crate) struct ObjectReader<'j, 'p, 's> {
    entries: &'j [(String, Json)],
    path: JsonPath,
    known: Vec<&'static str>,
    problems: &'p mut Problems<'s>,
}

/// `value` must be an object.
pub(crate) fn read<T: FromKeys>(
    value: &Json,
    path: JsonPath,
    problems: &mut Problems<'_>,
) -> Option<T> {
    let Json::Object(entries) = value else {
        problems.wrong(&path, "an object", value);
        return None;
    };
    let mut keys = ObjectReader { entries, path, known: Vec::new(), problems };
    let read = T::from_keys(&mut keys);
    keys.report_doubles();
    keys.report_unknown();
    read
}

impl<'j> ObjectReader<'j, '_, '_> {
    pub(crate) fn leaf<T>(&mut self, key: &'static str, leaf: Leaf<T>) -> Option<T> {
        let value = self.entry(key)?;
        self.converted(self.path.key(key), value, &leaf)
    }

    pub(crate) fn required<T>(&mut self, key: &'static str, leaf: Leaf<T>) -> Option<T> {
        if self.entry(key).is_none() {
            let found = "nothing: the key is missing".to_owned();
            let fault = Fault::Wrong { expected: leaf.expected, found };
            self.problems.report(&self.path.key(key), fault);
        }
        self.leaf(key, leaf)
    }

    pub(crate) fn leaves<T>(&mut self, key: &'static str, leaf: Leaf<T>) -> Option<Vec<T>> {
        let items = self.array(key)?.iter().enumerate();
        let path = self.path.key(key);
        Some(items.filter_map(|(n, item)| self.converted(path.item(n), item, &leaf)).collect())
    }

    pub(crate) fn object<T: FromKeys>(&mut self, key: &'static str) -> Option<T> {
        let value = self.entry(key)?;
        read(value, self.path.key(key), self.problems)
    }

    pub(crate) fn objects<T: FromKeys>(&mut self, key: &'static str) -> Option<Vec<T>> {
        let items = self.array(key)?.iter().enumerate();
        let path = self.path.key(key);
        Some(items.filter_map(|(n, item)| read(item, path.item(n), self.problems)).collect())
    }

    /// An object whose keys the user chooses, limited by `name`.
    pub(crate) fn map<T>(
        &mut self,
        key: &'static str,
        name: Leaf<String>,
        value: Leaf<T>,
    ) -> Option<BTreeMap<String, T>> {
        let path = self.path.key(key);
        let json = self.entry(key)?;
        let Json::Object(entries) = json else {
            self.problems.wrong(&path, "an object", json);
            return None;
        };
        report_doubles(entries, &path, self.problems);
        let mut map = BTreeMap::new();
        for (key, text) in entries {
            let Some(name) = (name.read)(&Json::Text(key.clone())) else {
                self.problems.wrong_name(&path, name.expected, key);
                continue;
            };
            if !matches!(text, Json::Null) {
                let value = self.converted(path.key(key), text, &value);
                map.extend(value.map(|value| (name, value)));
            }
        }
        Some(map)
    }

    fn converted<T>(&mut self, path: JsonPath, value: &Json, leaf: &Leaf<T>) -> Option<T> {
        let converted = (leaf.read)(value);
        if converted.is_none() {
            self.problems.wrong(&path, leaf.expected, value);
        }
        converted
    }

    fn array(&mut self, key: &'static str) -> Option<&'j [Json]> {
        match self.entry(key)? {
            Json::Array(items) => Some(items),
            other => {
                self.problems.wrong(&self.path.key(key), "an array", other);
                None
            }
        }
    }

    fn entry(&mut self, key: &'static str) -> Option<&'j Json> {
        self.known.push(key);
        let entry = self.entries.iter().find(|(name, _)| name == key);
        entry.map(|(_, value)| value).filter(|value| !matches!(value, Json::Null))
    }

    fn report_doubles(&mut self) {
        report_doubles(self.entries, &self.path, self.problems);
    }

    fn report_unknown(&mut self) {
        for (key, _) in self.entries {
            if !self.known.contains(&key.as_str()) {
                self.problems.unknown(&self.path, key, nearest(key, &self.known));
            }
        }
    }
}

fn report_doubles(entries: &[(String, Json)], path: &JsonPath, problems: &mut Problems<'_>) {
    let mut times = HashMap::new();
    for (key, _) in entries {
        let times = times.entry(key).or_insert(0);
        *times += 1;
        if *times == 2 {
            problems.twice(path, key);
        }
    }
}
