//! Keyboard and screen-reader access to the page.

use serde_json::Value;

use crate::chromium::Chromium;
use crate::project::{file_url, page_of_the_demo};
use crate::tab::{Key, Tab};

/// Elements that the keyboard must reach, in the order of the page.
const STOPS: &str = "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')]
    .filter(one => one.checkVisibility())";

fn opened(browser: &Chromium) -> Tab {
    let mut tab = browser.tab();
    tab.open(&file_url(page_of_the_demo()));
    tab
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn the_keyboard_reaches_everything_in_order() {
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
fn the_skip_link_is_first_and_visible_with_focus() {
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
fn every_scrollable_element_is_focusable() {
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
fn a_key_opens_details() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.evaluate("document.querySelector('#failures summary').focus()");
    tab.press(Key::Enter);
    tab.wait_for("document.querySelector('#failures details').open");
    tab.wait_for("document.querySelector('#failures .evidence').checkVisibility()");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn every_focusable_element_has_an_accessible_name() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.unfold_everything();
    let nodes = tab.accessible_nodes();
    let role = |node: &Value| node["role"]["value"].as_str().unwrap_or_default().to_owned();
    let message: Vec<&Value> = nodes.iter().filter(|node| node["ignored"] != true).collect();
    for (kind, least) in
        [("image", 5), ("table", 5), ("link", 9), ("DisclosureTriangle", 5), ("region", 5)]
    {
        let of_kind: Vec<_> = message.iter().filter(|node| role(node) == kind).collect();
        assert!(of_kind.len() >= least, "{kind}: {}", of_kind.len());
        for node in of_kind {
            let name = node["name"]["value"].as_str().unwrap_or_default();
            assert!(!name.trim().is_empty(), "{node:#}");
        }
    }
    assert!(!message.iter().any(|node| role(node) == "button"));
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn headings_skip_no_level() {
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
