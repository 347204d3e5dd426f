//! Compares all files of a change together, because tests may move between files.

use crate::assertion_counts::AssertionCounts;
use crate::config::Config;
use crate::file::{File, FileChange, LARGEST_MIB};
use crate::orphans::Orphans;
use crate::pair;
use crate::pairing::Pairing;
use crate::unit::{Role, Unit, counted, shown};

/// Limit per file.
const MOST_FINDINGS: usize = 50;

/// Limit per line.
const MOST_NAMES: usize = 5;

/// A file whose tests are weaker than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakenedFile {
    pub path: String,
    /// A sentence each.
    pub findings: Vec<String>,
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
            findings.push(format!("and {count} more"));
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
    fn all(&self, counts: &mut AssertionCounts) -> Vec<String> {
        if self.file.is_too_large() {
            let finding =
                || format!("larger than {LARGEST_MIB} MiB, so its tests were not compared");
            return self.file.is_for_tests().then(finding).into_iter().collect();
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
    fn gone(&self, counts: &AssertionCounts) -> Vec<String> {
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
            let names: Vec<_> =
                gone.iter().take(MOST_NAMES).map(|unit| format!("`{}`", unit.name)).collect();
            let more = if gone.len() > MOST_NAMES { ", …" } else { "" };
            let (tests, names) = (counted(gone.len(), "test"), names.join(", "));
            return vec![format!("the file was removed with {tests}: {names}{more}")];
        }
        if let Some(from) = change.old_path
            && self.file.after.units.is_empty()
        {
            return vec![format!(
                "was `{}`: under its new name, no test runner collects its {}",
                shown(from),
                counted(gone.len(), "test")
            )];
        }
        let (reported, others) = gone.split_at(gone.len().min(MOST_FINDINGS));
        let reported = reported.iter().map(|unit| self.how_gone(unit, &orphans));
        // Not looked up in detail, to save time.
        reported.chain(others.iter().map(|unit| format!("`{}` is gone", unit.name))).collect()
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

    fn how_gone(&self, unit: &Unit<'_>, orphans: &Orphans<'_>) -> String {
        let test = &unit.name;
        match orphans.of(unit) {
            Some(now) if now == test => format!("`{test}` still exists, but is no test any more"),
            Some(now) => format!("`{test}` is `{now}` now, which no test runner collects"),
            None if self.file.after.has_in_comment(unit.leaf) => {
                format!("`{test}` is commented out")
            }
            None => format!("`{test}` is gone"),
        }
    }

    fn orphans(&self) -> Orphans<'l> {
        let units = self.file.after.units.iter().enumerate();
        let new =
            units.filter(|(place, _)| !self.pairing.earlier.contains_key(&(self.number, *place)));
        Orphans::new(new.map(|(_, unit)| unit))
    }
}
