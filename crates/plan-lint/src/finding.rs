//! One thing to put right, as data.

use tasks::{FieldPath, Place, StoryId};

use crate::{Code, Severity};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub place: Place,
    pub field: FieldPath,
    /// What is wrong; the place is not repeated in it.
    pub message: String,
    /// What to do about it: one sentence.
    pub fix: String,
}

impl Finding {
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Of the story, counted from 1; 0 is the list as a whole.
    pub fn position(&self) -> usize {
        match self.place {
            Place::Story { position, .. } => position,
            Place::TopLevel | Place::Part(_) => 0,
        }
    }

    pub fn story(&self) -> Option<&StoryId> {
        match &self.place {
            Place::Story { id, .. } => id.as_ref(),
            Place::TopLevel | Place::Part(_) => None,
        }
    }
}
