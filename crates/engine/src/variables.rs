//! `${NAME}` in a text, from a closed set of names. One pass: a value is never expanded again.

use std::collections::{BTreeMap, BTreeSet};

use crate::built_in::BuiltIn;

#[derive(Debug, Default)]
pub(crate) struct Variables(BTreeMap<String, String>);

/// A text with its variables filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// Names that nobody knows; they stand in the text as they were.
    pub(crate) unknown: Vec<String>,
}

impl Variables {
    /// The user's own, which never hide one of ours.
    pub(crate) fn with(own: &BTreeMap<String, String>) -> Self {
        Self(own.clone())
    }

    pub(crate) fn set(&mut self, name: BuiltIn, value: impl ToString) {
        self.0.insert(name.name().to_owned(), value.to_string());
    }
}

pub(crate) fn expand(template: &str, variables: &Variables) -> Expanded {
    let mut text = String::with_capacity(template.len());
    let mut unknown = BTreeSet::new();
    let mut rest = template;
    while let Some(start) = rest.find("${") {
        text.push_str(&rest[..start]);
        let from_dollar = &rest[start..];
        match name_in(from_dollar) {
            Some(name) => {
                let whole = name.len() + "${}".len();
                match variables.0.get(name) {
                    Some(value) => text.push_str(value),
                    None => {
                        unknown.insert(name.to_owned());
                        text.push_str(&from_dollar[..whole]);
                    }
                }
                rest = after(&from_dollar[whole..], &text);
            }
            None => {
                text.push_str("${");
                rest = &from_dollar[2..];
            }
        }
    }
    text.push_str(rest);
    Expanded { text, unknown: unknown.into_iter().collect() }
}

/// What follows a value: without its empty line if the value was a paragraph with nothing in it.
fn after<'t>(rest: &'t str, so_far: &str) -> &'t str {
    let nothing_there = so_far.is_empty() || so_far.ends_with("\n\n");
    match rest.strip_prefix("\n\n") {
        Some(next) if nothing_there => next,
        _ => rest,
    }
}

/// The name of a variable that stands at the beginning of `text`, if one does. Shell snippets like
/// `${x:-1}` or `${lower}` are none of ours.
fn name_in(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("${")?;
    let name = &inside[..inside.find('}')?];
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(template: &str) -> Expanded {
        let mut variables = Variables::default();
        variables.set(BuiltIn::Mode, "review");
        variables.set(BuiltIn::Story, "says ${MODE} and $(rm -rf /)");
        expand(template, &variables)
    }

    #[test]
    fn known_names_are_filled_in_once() {
        let result = expanded("${MODE}: ${STORY}; ${MODE}");
        assert_eq!(result.text, "review: says ${MODE} and $(rm -rf /); review");
        assert_eq!(result.unknown, Vec::<String>::new());
    }

    #[test]
    fn unknown_names_stay_and_are_reported_once() {
        let result = expanded("${NOPE} ${MODE} ${NOPE} ${OTHER_1}");
        assert_eq!(result.text, "${NOPE} review ${NOPE} ${OTHER_1}");
        assert_eq!(result.unknown, ["NOPE", "OTHER_1"]);
    }

    #[test]
    fn a_paragraph_with_nothing_in_it_leaves_no_gap() {
        let mut variables = Variables::default();
        variables.set(BuiltIn::Feedback, "");
        variables.set(BuiltIn::Story, "some");
        let text = |template| expand(template, &variables).text;
        assert_eq!(text("a\n\n${FEEDBACK}\n\n${FEEDBACK}\n\nb"), "a\n\nb");
        assert_eq!(text("a\n\n${STORY}\n\nb"), "a\n\nsome\n\nb");
        assert_eq!(text("a ${FEEDBACK}\n\nb"), "a \n\nb");
        assert_eq!(text("${FEEDBACK}\n\nb"), "b");
    }

    #[test]
    fn everything_else_with_a_dollar_is_plain_text() {
        for text in ["$MODE", "${x:-1}", "${}", "${", "a ${MODE", "$${", "${lower}", "cost: 5$"] {
            assert_eq!(expanded(text), Expanded { text: text.into(), unknown: vec![] });
        }
    }
}
