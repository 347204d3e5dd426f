//! A finding: a problem of the plan with its fix.

use tasks::{FieldPath, Place, StoryId};

use crate::{Code, Severity};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub place: Place,
    pub field: FieldPath,
    /// What is wrong, without the place.
    pub message: String,
    /// The fix, in one sentence.
    pub fix: String,
}

impl Finding {
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// The position of the story, counted from 1; 0 is the list as a whole.
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
