//! Bodies as people write them.

use super::*;

fn criteria(text: &str) -> Vec<String> {
    let body = read(text);
    assert_eq!(body.parts, [], "{text}");
    body.criteria
}

#[test]
fn criteria_are_found_by_heading_or_check_box() {
    for (text, expected) in [
        ("- [ ] a\n- [x] b", vec!["a", "b"]),
        ("* [x] a\n* [X] b", vec!["a", "b"]),
        ("text\n\n## Acceptance Criteria\n- a\n- b\n\n## Notes\n- c", vec!["a", "b"]),
        ("##### ACCEPTANCE CRITERIA:\n\n1. a\n2. b", vec!["a", "b"]),
        ("**Acceptance criteria**\n- a", vec!["a"]),
        ("**Acceptance criteria:**\n\n* a\n\n**Other**\n\n* b", vec!["a"]),
        ("Acceptance criteria:\n- a\n\nNotes:\n- b", vec!["a"]),
        ("## Acceptance criteria\nIt is done when:\n- a", vec!["a"]),
        ("### ✅ Definition of done\n- a\n#### Details\n- b\n### More\n- c", vec!["a", "b"]),
        ("## Acceptance criteria\n- a:\n  - b\n  - c\n- d\n  - e", vec!["b", "c", "d", "e"]),
        ("## Acceptance criteria (draft)\n- a", vec!["a"]),
        ("- [x] I searched\n\n## Acceptance criteria\n- a\n\n## More\n- [ ] I agree", vec!["a"]),
        ("- [ ] a\n- plain", vec!["a", "plain"]),
        ("- plain\n- list", vec![]),
        ("# Acceptance criteria\nOnly text", vec![]),
        ("```\n- [ ] code\n```\n> - [ ] quote", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(criteria(text), expected, "{text:?}");
    }
}

#[test]
fn the_description_is_the_rest() {
    let text = "Sums are wrong.\n\n## Steps\n1. open\n2. look\n\n## Acceptance criteria\n- a\n\n## Notes\n`x`";
    let expected = "Sums are wrong.\n\n## Steps\n\n1. open\n2. look\n\n## Notes\n\n`x`";
    assert_eq!(read(text).description, expected);
    assert_eq!(
        read("## Acceptance criteria\nprose").description,
        "## Acceptance criteria\n\nprose"
    );
    assert_eq!(read("## Acceptance criteria\n- a").description, "");
}

fn parts(text: &str) -> Vec<(String, Vec<String>)> {
    read(text).parts.into_iter().map(|part| (part.title, part.criteria)).collect()
}

fn part(title: &str, criteria: &[&str]) -> (String, Vec<String>) {
    (title.to_owned(), criteria.iter().map(|&text| text.to_owned()).collect())
}

#[test]
fn task_lists_with_parts_are_found() {
    for (text, expected) in [
        ("## Tasks\n- a\n- b", vec![part("a", &[]), part("b", &[])]),
        (
            "**Stories**\n- [ ] a\n  - x\n  - y\n- [ ] b",
            vec![part("a", &["x", "y"]), part("b", &[])],
        ),
        ("- [ ] a\n  - [ ] x\n- [ ] b\n  - [ ] y", vec![part("a", &["x"]), part("b", &["y"])]),
        (
            "## Tasks\n### Login\ntext\n- x\n- y\n### Logout\n#### Acceptance criteria\n- z\n## Notes\n- n",
            vec![part("Login", &["x", "y"]), part("Logout", &["z"])],
        ),
        ("- [ ] a\n  - [ ] x", vec![]),
        ("## Task force\n- a\n- b", vec![]),
    ] {
        assert_eq!(parts(text), expected, "{text:?}");
    }
    let body =
        read("Intro\n\n## Tasks\n- [x] a\n\n  more\n- [ ] b\n\n## Acceptance criteria\n- whole");
    assert_eq!((body.parts[0].is_done, body.parts[1].is_done), (true, false));
    assert_eq!(body.parts[0].description, "more");
    assert_eq!(body.criteria, ["whole"]);
    assert_eq!(body.description, "Intro");
    assert!(body.parts[0].source.contains("more"));
}

#[test]
fn an_order_counts_only_if_it_is_stated() {
    for (text, expected) in [
        ("## Tasks\n1. a\n2. b", false),
        ("## Tasks (in this order)\n- a\n- b", true),
        ("## Tasks (in order)\n- a\n- b", true),
        ("## Tasks\nSteps in order to win:\n- a\n- b", false),
        ("## Tasks\nDo these one after the other.\n\n- a\n- b", true),
        ("In this order.\n\n## Tasks\n- a\n- b", false),
        ("## Tasks\n- sort in order to show\n- b", false),
    ] {
        let body = read(text);
        assert_eq!((body.in_order, body.parts.len()), (expected, 2), "{text:?}");
    }
}
