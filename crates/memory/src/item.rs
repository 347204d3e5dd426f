//! One thing to tell, kept or left out as a whole.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Items in a row with the same group stand as a list under its heading; one without a group is
    /// a paragraph.
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
