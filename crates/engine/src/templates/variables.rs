//! Expands `${NAME}` in a text, from a closed set of names. One pass: values are never expanded again.
//!
//! `$RALPH_ITERATION` and `$RALPH_MAX_ITERATIONS` need no braces: they are also environment variables of a
//! session, and a prompt may use shell syntax.

use std::collections::{BTreeMap, BTreeSet};

use crate::templates::built_in::BuiltIn;

#[derive(Debug, Default)]
pub(crate) struct Variables(BTreeMap<String, String>);

/// A text with its variables expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpandedText {
    pub(crate) text: String,
    /// Unknown names, which stay in the text.
    pub(crate) unknown: Vec<String>,
}

impl Variables {
    /// The user's variables, which never override built-in ones.
    pub(crate) fn with(own: &BTreeMap<String, String>) -> Self {
        Self(own.clone())
    }

    pub(crate) fn set(&mut self, name: BuiltIn, value: impl ToString) {
        self.0.insert(name.name().to_owned(), value.to_string());
    }
}

const WITHOUT_BRACES: [(&str, BuiltIn); 2] =
    [("RALPH_ITERATION", BuiltIn::Iteration), ("RALPH_MAX_ITERATIONS", BuiltIn::MaxIterations)];

pub(crate) fn expand(template: &str, variables: &Variables) -> ExpandedText {
    let mut text = String::with_capacity(template.len());
    let mut unknown = BTreeSet::new();
    let mut rest = template;
    while let Some(start) = rest.find('$') {
        text.push_str(&rest[..start]);
        let from_dollar = &rest[start..];
        let braces = if from_dollar.starts_with("${") { "{}".len() } else { 0 };
        let Some(name) = name_in(from_dollar) else {
            text.push('$');
            rest = &from_dollar[1..];
            continue;
        };
        let whole = &from_dollar[..1 + name.len() + braces];
        let alias = WITHOUT_BRACES.iter().find(|(alias, _)| *alias == name);
        let known = variables.0.get(alias.map_or(name, |(_, of)| of.name()));
        match known.filter(|_| braces > 0 || alias.is_some()) {
            Some(value) => text.push_str(value),
            None => {
                if braces > 0 {
                    unknown.insert(name.to_owned());
                }
                text.push_str(whole);
            }
        }
        rest = after(&from_dollar[whole.len()..], &text);
    }
    text.push_str(rest);
    ExpandedText { text, unknown: unknown.into_iter().collect() }
}

/// The text after a value; skips the empty line if the value was an empty paragraph.
fn after<'t>(rest: &'t str, so_far: &str) -> &'t str {
    let nothing_there = so_far.is_empty() || so_far.ends_with("\n\n");
    match rest.strip_prefix("\n\n") {
        Some(next) if nothing_there => next,
        _ => rest,
    }
}

/// The variable name at the beginning of `text`. Shell snippets like `${x:-1}` or `${lower}` have none.
fn name_in(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let inside = text.strip_prefix("${").or_else(|| text.strip_prefix('$'))?;
    let name = &inside[..inside.find(|c| !is_part(c)).unwrap_or(inside.len())];
    let is_closed = !text.starts_with("${") || inside[name.len()..].starts_with('}');
    let is_word = !inside[name.len()..].starts_with(char::is_alphanumeric);
    (is_closed && is_word && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(template: &str) -> ExpandedText {
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
    fn an_empty_paragraph_leaves_no_gap() {
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
    fn the_number_of_the_iteration_needs_no_braces() {
        let mut variables = Variables::default();
        variables.set(BuiltIn::Iteration, 3);
        variables.set(BuiltIn::MaxIterations, 9);
        variables.set(BuiltIn::Mode, "review");
        let text = |template| expand(template, &variables).text;
        let sentence = "Iteration $RALPH_ITERATION of $RALPH_MAX_ITERATIONS.";
        assert_eq!(text(sentence), "Iteration 3 of 9.");
        assert_eq!(text("${RALPH_ITERATION}/${RALPH_MAX_ITERATIONS}"), "3/9");
        let others = "$RALPH_ITERATIONS $RALPH_ITERATIONx $MODE $ITERATION \\$";
        assert_eq!(
            expand(others, &variables),
            ExpandedText { text: others.into(), unknown: vec![] }
        );
    }

    #[test]
    fn other_dollar_signs_are_plain_text() {
        for text in ["$MODE", "${x:-1}", "${}", "${", "a ${MODE", "$${", "${lower}", "cost: 5$"] {
            assert_eq!(expanded(text), ExpandedText { text: text.into(), unknown: vec![] });
        }
    }
}
