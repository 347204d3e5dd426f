//! A run of a thousand iterations.

use events::samples;

use crate::chromium::Chromium;
use crate::project::{Project, file_url};

/// A browser can show this many elements easily. scripts/bench.sh measures the time of a page.
const MOST_ELEMENTS: f64 = 60_000.0;

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn a_page_of_a_thousand_iterations_has_few_elements() {
    let project = Project::with(&samples::a_long_run(1_000));
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&file_url(&project.page()));
    assert_eq!(tab.evaluate("document.querySelectorAll('#iterations tbody tr').length"), 1_000);
    let elements = tab.number_of("document.querySelectorAll('*').length");
    assert!(elements < MOST_ELEMENTS, "{elements}");
    tab.wait_for("performance.getEntriesByName('first-contentful-paint').length");
}
