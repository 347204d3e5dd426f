//! Who has no mouse, or does not see the page, gets everywhere on it.

use serde_json::Value;

use crate::chromium::Chromium;
use crate::project::{file_url, page_of_the_demo};
use crate::tab::{Key, Tab};

/// What a keyboard has to reach, in the order of the page.
const STOPS: &str = "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')]
    .filter(one => one.checkVisibility())";

fn opened(browser: &Chromium) -> Tab {
    let mut tab = browser.tab();
    tab.open(&file_url(page_of_the_demo()));
    tab
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn the_keyboard_comes_by_everything_in_its_order() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    let stops = tab.number_of(&format!("{STOPS}.length")) as usize;
    assert!(stops > 20, "{stops}");
    for stop in 0..stops {
        tab.press(Key::Tab);
        let focused = tab.number_of(&format!("{STOPS}.indexOf(document.activeElement)"));
        let name = tab.text_of("document.activeElement.outerHTML.slice(0, 200)");
        assert_eq!(focused, stop as f64, "{name}");
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn the_first_stop_leads_past_the_ways_and_is_seen_while_it_has_the_focus() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.press(Key::Tab);
    assert_eq!(tab.text_of("document.activeElement.textContent"), "Skip to the run");
    tab.wait_for("document.activeElement.getBoundingClientRect().top >= 0");
    tab.press(Key::Enter);
    tab.wait_for("document.activeElement.id === 'main'");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn whatever_scrolls_by_itself_is_a_stop_or_has_one() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.unfold_everything();
    tab.resize(320);
    let scrolls = "[...document.body.querySelectorAll('*')].filter(one =>
        one.scrollWidth > one.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX))";
    assert!(tab.number_of(&format!("{scrolls}.length")) > 0.0);
    let unreachable = format!(
        "{scrolls}.filter(one => one.tabIndex !== 0 && !one.querySelector('a[href]'))
            .map(one => one.outerHTML.slice(0, 200))"
    );
    assert_eq!(tab.texts_of(&unreachable), [""; 0]);
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn what_is_folded_is_unfolded_by_a_key() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.evaluate("document.querySelector('#failures summary').focus()");
    tab.press(Key::Enter);
    tab.wait_for("document.querySelector('#failures details').open");
    tab.wait_for("document.querySelector('#failures .evidence').checkVisibility()");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn a_screen_reader_finds_a_name_on_everything_it_can_stop_at() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.unfold_everything();
    let nodes = tab.accessible_nodes();
    let role = |node: &Value| node["role"]["value"].as_str().unwrap_or_default().to_owned();
    let told: Vec<&Value> = nodes.iter().filter(|node| node["ignored"] != true).collect();
    for (kind, least) in
        [("image", 5), ("table", 5), ("link", 9), ("DisclosureTriangle", 5), ("region", 5)]
    {
        let of_kind: Vec<_> = told.iter().filter(|node| role(node) == kind).collect();
        assert!(of_kind.len() >= least, "{kind}: {}", of_kind.len());
        for node in of_kind {
            let name = node["name"]["value"].as_str().unwrap_or_default();
            assert!(!name.trim().is_empty(), "{node:#}");
        }
    }
    assert!(!told.iter().any(|node| role(node) == "button"));
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn headings_leave_no_level_out() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    let levels = "[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(one => one.tagName)";
    let levels = tab.texts_of(levels);
    assert_eq!(levels.iter().filter(|level| *level == "H1").count(), 1);
    assert_eq!(levels[0], "H1");
    for pair in levels.windows(2) {
        let depth = |level: &str| level.as_bytes()[1];
        assert!(depth(&pair[1]) <= depth(&pair[0]) + 1, "{levels:?}");
    }
}
