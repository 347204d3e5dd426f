//! Compares all files of a change together, because tests may move between files.

use serde::{Deserialize, Serialize};

use crate::assertion_counts::AssertionCounts;
use crate::change::FileChange;
use crate::config::Config;
use crate::file::File;
use crate::orphans::Orphans;
use crate::pair;
use crate::pairing::Pairing;
use crate::unit::{Role, Unit, shown};
use crate::weakening::Weakening;

/// Limit per file.
const MOST_FINDINGS: usize = 50;

/// Limit per line.
const MOST_NAMES: usize = 5;

/// A file whose tests are weaker than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WeakenedFile {
    pub path: String,
    pub findings: Vec<Weakening>,
}

/// In the order of `changes`, without files that have no finding.
pub fn compare(changes: &[FileChange<'_>]) -> Vec<WeakenedFile> {
    let files: Vec<File<'_>> = changes.iter().map(File::read).collect();
    let pairing = Pairing::new(&files);
    let mut counts = AssertionCounts::new(&files);
    let mut weakened = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let mut findings =
            FileComparison { files: &files, number, file, pairing: &pairing }.all(&mut counts);
        if findings.len() > MOST_FINDINGS {
            let count = findings.len() - MOST_FINDINGS;
            findings.truncate(MOST_FINDINGS);
            findings.push(Weakening::More { count });
        }
        if !findings.is_empty() {
            weakened.push(WeakenedFile { path: file.change.path.to_owned(), findings });
        }
    }
    weakened
}

/// One file in the context of the others.
struct FileComparison<'l, 'a> {
    files: &'l [File<'a>],
    number: usize,
    file: &'l File<'a>,
    pairing: &'l Pairing,
}

impl<'l, 'a> FileComparison<'l, 'a> {
    fn all(&self, counts: &mut AssertionCounts) -> Vec<Weakening> {
        if let Some(limit_mib) = self.file.too_large() {
            let reported = self.file.is_for_tests().then_some(Weakening::TooLarge { limit_mib });
            return reported.into_iter().collect();
        }
        let mut findings = self.gone(counts);
        for (place, unit) in self.file.after.units.iter().enumerate() {
            match self.pairing.earlier.get(&(self.number, place)).and_then(|at| self.before(*at)) {
                Some(before) => {
                    findings.extend(pair::compare(self.file.language, before, unit, counts));
                }
                None if unit.role != Role::Helper => findings.extend(pair::born(unit)),
                None => {}
            }
        }
        if let Some(config) = Config::of(self.file.change.path) {
            findings.extend(config.compare(self.file.change.before, self.file.change.after));
        }
        findings
    }

    fn before(&self, (number, place): (usize, usize)) -> Option<&'l Unit<'a>> {
        self.files.get(number)?.before.units.get(place)
    }

    /// Tests that exist nowhere any more.
    fn gone(&self, counts: &AssertionCounts) -> Vec<Weakening> {
        let orphans = self.orphans();
        let gone: Vec<&Unit<'a>> = self
            .file
            .before
            .tests()
            .filter(|(place, _)| !self.pairing.later.contains_key(&(self.number, *place)))
            .map(|(_, unit)| unit)
            .filter(|unit| !self.exists_elsewhere(unit, counts, &orphans))
            .collect();
        if gone.is_empty() {
            return Vec::new();
        }
        let change = &self.file.change;
        if change.after.is_none() {
            let names = gone.iter().take(MOST_NAMES).map(|unit| unit.name.clone()).collect();
            return vec![Weakening::FileRemoved { tests: gone.len(), names }];
        }
        if let Some(from) = change.old_path
            && self.file.after.units.is_empty()
        {
            return vec![Weakening::FileNotCollected { from: shown(from), tests: gone.len() }];
        }
        let (reported, counted) = gone.split_at(gone.len().min(MOST_FINDINGS));
        let reported = reported.iter().map(|unit| self.how_gone(unit, &orphans));
        // Not looked up in detail, to save time.
        reported
            .chain(counted.iter().map(|unit| Weakening::Removed { test: unit.name.clone() }))
            .collect()
    }

    /// Merged into another test with all its assertions.
    fn exists_elsewhere(
        &self,
        unit: &Unit<'_>,
        counts: &AssertionCounts,
        orphans: &Orphans<'_>,
    ) -> bool {
        let assertions = &unit.body.assertions;
        !assertions.is_empty()
            && counts.all_exist(self.file.language, assertions)
            && orphans.of(unit).is_none()
    }

    fn how_gone(&self, unit: &Unit<'_>, orphans: &Orphans<'_>) -> Weakening {
        let test = unit.name.clone();
        if let Some(now) = orphans.of(unit) {
            return Weakening::NotCollected { test, now: now.to_owned() };
        }
        if self.file.after.has_in_comment(unit.leaf) {
            return Weakening::CommentedOut { test };
        }
        Weakening::Removed { test }
    }

    fn orphans(&self) -> Orphans<'l> {
        let units = self.file.after.units.iter().enumerate();
        let new =
            units.filter(|(place, _)| !self.pairing.earlier.contains_key(&(self.number, *place)));
        Orphans::new(new.map(|(_, unit)| unit))
    }
}
