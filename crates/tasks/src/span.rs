//! Positions of JSON members and array items in a text, with their separators.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

pub(crate) type Span = Range<usize>;

const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

#[derive(Clone, Default)]
pub(crate) struct Object {
    pub(crate) members: Vec<Member>,
}

#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) value: Span,
    /// From the end of the previous token to the value: comma if not first, name, colon,
    /// whitespace.
    lead: Span,
}

/// The separators before a name and between name and value.
pub(crate) struct MemberStyle<'t> {
    pub(crate) before: &'t str,
    pub(crate) colon: &'t str,
}

impl Object {
    /// `at` is the span of an object in `text`.
    pub(crate) fn read(text: &str, at: &Span) -> serde_json::Result<Self> {
        let RawMembers(raw) = serde_json::from_str(&text[at.clone()])?;
        let mut end = at.start + 1;
        let members = raw.into_iter().map(|(name, value)| {
            let value = span_of(value.get(), text);
            let lead = end..value.start;
            end = value.end;
            Member { name, value, lead }
        });
        Ok(Self { members: members.collect() })
    }

    /// Spans of the members that are `extra`, with the commas that become superfluous. The spans do
    /// not overlap.
    pub(crate) fn removal_spans(&self, text: &str, extra: impl Fn(&Member) -> bool) -> Vec<Span> {
        let leading = self.members.iter().take_while(|member| extra(member)).count();
        let (first, others) = self.members.split_at(leading);
        let all_first = first.first().zip(first.last()).map(|(first, last)| {
            // The comma after them is removed; the whitespace before the next member stays.
            let comma = others.first().and_then(|next| text[next.lead.clone()].find(','));
            first.lead.start..comma.map_or(last.value.end, |at| last.value.end + at + 1)
        });
        let others = others.iter().filter(|member| extra(member));
        all_first.into_iter().chain(others.map(|it| it.lead.start..it.value.end)).collect()
    }
}

impl Member {
    pub(crate) fn style<'t>(&self, text: &'t str) -> MemberStyle<'t> {
        let lead = &text[self.lead.clone()];
        let named = lead.trim_start_matches(WHITESPACE).strip_prefix(',').unwrap_or(lead);
        let before = &named[..named.len() - named.trim_start_matches(WHITESPACE).len()];
        // After the closing quote of the name there are only the colon and whitespace.
        let colon = lead.rfind('"').map_or(":", |quote| &lead[quote + 1..]);
        MemberStyle { before, colon }
    }
}

/// The spans of the items of the array at `at`.
pub(crate) fn items(text: &str, at: &Span) -> serde_json::Result<Vec<Span>> {
    let raw: Vec<&RawValue> = serde_json::from_str(&text[at.clone()])?;
    Ok(raw.into_iter().map(|item| span_of(item.get(), text)).collect())
}

/// The whitespace that ends at `position`.
pub(crate) fn blanks_before(text: &str, position: usize) -> &str {
    let head = &text[..position];
    &head[head.trim_end_matches(WHITESPACE).len()..]
}

/// The span of `part`, which must be borrowed from `text`.
pub(crate) fn span_of(part: &str, text: &str) -> Span {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

struct RawMembers<'t>(Vec<(String, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for RawMembers<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawMembers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(RawMembers(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
