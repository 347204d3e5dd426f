//! Links between the pages, and the index that lists them.

use std::collections::BTreeSet;

use crate::{pages, read, root};

const OTHERS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// The targets of `[text](target)`, without addresses on the web.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.contains(' ')).collect()
}

/// The anchor that GitHub gives to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let mut in_code = false;
    let headings = text.lines().filter(|line| {
        in_code ^= line.starts_with("```");
        !in_code && line.starts_with('#')
    });
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let others = OTHERS.map(|name| (name.to_owned(), read(name)));
    let mut broken = Vec::new();
    for (name, text) in pages().into_iter().chain(others) {
        let folder = root().join(&name).parent().unwrap().to_path_buf();
        for link in links(&text) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let path = if file.is_empty() { root().join(&name) } else { folder.join(file) };
            let leads = match std::fs::read_to_string(&path) {
                Ok(target) => heading.is_empty() || anchors(&target).contains(heading),
                Err(_) => heading.is_empty() && path.exists(),
            };
            if !leads {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn the_index_lists_every_page_once() {
    let index = read("docs/index.md");
    let mut listed = links(&index);
    listed.sort_unstable();
    let all = pages().into_iter().map(|(name, _)| name.trim_start_matches("docs/").to_owned());
    let all: Vec<String> = all.filter(|name| name != "index.md").collect();
    let missing: Vec<&String> =
        all.iter().filter(|name| !listed.contains(&name.as_str())).collect();
    assert_eq!(missing, Vec::<&String>::new());
}
