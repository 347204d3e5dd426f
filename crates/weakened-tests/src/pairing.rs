//! Matches tests before and after by name or body, within a file or across files.

use std::collections::HashMap;

use crate::file::File;
use crate::language::Language;
use crate::reading::Reading;
use crate::unit::{Role, Unit};

const MOST_TO_COMPARE: usize = 64;

/// From this similarity (percent) on, a test counts as a changed version of another.
const ALIKE: usize = 50;

/// File index and index within the file.
pub(crate) type UnitIndex = (usize, usize);

#[derive(Debug, Default)]
pub(crate) struct Pairing {
    /// From before to after.
    pub(crate) later: HashMap<UnitIndex, UnitIndex>,
    /// From after to before.
    pub(crate) earlier: HashMap<UnitIndex, UnitIndex>,
}

/// What must be equal for a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    FullNameAndBody,
    FullName,
    Name,
    Body,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    SameFile,
    Anywhere,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key<'k> {
    language: Option<Language>,
    role: Role,
    file: Option<usize>,
    name: &'k str,
    code: u64,
}

impl Pairing {
    /// Most reliable criteria first.
    pub(crate) fn new(files: &[File<'_>]) -> Self {
        let mut pairing = Self::default();
        // A body under another name is still that test, even if a new one took its name.
        pairing.pair(files, By::FullNameAndBody, Where::SameFile);
        pairing.pair(files, By::Body, Where::SameFile);
        pairing.pair(files, By::FullName, Where::SameFile);
        pairing.pair(files, By::Name, Where::SameFile);
        pairing.pair(files, By::Body, Where::Anywhere);
        pairing.pair(files, By::FullName, Where::Anywhere);
        pairing.pair(files, By::Name, Where::Anywhere);
        pairing.pair_alike(files);
        pairing
    }

    fn insert(&mut self, before: UnitIndex, after: UnitIndex) {
        self.later.insert(before, after);
        self.earlier.insert(after, before);
    }

    /// Matches tests of one file that were renamed and slightly changed. Quadratic, so only for few
    /// tests.
    fn pair_alike(&mut self, files: &[File<'_>]) {
        for (number, file) in files.iter().enumerate() {
            let old: Vec<usize> = left(&file.before, number, &self.later);
            let mut new: Vec<usize> = left(&file.after, number, &self.earlier);
            if old.len().max(new.len()) > MOST_TO_COMPARE {
                continue;
            }
            for before in old {
                let sketch = &file.before.units[before].body.sketch;
                let likeness =
                    |at: &usize| sketch.likeness(&file.after.units[new[*at]].body.sketch);
                let best = (0..new.len()).max_by_key(likeness);
                let alike = best.filter(|at| likeness(at) >= ALIKE);
                if let Some(after) = alike.map(|at| new.swap_remove(at)) {
                    self.insert((number, before), (number, after));
                }
            }
        }
    }

    fn pair(&mut self, files: &[File<'_>], by: By, within: Where) {
        let mut waiting: HashMap<Key<'_>, Vec<UnitIndex>> = HashMap::new();
        for (number, file) in files.iter().enumerate().rev() {
            for (place, unit) in file.after.units.iter().enumerate().rev() {
                if !self.earlier.contains_key(&(number, place))
                    && let Some(key) = key(file, number, unit, by, within)
                {
                    waiting.entry(key).or_default().push((number, place));
                }
            }
        }
        for (number, file) in files.iter().enumerate() {
            for (place, unit) in file.before.units.iter().enumerate() {
                if !self.later.contains_key(&(number, place))
                    && let Some(key) = key(file, number, unit, by, within)
                    && let Some(after) = waiting.get_mut(&key).and_then(Vec::pop)
                {
                    self.insert((number, place), after);
                }
            }
        }
    }
}

/// Tests without a match.
fn left(
    reading: &Reading<'_>,
    number: usize,
    paired: &HashMap<UnitIndex, UnitIndex>,
) -> Vec<usize> {
    let tests = reading.tests().map(|(place, _)| place);
    tests.filter(|place| !paired.contains_key(&(number, *place))).collect()
}

fn key<'k>(
    file: &File<'_>,
    number: usize,
    unit: &'k Unit<'_>,
    by: By,
    within: Where,
) -> Option<Key<'k>> {
    let (name, code) = match by {
        By::FullName => (unit.name.as_str(), 0),
        By::Name => (unit.leaf, 0),
        By::FullNameAndBody => (unit.name.as_str(), unit.body.code?),
        By::Body => ("", unit.body.code?),
    };
    // A file only matches itself.
    let local = within == Where::SameFile;
    if unit.role == Role::File && !local {
        return None;
    }
    let file_number = local.then_some(number);
    Some(Key { language: file.language, role: unit.role, file: file_number, name, code })
}
