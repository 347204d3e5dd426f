//! The parts of a prompt by falling priority, and the size of each if not all fit.

/// The budget that the allotments refer to.
const USUAL_BUDGET: u128 = 8_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PromptPart {
    Task,
    Output,
    Skills,
    Failures,
    Previous,
    Compacted,
    Earlier,
}

impl PromptPart {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Tokens below which the part is cut last.
    pub fn allotment(self, budget: usize) -> usize {
        let scaled = self.usual_allotment() as u128 * budget as u128 / USUAL_BUDGET;
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    fn usual_allotment(self) -> usize {
        match self {
            PromptPart::Task => 1_000,
            PromptPart::Output => 500,
            PromptPart::Skills | PromptPart::Failures => 1_500,
            PromptPart::Previous => 500,
            PromptPart::Compacted => 3_000,
            PromptPart::Earlier => 150,
        }
    }

    pub fn never_cut(self) -> bool {
        matches!(self, PromptPart::Task | PromptPart::Output)
    }

    /// Items that are kept regardless of the allotment: the first skill stays as long as there is any space.
    pub(crate) fn spared_items(self) -> usize {
        usize::from(self == PromptPart::Skills)
    }
}
