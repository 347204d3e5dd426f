//! The pictures of the documentation are well-formed, load and run nothing, and show the expected
//! text.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

use std::path::PathBuf;

use roxmltree::Document;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures")
}

/// The SVG pictures of terminals.
fn pictures() -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let drawn = paths.filter(|path| path.extension().is_some_and(|kind| kind == "svg"));
    let pictures: Vec<_> =
        drawn.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect();
    assert!(!pictures.is_empty());
    pictures
}

fn texts_of(name: &str) -> String {
    let svg = std::fs::read_to_string(folder().join(name)).unwrap();
    let document = Document::parse(&svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_picture_is_small_well_formed_and_described() {
    for (path, svg) in pictures() {
        assert!(svg.len() < 100_000, "{path:?}");
        let document = Document::parse(&svg).unwrap();
        for name in ["title", "desc"] {
            let node = document.descendants().find(|node| node.has_tag_name(name)).unwrap();
            assert!(node.text().is_some_and(|text| !text.is_empty()), "{path:?} {name}");
        }
    }
}

#[test]
fn no_picture_fetches_or_runs_anything() {
    for (path, svg) in pictures() {
        let document = Document::parse(&svg).unwrap();
        for node in document.descendants().filter(|node| node.is_element()) {
            let name = node.tag_name().name();
            let harmless =
                ["svg", "title", "desc", "style", "rect", "circle", "g", "text"].contains(&name);
            assert!(harmless, "{path:?}: <{name}>");
            let acts = |name: &str| name.starts_with("on") || name.ends_with("href");
            assert!(!node.attributes().any(|attribute| acts(attribute.name())), "{path:?}: {name}");
        }
        for reference in ["url(", "@import", "@font-face"] {
            assert!(!svg.contains(reference), "{path:?}: {reference}");
        }
    }
}

#[test]
fn pictures_contain_no_names_of_the_machine() {
    for (path, svg) in pictures() {
        for place in ["/tmp/", "/home/", "/Users/", "/root/", "/var/", "target/debug"] {
            assert!(!svg.contains(place), "{path:?}: {place}");
        }
    }
}

#[test]
fn the_demo_shows_a_rule_violation_and_the_result() {
    let shown = texts_of("demo.svg");
    for moment in [
        "changes requested",
        "`git push --force`",
        "<promise>COMPLETE</promise>",
        "Stop blocked",
        "the agent broke a rule",
        "reviewStatus \"approved\" → null",
        "complete",
        "3 of 3 done",
    ] {
        assert!(shown.contains(moment), "{moment}:\n{shown}");
    }
}

#[test]
fn the_dashboard_shows_stories_failures_and_cost() {
    let shown = texts_of("dashboard.svg");
    for moment in ["RUNNING", "approved", "in progress", "blocked", "reverted", "$"] {
        assert!(shown.contains(moment), "{moment}:\n{shown}");
    }
}

#[test]
fn the_report_is_a_picture_of_a_known_size() {
    let png = std::fs::read(folder().join("report.png")).unwrap();
    assert!(png.len() < 200_000, "{}", png.len());
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((side(16), side(20)), (1200, 1780));
}
