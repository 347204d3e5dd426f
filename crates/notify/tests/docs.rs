//! docs/notifications.md documents every field, kind and variable, and no others.

use notify::{Notice, NoticeKind};

const DOCS: &str = include_str!("../../../docs/notifications.md");

/// The first cells of the table with this heading.
fn explained(heading: &str) -> Vec<String> {
    let rows = DOCS.split(heading).nth(1).unwrap_or_default().lines().skip(1);
    let rows = rows.take_while(|line| line.starts_with("| `"));
    let mut names: Vec<String> =
        rows.filter_map(|row| Some(row.split('`').nth(1)?.to_owned())).collect();
    names.sort();
    names
}

fn sorted<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn every_field_is_explained_and_no_other() {
    let json: serde_json::Value =
        serde_json::from_str(&Notice::sample(NoticeKind::Finished).to_json()).unwrap();
    let mut fields: Vec<String> = json.as_object().unwrap().keys().cloned().collect();
    fields.sort();
    assert_eq!(explained("| field | type | what it is |\n"), fields);
}

#[test]
fn every_kind_is_explained_with_its_class() {
    assert_eq!(
        explained("| `kind` | `class` | when |\n"),
        sorted(NoticeKind::ALL.iter().map(|kind| kind.name()))
    );
    for &kind in NoticeKind::ALL {
        let row = format!("| `{kind}` | `{}` |", kind.class());
        assert!(DOCS.contains(&row), "{row}");
    }
}

#[test]
fn every_variable_is_explained_and_no_other() {
    let variables = Notice::sample(NoticeKind::Stuck).variables().map(|(name, _)| name);
    assert_eq!(explained("| variable | what it is |\n"), sorted(variables));
}

#[test]
fn the_example_has_the_fields_of_a_notice() {
    let line = DOCS.lines().find(|line| line.starts_with("{\"text\"")).unwrap();
    let example: serde_json::Value = serde_json::from_str(line).unwrap();
    let sample: serde_json::Value =
        serde_json::from_str(&Notice::sample(NoticeKind::Stuck).to_json()).unwrap();
    let keys = |json: &serde_json::Value| -> Vec<String> {
        json.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&example), keys(&sample));
}
