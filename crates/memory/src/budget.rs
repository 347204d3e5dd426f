//! What of everything an iteration could be told fits into its prompt.

use crate::item::Item;
use crate::part::Part;
use crate::section::Section;

/// Everything there is to say in one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub part: Part,
    /// `## …`, or empty.
    pub heading: String,
    /// In falling importance: what does not fit is left out from the end.
    pub items: Vec<Item>,
}

/// What one part says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    pub part: Part,
    pub text: String,
    pub tokens: usize,
    pub wanted_tokens: usize,
    /// Items.
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// In the order in which they were wanted.
    pub parts: Vec<Fitted>,
    pub budget: usize,
}

impl Assembly {
    /// Empty for a part that says nothing.
    pub fn text(&self, part: Part) -> &str {
        self.parts.iter().find(|fitted| fitted.part == part).map_or("", |fitted| &fitted.text)
    }

    pub fn tokens(&self) -> usize {
        self.parts.iter().map(|fitted| fitted.tokens).sum()
    }

    /// Only when what is never cut is too much by itself.
    pub fn is_over_budget(&self) -> bool {
        self.tokens() > self.budget
    }
}

/// Cuts nothing while everything fits. Else parts are cut from the lowest priority up, whole items
/// from the end: first down to their allotments, then further, and no more than it takes. What room
/// large items left behind then goes to what was cut, from the highest priority down.
pub fn fit(wanted: Vec<Wanted>, budget: usize) -> Assembly {
    let sections: Vec<Section> = wanted.into_iter().map(Section::new).collect();
    let mut fitting = Fitting::new(&sections, budget);
    fitting.cut(|section| Floor {
        tokens: section.part.allotment(budget),
        items: section.part.spared_items(),
    });
    fitting.cut(|_| Floor { tokens: 0, items: 0 });
    fitting.fill();
    let parts = fitting.kept.iter().zip(&sections).map(|(&kept, section)| Fitted {
        part: section.part,
        text: section.text(kept),
        tokens: section.cost(kept),
        wanted_tokens: section.cost(section.len()),
        left_out: section.len() - kept,
    });
    Assembly { parts: parts.collect(), budget }
}

/// What a section is not cut below, whichever is more.
#[derive(Debug, Clone, Copy)]
struct Floor {
    tokens: usize,
    items: usize,
}

struct Fitting<'a> {
    sections: &'a [Section],
    /// Items, of each section.
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

    /// What the section at `n` may take, given the others.
    fn room(&self, n: usize) -> usize {
        let others = (0..self.sections.len()).filter(|&other| other != n);
        let taken: usize = others.map(|other| self.sections[other].cost(self.kept[other])).sum();
        self.budget.saturating_sub(taken)
    }

    fn cut(&mut self, floor: impl Fn(&Section) -> Floor) {
        for &n in self.cuttable.iter().rev() {
            let section = &self.sections[n];
            let floor = floor(section);
            let limit = self.room(n).max(floor.tokens);
            self.kept[n] = section.most(self.kept[n], limit).max(floor.items.min(self.kept[n]));
        }
    }

    fn fill(&mut self) {
        for &n in &self.cuttable {
            let section = &self.sections[n];
            self.kept[n] = section.most(section.len(), self.room(n)).max(self.kept[n]);
        }
    }
}
