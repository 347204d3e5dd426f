//! Reads values from JSON that an agent wrote: keeps what is valid, within bounds, and reports the
//! rest. It does not know the meaning of fields.

use json_reader::{FieldPath, Json, Leaf, ObjectReader};

use crate::problem::{At, MISSING, Problems};

pub(crate) const LONGEST_LIST: usize = 200;
pub(crate) const LONGEST_TEXT: usize = 4_000;

const TEXT: Leaf<String> = Leaf::new("text", |json| json.text().map(str::to_owned));

/// One object. `null` counts as missing.
pub(crate) type Fields<'j, 'p> = ObjectReader<'j, 'p, Problems>;

/// Whether a missing field is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// The fields of the whole document.
pub(crate) fn whole<'j, 'p>(json: &'j Json, problems: &'p mut Problems) -> Option<Fields<'j, 'p>> {
    Fields::of(Some(json), &At::default(), FieldPath::Whole, problems)
}

/// Text that its object requires.
pub(crate) fn text(fields: &mut Fields<'_, '_>, name: &'static str) -> Option<String> {
    let field = FieldPath::Named(name);
    let text = fields.required(name, TEXT)?;
    let text = bounded(fields, field, text);
    if text.trim().is_empty() {
        fields.problems.note(&fields.place, field, "is empty");
        return None;
    }
    Some(text)
}

/// Text that may be missing, which is reported. Another type counts as missing.
pub(crate) fn text_or_nothing(fields: &mut Fields<'_, '_>, name: &'static str) -> Option<String> {
    if fields.set_entry(name).is_none() {
        fields.problems.note(&fields.place, FieldPath::Named(name), MISSING);
        return Some(String::new());
    }
    text_if_any(fields, name)
}

/// Optional text; another type counts as missing.
pub(crate) fn text_if_any(fields: &mut Fields<'_, '_>, name: &'static str) -> Option<String> {
    let text = fields.optional(name, TEXT)?;
    Some(bounded(fields, FieldPath::Named(name), text))
}

/// A list of texts; one text is a list of one, and blank ones are ignored.
pub(crate) fn texts(
    fields: &mut Fields<'_, '_>,
    name: &'static str,
    presence: Presence,
) -> Vec<String> {
    let mut texts = match fields.entry(name) {
        Some(Json::Text(text)) => vec![bounded(fields, FieldPath::Named(name), text.clone())],
        _ => {
            let items = list(fields, name, presence).iter().enumerate();
            let read = items.filter_map(|(index, item)| {
                let field = FieldPath::Item(name, index);
                let text = fields.read(field, Some(item), &TEXT)?;
                Some(bounded(fields, field, text))
            });
            read.collect()
        }
    };
    texts.retain(|text| !text.trim().is_empty());
    texts
}

/// The objects of a list that `read` accepts.
pub(crate) fn objects<T>(
    fields: &mut Fields<'_, '_>,
    name: &'static str,
    presence: Presence,
    read: fn(&mut Fields<'_, '_>) -> Option<T>,
) -> Vec<T> {
    let items = list(fields, name, presence);
    fields.objects_of(name, items, |mut fields| read(&mut fields))
}

/// The entries of a list, up to a limit.
pub(crate) fn list<'j>(
    fields: &mut Fields<'j, '_>,
    name: &'static str,
    presence: Presence,
) -> &'j [Json] {
    let items = match presence {
        Presence::Required => fields.required_array(name),
        Presence::Optional => fields.array(name),
    };
    let items = items.unwrap_or_default();
    let Some(kept) = items.get(..LONGEST_LIST).filter(|kept| kept.len() < items.len()) else {
        return items;
    };
    let what = format!("{} entries; only the first {LONGEST_LIST} are kept", items.len());
    fields.problems.note(&fields.place, FieldPath::Named(name), &what);
    kept
}

fn bounded(fields: &mut Fields<'_, '_>, field: FieldPath, text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) else { return text };
    let what = format!("longer than {LONGEST_TEXT} characters, so it was cut");
    fields.problems.note(&fields.place, field, &what);
    format!("{}…", &text[..end])
}
