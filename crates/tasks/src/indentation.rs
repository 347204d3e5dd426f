//! Detects the indentation of a part of a file, so that inserted values match it.

use serde::Serialize;
use serde_json::ser::PrettyFormatter;

use crate::span::{Object, Span, blanks_before};

/// The layout of a new value.
pub(crate) enum Indentation<'t> {
    OneLine,
    Lines {
        /// The line break and indentation of the line on which the value ends.
        line: &'t str,
        /// The indentation of one level.
        step: &'t str,
    },
}

impl<'t> Indentation<'t> {
    /// The layout of a story at `item`.
    pub(crate) fn of_item(text: &'t str, item: &Span, story: &Object) -> Self {
        let members = story.members.first().map(|member| member.style(text).before);
        Self::between(blanks_before(text, item.start), members.unwrap_or_default())
    }

    /// The layout of a value within the story at `item`.
    pub(crate) fn of_member(text: &'t str, item: &Span, story: &Object) -> Self {
        match (Self::of_item(text, item, story), story.members.first()) {
            (Self::Lines { step, .. }, Some(member)) => {
                Self::Lines { line: last_line(member.style(text).before), step }
            }
            _ => Self::OneLine,
        }
    }

    fn between(outer: &'t str, inner: &'t str) -> Self {
        let (outer, inner) = (last_line(outer), last_line(inner));
        match inner.strip_prefix(outer) {
            Some(step) if outer.contains('\n') => Self::Lines { line: outer, step },
            _ => Self::OneLine,
        }
    }

    pub(crate) fn write(&self, value: &impl Serialize) -> serde_json::Result<String> {
        let Self::Lines { line, step } = self else { return serde_json::to_string(value) };
        let mut written = Vec::new();
        let formatter = PrettyFormatter::with_indent(step.as_bytes());
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut written, formatter))?;
        // JSON strings contain no raw line breaks.
        Ok(String::from_utf8_lossy(&written).replace('\n', line))
    }
}

/// The last line break of `blanks` and what follows it.
fn last_line(blanks: &str) -> &str {
    let at =
        blanks.rfind("\r\n").max(blanks.rfind('\n').filter(|at| !blanks[..*at].ends_with('\r')));
    at.map_or(blanks, |at| &blanks[at..])
}
