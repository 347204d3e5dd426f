//! Selects what fits into the token budget of a prompt.

use crate::item::Item;
use crate::prompt_part::PromptPart;
use crate::section::Section;

/// The complete content of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartContent {
    pub part: PromptPart,
    /// `## …`, or empty.
    pub heading: String,
    /// By falling importance: items are omitted from the end.
    pub items: Vec<Item>,
}

/// The selected content of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittedPart {
    pub part: PromptPart,
    pub text: String,
    pub tokens: usize,
    pub wanted_tokens: usize,
    /// Omitted items.
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// In the order of the input.
    pub parts: Vec<FittedPart>,
    pub budget: usize,
}

impl Assembly {
    /// Empty for a part without content.
    pub fn text(&self, part: PromptPart) -> &str {
        self.parts.iter().find(|fitted| fitted.part == part).map_or("", |fitted| &fitted.text)
    }

    pub fn tokens(&self) -> usize {
        self.parts.iter().map(|fitted| fitted.tokens).sum()
    }

    /// Only if the parts that are never cut exceed the budget alone.
    pub fn is_over_budget(&self) -> bool {
        self.tokens() > self.budget
    }
}

/// Cuts nothing if everything fits. Otherwise cuts parts from the lowest priority up, whole items from the end:
/// first down to their allotments, then further, and no more than needed. Space left by large items then goes
/// to cut parts, from the highest priority down.
pub fn fit(wanted: Vec<PartContent>, budget: usize) -> Assembly {
    let sections: Vec<Section> = wanted.into_iter().map(Section::new).collect();
    let mut fitting = Fitting::new(&sections, budget);
    fitting.cut(|part| (part.allotment(budget), part.spared_items()));
    fitting.cut(|_| (0, 0));
    fitting.fill();
    let parts = fitting.kept.iter().zip(&sections).map(|(&kept, section)| FittedPart {
        part: section.part,
        text: section.text(kept),
        tokens: section.cost(kept),
        wanted_tokens: section.cost(section.len()),
        left_out: section.len() - kept,
    });
    Assembly { parts: parts.collect(), budget }
}

struct Fitting<'a> {
    sections: &'a [Section],
    /// Kept items of each section.
    kept: Vec<usize>,
    /// Sections that may be cut, highest priority first.
    cuttable: Vec<usize>,
    budget: usize,
}

impl<'a> Fitting<'a> {
    fn new(sections: &'a [Section], budget: usize) -> Self {
        let mut cuttable: Vec<usize> =
            (0..sections.len()).filter(|&n| !sections[n].part.never_cut()).collect();
        cuttable.sort_by_key(|&n| sections[n].part);
        Fitting { sections, kept: sections.iter().map(Section::len).collect(), cuttable, budget }
    }

    /// Tokens available to the section at `n`, given the others.
    fn space(&self, n: usize) -> usize {
        let others = (0..self.sections.len()).filter(|&other| other != n);
        let taken: usize = others.map(|other| self.sections[other].cost(self.kept[other])).sum();
        self.budget.saturating_sub(taken)
    }

    /// `floor` is the minimum of a part in tokens and in items, whichever is more.
    fn cut(&mut self, floor: impl Fn(PromptPart) -> (usize, usize)) {
        for &n in self.cuttable.iter().rev() {
            let section = &self.sections[n];
            let (tokens, items) = floor(section.part);
            let limit = self.space(n).max(tokens);
            self.kept[n] = section.items_within(self.kept[n], limit).max(items.min(self.kept[n]));
        }
    }

    fn fill(&mut self) {
        for &n in &self.cuttable {
            let section = &self.sections[n];
            self.kept[n] = section.items_within(section.len(), self.space(n)).max(self.kept[n]);
        }
    }
}
