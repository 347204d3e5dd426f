//! Attacks that must be refused and honest commands that must pass, from files that explain each.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic fails the test, and the rates are for people"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use command_guard::{CommandContext, Refusal, judge_command};
use serde::Deserialize;

const LEAST: usize = 300;

#[derive(Deserialize)]
struct Corpus {
    command: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    run: String,
    why: String,
    /// For attacks: the category.
    category: Option<String>,
    /// Categories of which one must be named.
    #[serde(default)]
    categories: Vec<String>,
    /// The working directory, relative to the project.
    folder: Option<String>,
    /// Files of the project.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name)
}

fn read(file: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(file).unwrap();
    let corpus: Corpus =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    corpus.command
}

fn entries(kind: &str) -> Vec<(PathBuf, Entry)> {
    let folder = corpus(kind);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let named = |file: PathBuf| read(&file).into_iter().map(move |entry| (file.clone(), entry));
    files.into_iter().flat_map(named).collect()
}

fn judged(entry: &Entry) -> Vec<Refusal> {
    let project = PathBuf::from("/home/user/project");
    let folder = project.join(entry.folder.as_deref().unwrap_or_default());
    let context = CommandContext {
        project: project.clone(),
        folder,
        home: Some("/home/user".into()),
        ..CommandContext::default()
    };
    let file = |path: &Path| {
        let name = path.strip_prefix(&project).ok()?.to_str()?;
        entry.files.get(name).cloned()
    };
    judge_command(&entry.run, &context, &file)
}

fn is_right(entry: &Entry, refusals: &[Refusal]) -> bool {
    let wanted: Vec<&String> = entry.category.iter().chain(&entry.categories).collect();
    let named = |refusal: &Refusal| wanted.iter().any(|name| *name == refusal.category.name());
    if wanted.is_empty() { refusals.is_empty() } else { refusals.iter().any(named) }
}

#[test]
fn every_attack_is_refused_and_every_honest_command_passes() {
    let mut wrong = String::new();
    let mut rate = |kind: &str| {
        let all = entries(kind);
        let mut right = 0;
        for (file, entry) in &all {
            assert!(!entry.why.trim().is_empty(), "{}: {}", file.display(), entry.run);
            let refusals = judged(entry);
            if is_right(entry, &refusals) {
                right += 1;
            } else {
                let name = file.file_name().unwrap().to_string_lossy();
                let reasons: Vec<String> = refusals.iter().map(Refusal::to_string).collect();
                let wanted: Vec<&String> = entry.category.iter().chain(&entry.categories).collect();
                wrong.push_str(&format!(
                    "{kind}/{name}: {}\n    is: {}\n    wanted: {wanted:?}\n    reasons: {reasons:?}\n",
                    entry.run.trim(),
                    entry.why
                ));
            }
        }
        (right, all.len())
    };
    let (refused, attacks) = rate("attacks");
    let (passed, honest) = rate("honest");
    eprintln!(
        "attacks refused: {refused} of {attacks}; honest commands passed: {passed} of {honest}"
    );
    assert!(wrong.is_empty(), "{wrong}");
    assert!(attacks >= LEAST && honest >= LEAST, "too few: {attacks} attacks, {honest} honest");
}

/// A closed gap must be moved to the attacks.
#[test]
fn every_known_gap_is_still_open_and_says_why() {
    let gaps = read(&corpus("known-gaps.toml"));
    eprintln!("known gaps: {}", gaps.len());
    for gap in &gaps {
        assert!(!gap.why.trim().is_empty(), "{}", gap.run);
        let refusals = judged(gap);
        assert!(!is_right(gap, &refusals), "no gap any more, move it to attacks/: {}", gap.run);
    }
}
