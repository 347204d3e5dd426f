//! The parts of a prompt by falling priority, and the size of each if not all fit.

/// The budget that the allotments refer to.
const USUAL_BUDGET: u128 = 8_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Task,
    Output,
    Skills,
    Failures,
    Previous,
    Compacted,
    Earlier,
}

impl Part {
    pub fn name(self) -> &'static str {
        match self {
            Part::Task => "task",
            Part::Output => "output",
            Part::Skills => "skills",
            Part::Failures => "failures",
            Part::Previous => "previous",
            Part::Compacted => "compacted",
            Part::Earlier => "earlier",
        }
    }

    /// Tokens below which the part is cut last.
    pub fn allotment(self, budget: usize) -> usize {
        let scaled = self.usual_allotment() as u128 * budget as u128 / USUAL_BUDGET;
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }

    fn usual_allotment(self) -> usize {
        match self {
            Part::Task => 1_000,
            Part::Output => 500,
            Part::Skills | Part::Failures => 1_500,
            Part::Previous => 500,
            Part::Compacted => 3_000,
            Part::Earlier => 150,
        }
    }

    pub fn never_cut(self) -> bool {
        matches!(self, Part::Task | Part::Output)
    }

    /// Items that are kept regardless of the allotment: the first skill stays as long as there is any space.
    pub(crate) fn spared_items(self) -> usize {
        usize::from(self == Part::Skills)
    }
}
