//! The proof file of a story: which tests prove each criterion. An agent wrote it.

use std::collections::{BTreeMap, BTreeSet};

use json_reader::{FieldPath, Json, Leaf, ObjectReader, TEXT};
use serde::{Deserialize, Serialize};
use tasks::{Sha256Digest, Story, StoryId};

use crate::problem::{At, Problems, ProofProblem, quoted};
use crate::{Framework, PathPatterns, TestRef};

/// More tests of one story are refused: each is run several times.
pub const MOST_TESTS: usize = 200;

/// A larger file is refused.
pub const LARGEST_PROOF_FILE: u64 = 1024 * 1024;

const CRITERIA: &str = "criteria";
const TESTS: &str = "tests";

/// A proof file that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofFile {
    pub story: StoryId,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    place: At,
    criterion: Sha256Digest,
    evidence: Evidence,
}

/// How a criterion is shown to be met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Evidence {
    Tests(Vec<TestRef>),
    /// Why no test can show it. The review must accept that.
    Manual(String),
}

/// The evidence of each criterion of a story, in the order of the story.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MappedTests {
    pub criteria: Vec<MappedCriterion>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MappedCriterion {
    pub text: String,
    pub evidence: Evidence,
}

impl MappedTests {
    /// Each test once.
    pub fn tests(&self) -> BTreeSet<&TestRef> {
        let tests = self.criteria.iter().flat_map(|criterion| match &criterion.evidence {
            Evidence::Tests(tests) => tests.as_slice(),
            Evidence::Manual(_) => &[],
        });
        tests.collect()
    }

    /// The files of the tests.
    pub fn files(&self) -> BTreeSet<&str> {
        self.tests().into_iter().map(|test| test.file.as_str()).collect()
    }
}

const STORY: Leaf<StoryId> =
    Leaf::new("the id of the story", |json| StoryId::new(json.text()?).ok());

const DIGEST: Leaf<Sha256Digest> =
    Leaf::new("the sha256 of the criterion, 64 hex digits", |json| {
        let text = json.text().filter(|text| text.len() == 64)?;
        text.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| Sha256Digest::from_hex(text))
    });

const LINE: Leaf<String> = Leaf::new("text on one line", |json| {
    let text = json.text().filter(|text| !text.trim().is_empty())?;
    (!text.contains(char::is_control)).then(|| text.to_owned())
});

const REASON: Leaf<String> = Leaf::new("why no test can show it", |json| {
    json.text().filter(|text| !text.trim().is_empty()).map(str::to_owned)
});

const FRAMEWORK: Leaf<Framework> = Leaf::new(
    "cargo, pytest, unittest, jest, vitest, mocha, node, go, rspec, phpunit, gradle, maven, bats or custom",
    |json| json.text()?.parse().ok(),
);

const FILE: Leaf<String> = Leaf::new("the path of a file, relative to the project", |json| {
    let path = (LINE.read)(json)?;
    let is_inside = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    (is_inside && !path.contains('\\')).then_some(path)
});

impl ProofFile {
    /// The error lists every problem.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<ProofProblem>> {
        let json: Json = serde_json::from_slice(bytes)
            .map_err(|error| vec![ProofProblem::of_file(format!("not valid JSON: {error}"))])?;
        let mut problems = Problems::default();
        let file = ObjectReader::of(Some(&json), &At::default(), FieldPath::Whole, &mut problems)
            .and_then(|mut top| {
                let story = top.required("story", STORY);
                let items = top.required_array(CRITERIA);
                let entries = items.map(|items| top.objects_of(CRITERIA, items, read_entry));
                refuse_others(&mut top);
                Some(Self { story: story?, entries: entries? })
            });
        match file {
            Some(file) if problems.0.is_empty() => Ok(file),
            _ => Err(problems.0),
        }
    }

    /// The evidence of each criterion of `story`, or every problem: criteria without evidence or with more than one
    /// entry, entries without a criterion, tests outside `test_files`, and too many tests.
    pub fn check(
        &self,
        story: &Story,
        test_files: &PathPatterns,
    ) -> Result<MappedTests, Vec<ProofProblem>> {
        let mut problems = Problems::default();
        if self.story != story.id {
            let what = format!("expected {}, found {}", story.id, self.story);
            problems.push(&At::default(), FieldPath::Named("story"), what);
        }
        let wanted: BTreeSet<Sha256Digest> =
            story.acceptance_criteria.iter().map(Sha256Digest::of).collect();
        let mut found: BTreeMap<Sha256Digest, &Evidence> = BTreeMap::new();
        for Entry { place, criterion, evidence } in &self.entries {
            let digest = FieldPath::Named("digest");
            if !wanted.contains(criterion) {
                problems.push(place, digest, format!("no criterion of {} has it", story.id));
            } else if found.insert(*criterion, evidence).is_some() {
                problems.push(
                    place,
                    digest,
                    "the criterion has an entry already; put all tests into one",
                );
            }
            let Evidence::Tests(tests) = evidence else { continue };
            for (position, test) in tests.iter().enumerate() {
                if !test_files.matches(&test.file) {
                    let what = format!("{} is not in a test file", quoted(&test.file));
                    problems.push(place, FieldPath::Item(TESTS, position), what);
                }
            }
        }
        let mut mapped = MappedTests::default();
        for text in &story.acceptance_criteria {
            match found.get(&Sha256Digest::of(text)) {
                Some(evidence) => mapped
                    .criteria
                    .push(MappedCriterion { text: text.clone(), evidence: (*evidence).clone() }),
                None => {
                    let what = format!(
                        "no entry for the criterion \"{}\", whose digest is {}",
                        quoted(text),
                        Sha256Digest::of(text)
                    );
                    problems.push(&At::default(), FieldPath::Named(CRITERIA), what);
                }
            }
        }
        let count = mapped.tests().len();
        if count > MOST_TESTS {
            let what = format!("{count} tests; at most {MOST_TESTS} may prove a story");
            problems.push(&At::default(), FieldPath::Named(CRITERIA), what);
        }
        if problems.0.is_empty() { Ok(mapped) } else { Err(problems.0) }
    }
}

fn read_entry(mut entry: ObjectReader<'_, '_, Problems>) -> Option<Entry> {
    let criterion = entry.required("digest", DIGEST);
    // For people. The digest says which criterion it is.
    entry.optional("criterion", TEXT);
    let manual = entry.optional("manual", REASON);
    let items = entry.array(TESTS);
    let is_manual =
        entry.entries.iter().any(|(name, value)| name == "manual" && *value != Json::Null);
    let tests = items.map(|items| entry.objects_of(TESTS, items, read_test));
    refuse_others(&mut entry);
    let what = match (&items, is_manual) {
        (Some([]), _) => Some("expected at least one test, or \"manual\" with a reason instead"),
        (Some(_), true) => Some("it has both \"tests\" and \"manual\"; keep one"),
        (None, false) => {
            Some("it needs \"tests\", or \"manual\" with a reason why no test can show it")
        }
        _ => None,
    };
    if let Some(what) = what {
        entry.problems.push(&entry.place, FieldPath::Whole, what);
    }
    let evidence = tests.map(Evidence::Tests).or(manual.map(Evidence::Manual));
    Some(Entry { place: entry.place, criterion: criterion?, evidence: evidence? })
}

fn read_test(mut test: ObjectReader<'_, '_, Problems>) -> Option<TestRef> {
    let framework = test.required("command", FRAMEWORK);
    let file = test.required("file", FILE);
    let name = test.required("name", LINE);
    refuse_others(&mut test);
    Some(TestRef { framework: framework?, file: file?, name: name? })
}

/// A key without a meaning is probably a misspelling.
fn refuse_others(object: &mut ObjectReader<'_, '_, Problems>) {
    for (key, _) in object.entries {
        if !object.known.contains(&key.as_str()) {
            let what = format!("unknown key \"{}\"", quoted(key));
            object.problems.push(&object.place, FieldPath::Whole, what);
        }
    }
}

#[cfg(test)]
mod tests;
