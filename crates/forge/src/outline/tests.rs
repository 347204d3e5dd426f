//! Outlines of Markdown, also of hostile text.

use super::*;

/// One line for each block.
fn outline(source: &str) -> Vec<String> {
    let shown = |block: Block| match block.kind {
        BlockKind::Heading { level, text } => format!("{level} {text}"),
        BlockKind::List(items) => format!("[{}]", shown_items(&items)),
        BlockKind::Text => format!("text {}", one_line(&source[block.range])),
    };
    read(source).into_iter().map(shown).collect()
}

fn shown_items(items: &[Item]) -> String {
    let shown = |item: &Item| {
        let mark = item.done.map_or("", |done| if done { "x " } else { "_ " });
        let children = match item.children.as_slice() {
            [] => String::new(),
            children => format!(" ({})", shown_items(children)),
        };
        let rest = if item.rest.is_empty() { "" } else { " +" };
        format!("{mark}{}{children}{rest}", item.text)
    };
    items.iter().map(shown).collect::<Vec<_>>().join(" | ")
}

#[test]
fn headings_lists_and_text_are_told_apart() {
    for (source, expected) in [
        ("# A *b* `c`\ntext\n\n### D", vec!["1 A b c", "text text", "3 D"]),
        ("**Goal**\n- x", vec!["7 Goal", "[x]"]),
        ("**Goal**: y", vec!["text **Goal**: y"]),
        ("Criteria:\n\n* x\n* y", vec!["8 Criteria", "[x | y]"]),
        ("- [ ] a `b`\n- [X] c\n- d", vec!["[_ a `b` | x c | d]"]),
        ("1. a\n   - b\n     - c\n2. d", vec!["[a (b (c)) | d]"]),
        ("- a\n\n  more\n\n- [x] b\n\n  ```\n  - [ ] code\n  ```", vec!["[a + | x b +]"]),
        ("- a\n  wrapped [l](u)", vec!["[a wrapped [l](u)]"]),
        ("- [ ] a\n\n  - [ ] b", vec!["[_ a (_ b)]"]),
        ("> - [ ] quoted", vec!["text > - [ ] quoted"]),
        ("```\n- [ ] code\n# no\n```", vec!["text ``` - [ ] code # no ```"]),
        ("<details>\n\n- [ ] a\n\n</details>", vec!["text <details>", "[_ a]", "text </details>"]),
        ("|a|\n|-|\n|b|", vec!["text |a| |-| |b|"]),
        ("---", vec!["text ---"]),
        ("", vec![]),
    ] {
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        let found = outline(source);
        let found: Vec<String> =
            found.iter().map(|line| line.trim_end_matches(':').into()).collect();
        assert_eq!(found, expected, "{source:?}");
    }
}

#[test]
fn deep_nesting_is_cut() {
    let deep = format!("{}x", "- ".repeat(20_000));
    let [Block { kind: BlockKind::List(items), .. }] = &read(&deep)[..] else { panic!() };
    let (mut depth, mut items) = (0, items);
    while let Some(item) = items.first() {
        (depth, items) = (depth + 1, &item.children);
    }
    assert_eq!(depth, DEEPEST);
    read(&"> ".repeat(20_000));
    read(&"*_[`<!--".repeat(5_000));
}

#[test]
fn code_is_found() {
    let source = "a `b` c\n\n```\nd\n```\n\n    e\n";
    let found: Vec<&str> = code(source).into_iter().map(|range| source[range].trim()).collect();
    assert_eq!(found, ["`b`", "```\nd\n```", "e"]);
}
