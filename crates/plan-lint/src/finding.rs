//! A finding: a problem of the plan with its fix.

use tasks::{FieldPath, ProblemPlace, StoryId};

use crate::{Code, Severity};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub place: ProblemPlace,
    pub field: FieldPath,
    /// What is wrong, without the place.
    pub message: String,
    /// The fix, in one sentence.
    pub fix: String,
}

impl Finding {
    /// A finding about the list as a whole.
    pub(crate) fn of_list(
        code: Code,
        field: FieldPath,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let place = ProblemPlace::TopLevel;
        Self { code, place, field, message: message.into(), fix: fix.into() }
    }

    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// The position of the story, counted from 1; 0 is the list as a whole.
    pub fn position(&self) -> usize {
        match self.place {
            ProblemPlace::Story { position, .. } => position,
            ProblemPlace::TopLevel | ProblemPlace::Part(_) | ProblemPlace::Check(_) => 0,
        }
    }

    pub fn story(&self) -> Option<&StoryId> {
        match &self.place {
            ProblemPlace::Story { id, .. } => id.as_ref(),
            ProblemPlace::TopLevel | ProblemPlace::Part(_) | ProblemPlace::Check(_) => None,
        }
    }
}
