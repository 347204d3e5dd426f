//! Readers of single values, each with its description for messages.

use std::borrow::Cow;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, Error};

use crate::Json;

#[derive(Debug)]
pub struct Leaf<T> {
    /// Completes "expected …".
    pub expected: Cow<'static, str>,
    pub read: fn(&Json) -> Option<T>,
}

pub const BOOL: Leaf<bool> = Leaf::new("true or false", |json| match json {
    Json::Bool(value) => Some(*value),
    _ => None,
});

pub const TEXT: Leaf<String> = Leaf::new("a string", |json| json.text().map(str::to_owned));

impl<T> Leaf<T> {
    pub const fn new(expected: &'static str, read: fn(&Json) -> Option<T>) -> Self {
        Self { expected: Cow::Borrowed(expected), read }
    }
}

impl<T: DeserializeOwned> Leaf<T> {
    /// One of the words that serde accepts for an enum without data.
    pub fn word() -> Self {
        Self { expected: listed(words::<T>()), read: |json| parse(json.text()?).ok() }
    }

    /// The same in any case and between blanks, as agents write words.
    pub fn lenient_word() -> Self {
        let read = |json: &Json| {
            let text = json.text()?.trim();
            parse(words::<T>().iter().find(|word| word.eq_ignore_ascii_case(text))?).ok()
        };
        Self { expected: listed(words::<T>()), read }
    }
}

/// The error of a word that an enum does not have.
#[derive(Debug, thiserror::Error)]
#[error("expected {}", listed(.words))]
struct UnknownWord {
    words: &'static [&'static str],
}

impl Error for UnknownWord {
    fn custom<M: std::fmt::Display>(_: M) -> Self {
        Self { words: &[] }
    }

    fn unknown_variant(_: &str, words: &'static [&'static str]) -> Self {
        Self { words }
    }
}

fn parse<T: DeserializeOwned>(word: &str) -> Result<T, UnknownWord> {
    T::deserialize(StrDeserializer::new(word))
}

/// No word is empty, so serde refuses the empty one and names all others.
fn words<T: DeserializeOwned>() -> &'static [&'static str] {
    parse::<T>("").map_or_else(|error| error.words, |_| &[])
}

/// `"a", "b" or "c"`.
fn listed(words: &[&str]) -> Cow<'static, str> {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.as_slice() {
        [others @ .., last] if !others.is_empty() => {
            format!("{} or {last}", others.join(", ")).into()
        }
        few => few.concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Size {
        Small,
        VeryLarge,
        Huge,
    }

    #[test]
    fn the_words_of_an_enum_are_those_of_serde() {
        let (exact, lenient) = (Leaf::<Size>::word(), Leaf::<Size>::lenient_word());
        assert_eq!(exact.expected, "\"small\", \"very-large\" or \"huge\"");
        assert_eq!(exact.expected, lenient.expected);
        let read = |leaf: &Leaf<Size>, text: &str| (leaf.read)(&Json::Text(text.into()));
        assert_eq!(read(&exact, "very-large"), Some(Size::VeryLarge));
        assert_eq!((read(&exact, "Huge"), read(&exact, "")), (None, None));
        assert_eq!(read(&lenient, " Huge\n"), Some(Size::Huge));
        assert_eq!((read(&lenient, "large"), read(&lenient, " ")), (None, None));
        assert_eq!((exact.read)(&Json::Bool(true)), None);
    }
}
