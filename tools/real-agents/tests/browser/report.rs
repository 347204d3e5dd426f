//! The report of the demo, opened from its file: contents, colour schemes and widths.

use crate::chromium::Chromium;
use crate::project::{file_url, page_of_the_demo};
use crate::tab::{Medium, Scheme, Tab};

/// The minimum contrast of WCAG 2 for normal text.
const LEAST_CONTRAST: f64 = 4.5;

const SECTIONS: [&str; 12] = [
    "head",
    "summary",
    "attention",
    "stories",
    "further-reviews",
    "timeline",
    "costs",
    "checks",
    "failures",
    "diffs",
    "iterations",
    "about",
];

const CHARTS: [&str; 6] = [
    "Iterations by mode",
    "Cost so far",
    "Tokens so far",
    "Cost by story",
    "Tokens by story",
    "Checks by iteration, oldest first",
];

/// All pairs of text and background colour of visible text, as `[contrast, text]`. A canvas
/// resolves colour notations and transparency.
const CONTRASTS: &str = "(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const painted = (colours) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb) => {
        const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        return 0.2126 * part(rgb[0]) + 0.7152 * part(rgb[1]) + 0.0722 * part(rgb[2]);
    };
    const behind = (element) => {
        const grounds = [];
        for (let at = element; at; at = at.parentElement) {
            grounds.unshift(getComputedStyle(at).backgroundColor);
        }
        return ['Canvas', ...grounds];
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        const words = texts.currentNode.data.trim();
        const shown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        if (!words || !shown || element.closest('svg, script, style')) continue;
        const grounds = behind(element);
        const light = [painted(grounds), painted([...grounds, getComputedStyle(element).color])];
        const [dark, bright] = light.map(luminance).sort((one, other) => one - other);
        found.push([(bright + 0.05) / (dark + 0.05), words.slice(0, 60)]);
    }
    return found;
})()";

fn opened(browser: &Chromium) -> Tab {
    let mut tab = browser.tab();
    tab.open(&file_url(page_of_the_demo()));
    tab
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn it_has_no_errors_and_requests_only_itself() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.unfold_everything();
    let seen = tab.seen();
    assert!(seen.complaints.is_empty() && seen.exceptions.is_empty(), "{seen:#?}");
    assert_eq!(seen.requests, [file_url(page_of_the_demo())]);
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn every_section_and_chart_is_visible_with_its_numbers() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    for id in SECTIONS {
        let height = format!("document.getElementById('{id}').getBoundingClientRect().height");
        assert!(tab.number_of(&height) > 20.0, "{id}");
    }
    let charts = "[...document.querySelectorAll('figure svg[role=img]')]";
    assert_eq!(
        tab.texts_of(&format!("{charts}.map(one => one.querySelector('title').textContent)")),
        CHARTS
    );
    let drawn = format!(
        "{charts}.filter(one => {{
            const box = one.getBoundingClientRect();
            const marks = [...one.querySelectorAll('rect, path, circle')];
            return box.width > 300 && box.height > 30
                && marks.some(mark => mark.getBoundingClientRect().width > 0);
        }}).length"
    );
    assert_eq!(tab.evaluate(&drawn), CHARTS.len());
    let figures = format!(
        "{charts}.filter(one => one.closest('section').querySelector('figure tbody tr')).length"
    );
    assert_eq!(tab.evaluate(&figures), CHARTS.len());
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn text_has_enough_contrast_in_both_colour_schemes() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.unfold_everything();
    let mut grounds = Vec::new();
    for scheme in [Scheme::Light, Scheme::Dark] {
        tab.show_on(Medium::Screen, scheme);
        grounds.push(tab.text_of("getComputedStyle(document.body).backgroundColor"));
        let contrasts: Vec<(f64, String)> =
            serde_json::from_value(tab.evaluate(CONTRASTS)).unwrap();
        assert!(contrasts.len() > 100, "{}", contrasts.len());
        let weak: Vec<_> =
            contrasts.iter().filter(|(contrast, _)| *contrast < LEAST_CONTRAST).collect();
        assert!(weak.is_empty(), "{}: {weak:#?}", grounds.join(" and "));
    }
    assert_ne!(grounds[0], grounds[1]);
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn nothing_is_wider_than_a_small_phone() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    tab.unfold_everything();
    for width in [320, 1280] {
        tab.resize(width);
        let needed = tab.number_of("document.documentElement.scrollWidth");
        assert!(needed <= f64::from(width), "{needed} of {width}");
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn print_shows_collapsed_details() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser);
    let evidence = "[...document.querySelectorAll('#failures .evidence')]";
    let shown = format!("{evidence}.filter(one => one.checkVisibility()).length");
    let all = tab.number_of(&format!("{evidence}.length"));
    assert!(all > 0.0);
    assert_eq!(tab.number_of(&shown), 0.0);
    tab.show_on(Medium::Paper, Scheme::Dark);
    assert_eq!(tab.number_of(&shown), all);
    assert_eq!(
        tab.text_of("getComputedStyle(document.body).backgroundColor"),
        "rgb(255, 255, 255)"
    );
}
