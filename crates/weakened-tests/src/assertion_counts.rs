//! Counts every assertion of a change by its text, before and after: an assertion that appears in
//! another test was moved, not lost.

use std::collections::HashMap;

use crate::body::Assertion;
use crate::file::File;
use crate::language::Language;
use crate::unit::{Role, Unit};

#[derive(Debug, Default)]
pub(crate) struct AssertionCounts {
    /// Count before minus count after, per assertion.
    missing: HashMap<(Option<Language>, u64), isize>,
    /// Assertions of helpers, before or after: the larger number.
    helpers: HashMap<(Option<Language>, String), usize>,
}

impl AssertionCounts {
    pub(crate) fn new(files: &[File<'_>]) -> Self {
        let mut counts = Self::default();
        for file in files {
            file.before.units.iter().for_each(|unit| counts.add(file.language, unit, 1));
            file.after.units.iter().for_each(|unit| counts.add(file.language, unit, -1));
        }
        counts
    }

    fn add(&mut self, language: Option<Language>, unit: &Unit<'_>, by: isize) {
        for assertion in &unit.body.assertions {
            *self.missing.entry((language, assertion.fingerprint)).or_default() += by;
        }
        if unit.role == Role::Helper {
            let helper = self.helpers.entry((language, unit.leaf.to_owned())).or_default();
            *helper = (*helper).max(unit.body.assertions.len());
        }
    }

    /// Whether this assertion exists nowhere any more. Each missing one is reported once.
    pub(crate) fn is_lost(
        &mut self,
        language: Option<Language>,
        assertion: &Assertion<'_>,
    ) -> bool {
        let missing = self.missing.get_mut(&(language, assertion.fingerprint));
        missing.filter(|missing| **missing > 0).map(|missing| *missing -= 1).is_some()
    }

    /// Whether none of these is missing.
    pub(crate) fn all_exist(
        &self,
        language: Option<Language>,
        assertions: &[Assertion<'_>],
    ) -> bool {
        assertions.iter().all(|one| {
            self.missing.get(&(language, one.fingerprint)).is_none_or(|missing| *missing <= 0)
        })
    }

    /// How many assertions the calls of a unit count for: by name, and by the known helper. A
    /// weakened helper is reported under its own name, so it counts the same before and after.
    pub(crate) fn worth_of_calls(&self, language: Option<Language>, unit: &Unit<'_>) -> Worth {
        let mut worth = Worth::default();
        for name in unit.body.calls.iter().filter(|name| **name != unit.leaf) {
            let known = self.helpers.get(&(language, (*name).to_owned())).copied();
            if sounds_like_an_assertion(name) {
                worth.by_name += known.unwrap_or(1);
            } else {
                worth.by_helper += known.unwrap_or(0);
            }
        }
        worth
    }
}

/// The value of a call in assertions.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Worth {
    /// Calls whose name suggests an assertion.
    pub(crate) by_name: usize,
    /// Other calls of asserting helpers. A removed one is not reported, because a setup may assert;
    /// an added one may replace an assertion.
    pub(crate) by_helper: usize,
}

fn sounds_like_an_assertion(name: &str) -> bool {
    ["assert", "check", "verify", "expect", "require", "ensure"].iter().any(|verb| {
        name.strip_prefix(verb).is_some_and(|rest| !rest.starts_with(char::is_lowercase))
    })
}
