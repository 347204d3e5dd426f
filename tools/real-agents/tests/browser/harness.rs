//! The harness records console messages, exceptions and requests of a page.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::chromium::Chromium;
use crate::project::file_url;
use crate::tab::{Key, Tab};

fn page(folder: &TempDir, body: &str) -> PathBuf {
    let path = folder.path().join("page.html");
    std::fs::write(&path, format!("<!doctype html><meta charset=utf-8><title>t</title>{body}"))
        .unwrap();
    path
}

fn opened(browser: &Chromium, body: &str) -> Tab {
    let folder = TempDir::new().unwrap();
    let mut tab = browser.tab();
    tab.open(&file_url(&page(&folder, body)));
    tab
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn console_exceptions_policy_violations_and_requests_are_recorded() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser, "<script>console.warn('said aloud')</script>");
    assert!(tab.seen().complaints.concat().contains("said aloud"), "{:?}", tab.seen());

    let mut tab = opened(&browser, "<script>throw new Error('thrown')</script>");
    assert!(tab.seen().exceptions.concat().contains("thrown"), "{:?}", tab.seen());

    let policy = r#"<meta http-equiv="Content-Security-Policy" content="script-src 'none'">"#;
    let mut tab = opened(&browser, &format!("{policy}<script>1</script>"));
    assert!(tab.seen().complaints.concat().contains("Content Security Policy"), "{:?}", tab.seen());

    let mut tab = opened(&browser, r#"<img src="http://somewhere.invalid/dot.png">"#);
    let requests = &tab.seen().requests;
    assert!(requests.iter().any(|url| url == "http://somewhere.invalid/dot.png"), "{requests:?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn keys_reach_the_page() {
    let browser = Chromium::shared();
    let mut tab = opened(&browser, "<details><summary>more</summary>all of it</details>");
    tab.press(Key::Tab);
    assert_eq!(tab.text_of("document.activeElement.tagName"), "SUMMARY");
    tab.press(Key::Enter);
    tab.wait_for("document.querySelector('details').open");
}
