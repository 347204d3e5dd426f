//! New functions that no runner collects: a removed test may be one of them.

use std::collections::HashMap;

use crate::unit::{Role, Unit};

#[derive(Debug, Default)]
pub(crate) struct Orphans<'u> {
    by_name: HashMap<String, &'u str>,
    by_body: HashMap<u64, &'u str>,
}

impl<'u> Orphans<'u> {
    pub(crate) fn new<'a: 'u>(new: impl Iterator<Item = &'u Unit<'a>>) -> Self {
        let mut orphans = Self::default();
        for unit in new.filter(|unit| unit.role == Role::Helper) {
            orphans.by_name.insert(bare(unit.leaf), &unit.name);
            orphans.by_body.extend(unit.body.code.map(|code| (code, unit.name.as_str())));
        }
        orphans
    }

    /// The function that was this test.
    pub(crate) fn of(&self, test: &Unit<'_>) -> Option<&'u str> {
        let by_body = test.body.code.and_then(|code| self.by_body.get(&code));
        self.by_name.get(&bare(test.leaf)).or(by_body).copied()
    }
}

/// The name without a prefix that hides it: `_test_x`, `xtest_x`, `testX` for `TestX`.
fn bare(leaf: &str) -> String {
    leaf.trim_start_matches('_').trim_start_matches('x').to_lowercase()
}
