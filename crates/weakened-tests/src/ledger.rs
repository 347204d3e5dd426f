//! Every assertion of a change before and after, counted by its text: one that went from a test and
//! stands in another now was moved, not lost.

use std::collections::HashMap;

use crate::assertion::Assertion;
use crate::file::File;
use crate::language::Language;
use crate::unit::Unit;

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// How many more there were of each than there are.
    missing: HashMap<(Option<Language>, u64), isize>,
    /// What helpers assert, before and after.
    helpers: HashMap<(Option<Language>, String), Helper>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Helper {
    before: usize,
    after: usize,
}

impl Ledger {
    pub(crate) fn new(files: &[File<'_>]) -> Self {
        let mut ledger = Self::default();
        for file in files {
            for unit in &file.before.units {
                ledger.enter(file.language, unit, 1);
            }
            for unit in &file.after.units {
                ledger.enter(file.language, unit, -1);
            }
        }
        ledger
    }

    fn enter(&mut self, language: Option<Language>, unit: &Unit<'_>, by: isize) {
        for assertion in &unit.body.assertions {
            *self.missing.entry((language, assertion.print)).or_default() += by;
        }
        if unit.role == crate::unit::Role::Helper {
            let helper = self.helpers.entry((language, unit.leaf.to_owned())).or_default();
            let count = if by > 0 { &mut helper.before } else { &mut helper.after };
            *count = (*count).max(unit.body.assertions.len());
        }
    }

    /// Whether this assertion is nowhere any more. Each that is missing is told once.
    pub(crate) fn is_lost(
        &mut self,
        language: Option<Language>,
        assertion: &Assertion<'_>,
    ) -> bool {
        match self.missing.get_mut(&(language, assertion.print)) {
            Some(missing) if *missing > 0 => {
                *missing -= 1;
                true
            }
            _ => false,
        }
    }

    /// Whether none of these is missing anywhere.
    pub(crate) fn all_stand(
        &self,
        language: Option<Language>,
        assertions: &[Assertion<'_>],
    ) -> bool {
        assertions
            .iter()
            .all(|one| self.missing.get(&(language, one.print)).is_none_or(|missing| *missing <= 0))
    }

    /// How many assertions a unit's calls are worth: by their name, and by what is known of the helper
    /// beside it. A helper that asserts less than before is told by its own name, once, so here it is
    /// worth the same on both sides.
    pub(crate) fn worth_of_calls(&self, language: Option<Language>, unit: &Unit<'_>) -> Worth {
        let mut worth = Worth::default();
        for name in unit.body.calls.iter().filter(|name| **name != unit.leaf) {
            let helper = self.helpers.get(&(language, (*name).to_owned()));
            let known = helper.map(|helper| helper.before.max(helper.after));
            if sounds_like_an_assertion(name) {
                worth.by_name += known.unwrap_or(1);
            } else {
                worth.by_helper += known.unwrap_or(0);
            }
        }
        worth
    }
}

/// What a call is worth in assertions.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Worth {
    /// Calls whose name says that they assert.
    pub(crate) by_name: usize,
    /// Other calls, of helpers that do. A setup may assert that it worked, so nobody misses one that
    /// goes; but one that comes may have taken an assertion over.
    pub(crate) by_helper: usize,
}

fn sounds_like_an_assertion(name: &str) -> bool {
    ["assert", "check", "verify", "expect", "require", "ensure"].iter().any(|verb| {
        name.strip_prefix(verb).is_some_and(|rest| !rest.starts_with(char::is_lowercase))
    })
}
