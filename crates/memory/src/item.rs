//! One item of a prompt part, kept or omitted as a whole.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Consecutive items of the same group form a list under its heading; an item without a group is a paragraph.
    pub group: Option<String>,
    pub text: String,
}

impl Item {
    pub fn paragraph(text: impl Into<String>) -> Self {
        Item { group: None, text: text.into() }
    }

    pub fn grouped(group: impl Into<String>, text: impl Into<String>) -> Self {
        Item { group: Some(group.into()), text: text.into() }
    }
}
