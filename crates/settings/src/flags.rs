//! Settings from the command line.

use json_reader::Json;
use serde::Serialize;
use serde_json::Value;

use crate::merge::Layer;
use crate::source::Source;

/// Values of flags. A later one overrides an earlier one, and each overrides the files.
///
/// A flag that names another program also drops the settings of the files for their program: see [`crate::load`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flags(Vec<Flag>);

#[derive(Debug, Clone, PartialEq)]
struct Flag {
    name: &'static str,
    path: Vec<&'static str>,
    value: Value,
}

impl Flags {
    pub fn new() -> Self {
        Self::default()
    }

    /// `flags.set("--model", &["agent", "model"], "opus")`.
    pub fn set(&mut self, name: &'static str, path: &[&'static str], value: impl Serialize) {
        // Words, numbers and lists of them always serialize.
        let value = serde_json::to_value(value).unwrap_or_default();
        self.0.push(Flag { name, path: path.to_vec(), value });
    }

    /// For a flag that may not have been given.
    pub fn set_if<T: Serialize>(
        &mut self,
        name: &'static str,
        path: &[&'static str],
        value: Option<T>,
    ) {
        if let Some(value) = value {
            self.set(name, path, value);
        }
    }

    /// For two flags of which the second turns off what the first turns on.
    pub fn set_switch(
        &mut self,
        [on, off]: [&'static str; 2],
        path: &[&'static str],
        [is_on, is_off]: [bool; 2],
    ) {
        if is_off {
            self.set(off, path, false);
        } else if is_on {
            self.set(on, path, true);
        }
    }

    pub(crate) fn layers(&self) -> impl Iterator<Item = Layer> {
        self.0.iter().map(|flag| {
            let wrap = |inner, key: &&str| Json::Object(vec![((*key).to_owned(), inner)]);
            let document = flag.path.iter().rev().fold(Json::from(&flag.value), wrap);
            Layer { source: Source::Flag(flag.name), document }
        })
    }
}
