//! Matches tests before and after by name or body, within a file or across files.

use std::collections::HashMap;

use crate::body::Content;
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
    fingerprint: u64,
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
                let likeness = |after: &usize| {
                    let units = (file.before.units.get(before), file.after.units.get(*after));
                    let (Some(one), Some(other)) = units else { return 0 };
                    one.body.sketch.likeness(&other.body.sketch)
                };
                let best = (0..new.len()).max_by_key(|at| new.get(*at).map_or(0, likeness));
                let alike = best.filter(|at| new.get(*at).map_or(0, likeness) >= ALIKE);
                if let Some(after) = alike.map(|at| new.swap_remove(at)) {
                    self.later.insert((number, before), (number, after));
                    self.earlier.insert((number, after), (number, before));
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
                    self.later.insert((number, place), after);
                    self.earlier.insert(after, (number, place));
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
    let (name, fingerprint) = match (by, unit.body.content) {
        (By::FullName, _) => (unit.name.as_str(), 0),
        (By::Name, _) => (unit.leaf, 0),
        (By::FullNameAndBody, Content::Code(fingerprint)) => (unit.name.as_str(), fingerprint),
        (By::Body, Content::Code(fingerprint)) => ("", fingerprint),
        (By::Body | By::FullNameAndBody, Content::Empty) => return None,
    };
    // A file only matches itself.
    let local = within == Where::SameFile;
    if unit.role == Role::File && !local {
        return None;
    }
    let file_number = local.then_some(number);
    Some(Key { language: file.language, role: unit.role, file: file_number, name, fingerprint })
}
