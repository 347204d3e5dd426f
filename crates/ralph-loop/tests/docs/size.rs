//! How long the documentation may be.

use crate::{pages, read};

const README: usize = 1_112;
/// A feature that comes later may add one page of at most 1,200 words, as `parallel.md`, `fleet.md` and `telemetry.md`
/// did; `forge.md` has two features, issues and pull requests.
const DOCS: usize = 31_900;

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[test]
fn the_readme_and_the_pages_are_short() {
    let readme = words(&read("README.md"));
    assert!(readme <= README, "README.md has {readme} words, the limit is {README}");
    let of_pages: Vec<(String, usize)> =
        pages().into_iter().map(|(name, text)| (name, words(&text))).collect();
    let total: usize = of_pages.iter().map(|(_, words)| words).sum();
    assert!(total <= DOCS, "the pages have {total} words, the limit is {DOCS}: {of_pages:#?}");
}
