//! How a part of a file is set in, so that what is put there looks as its neighbours do.

use serde::Serialize;
use serde_json::ser::PrettyFormatter;

use crate::span::{Object, Span, blanks_before};

/// What a new value is to look like.
pub(crate) enum Indentation<'t> {
    OneLine,
    Lines {
        /// A line break and the blanks of the line on which the value ends.
        line: &'t str,
        /// The blanks by which each level goes further in.
        step: &'t str,
    },
}

impl<'t> Indentation<'t> {
    /// That of a story which stands at `item`.
    pub(crate) fn of_item(text: &'t str, item: &Span, story: &Object<'_>) -> Self {
        let members = story.members.first().map(|member| member.style(text).before);
        Self::between(blanks_before(text, item.start), members.unwrap_or_default())
    }

    /// That of a value within a story which stands at `item`.
    pub(crate) fn of_member(text: &'t str, item: &Span, story: &Object<'_>) -> Self {
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
        // JSON has no bare line break but those between its parts.
        Ok(String::from_utf8_lossy(&written).replace('\n', line))
    }
}

/// The last line break of some blanks, and what follows it.
fn last_line(blanks: &str) -> &str {
    let at =
        blanks.rfind("\r\n").max(blanks.rfind('\n').filter(|at| !blanks[..*at].ends_with('\r')));
    at.map_or(blanks, |at| &blanks[at..])
}
