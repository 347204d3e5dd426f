//! A run of a thousand iterations.

use events::samples;

use crate::chromium::Chromium;
use crate::project::{Project, file_url};

/// A browser takes a page of this many elements without effort. How long a page takes is measured by scripts/bench.sh.
const MOST_ELEMENTS: f64 = 60_000.0;

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn a_thousand_iterations_are_one_page_that_a_browser_takes_without_effort() {
    let project = Project::with(&samples::a_long_run(1_000));
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&file_url(&project.page()));
    assert_eq!(tab.evaluate("document.querySelectorAll('#iterations tbody tr').length"), 1_000);
    let elements = tab.number_of("document.querySelectorAll('*').length");
    assert!(elements < MOST_ELEMENTS, "{elements}");
    tab.wait_for("performance.getEntriesByName('first-contentful-paint').length");
}
