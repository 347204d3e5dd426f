//! What fits into a budget.

use memory::{Assembly, FittedPart, Item, PartContent, PromptPart, fit, tokens};

const ALL: [PromptPart; 7] = [
    PromptPart::Task,
    PromptPart::Output,
    PromptPart::Skills,
    PromptPart::Failures,
    PromptPart::Previous,
    PromptPart::Compacted,
    PromptPart::Earlier,
];

fn wanted(part: PromptPart, heading: &str, items: Vec<Item>) -> PartContent {
    PartContent { part, heading: heading.into(), items }
}

/// As many items of ten tokens each, with the blank line before them.
fn tens(count: usize) -> Vec<Item> {
    (0..count).map(|_| Item::paragraph("a b c d e f g h i")).collect()
}

fn part(assembly: &Assembly, part: PromptPart) -> &FittedPart {
    assembly.parts.iter().find(|fitted| fitted.part == part).unwrap()
}

fn kept(assembly: &Assembly, of: PromptPart, wanted: usize) -> usize {
    wanted - part(assembly, of).left_out
}

fn rendered(items: Vec<Item>) -> String {
    fit(vec![wanted(PromptPart::Compacted, "## Memory", items)], 8_000)
        .text(PromptPart::Compacted)
        .to_owned()
}

#[test]
fn the_parts_and_their_allotments() {
    let allotments = ALL.map(|part| (part.name(), part.allotment(8_000), part.never_cut()));
    assert_eq!(
        allotments,
        [
            ("task", 1_000, true),
            ("output", 500, true),
            ("skills", 1_500, false),
            ("failures", 1_500, false),
            ("previous", 500, false),
            ("compacted", 3_000, false),
            ("earlier", 150, false),
        ]
    );
    assert!(ALL.is_sorted());
}

#[test]
fn paragraphs_lists_and_their_headings() {
    let text = rendered(vec![
        Item::paragraph("one\ntwo"),
        Item::paragraph("three"),
        Item::grouped("Rules", "first\nmore\n\n  deep"),
        Item::grouped("Rules", "second"),
        Item::grouped("Files", "third"),
        Item::paragraph("last"),
    ]);
    assert_eq!(
        text,
        "## Memory\n\none\ntwo\n\nthree\n\n### Rules\n\n- first\n  more\n\n    deep\n- second\n\n### Files\n\n- third\n\nlast"
    );
}

#[test]
fn without_a_heading_it_begins_with_the_first_item() {
    let of = |items| {
        fit(vec![wanted(PromptPart::Task, "", items)], 100).text(PromptPart::Task).to_owned()
    };
    assert_eq!(of(vec![Item::paragraph("one"), Item::paragraph("two")]), "one\n\ntwo");
    assert_eq!(of(vec![Item::grouped("G", "one")]), "### G\n\n- one");
}

#[test]
fn headings_have_something_below_them() {
    assert_eq!(rendered(Vec::new()), "");
    assert_eq!(rendered(vec![Item::paragraph(" \n"), Item::grouped("G", "\u{1b}[0m")]), "");
    let text = rendered(vec![Item::grouped("A", ""), Item::grouped("B", "b")]);
    assert_eq!(text, "## Memory\n\n### B\n\n- b");
}

#[test]
fn a_list_item_cannot_look_like_a_heading() {
    let text = rendered(vec![
        Item::grouped("G", "# big\r\n## Your task\r```\n- [ ] x\u{2028}---\n\n# again"),
        Item::grouped("G", "after"),
    ]);
    let outside: Vec<&str> = text.lines().filter(|line| !line.starts_with("  ")).collect();
    assert_eq!(outside, ["## Memory", "", "### G", "", "- # big", "", "- after"]);
}

#[test]
fn terminal_escapes_are_removed() {
    let text =
        rendered(vec![Item::grouped("G\n# x", "a\u{1b}[31mb\u{1b}]0;t\u{7}c\u{0}\u{202e}d\te")]);
    assert_eq!(text, "## Memory\n\n### G # x\n\n- abcd\te");
}

#[test]
fn nothing_is_cut_while_everything_fits() {
    let all: Vec<PartContent> = ALL.map(|part| wanted(part, "", tens(10))).into();
    let assembly = fit(all.clone(), 700);
    assert!(assembly.parts.iter().all(|part| part.left_out == 0));
    assert!(assembly.tokens() <= 700);
    let tight = fit(all.clone(), assembly.tokens());
    assert_eq!(tight.parts, assembly.parts);
    assert!(fit(all, assembly.tokens() - 1).parts[6].left_out > 0);
}

#[test]
fn parts_keep_their_order() {
    let order = [PromptPart::Compacted, PromptPart::Task, PromptPart::Earlier];
    let assembly = fit(order.map(|part| wanted(part, "", tens(1))).into(), 100);
    assert_eq!(assembly.parts.iter().map(|fitted| fitted.part).collect::<Vec<_>>(), order);
    assert_eq!(assembly.text(PromptPart::Skills), "");
}

#[test]
fn the_lowest_is_cut_first_and_to_its_allotment() {
    let all: Vec<PartContent> = ALL[2..].iter().map(|part| wanted(*part, "", tens(200))).collect();
    // 2,000 each, of which 150 are enough for the lowest.
    let assembly = fit(all, 8_200);
    let left: Vec<usize> = assembly.parts.iter().map(|part| part.left_out).collect();
    assert_eq!(left[..4], [0, 0, 0, 0]);
    assert!(part(&assembly, PromptPart::Earlier).tokens <= 8_200 - 4 * 1_990);
    assert!(kept(&assembly, PromptPart::Earlier, 200) >= 15);
}

#[test]
fn all_parts_are_cut_to_their_allotments_first() {
    let all: Vec<PartContent> = ALL.map(|part| wanted(part, "", tens(400))).into();
    let mut all = all;
    all[0].items.truncate(100);
    all[1].items.truncate(50);
    let assembly = fit(all, 8_000);
    for of in ALL {
        let tokens = part(&assembly, of).tokens;
        assert!(tokens <= of.allotment(8_000), "{}: {tokens}", of.name());
        let least = if of == PromptPart::Compacted || of == PromptPart::Earlier {
            0
        } else {
            of.allotment(8_000) - 30
        };
        assert!(tokens >= least, "{}: {tokens}", of.name());
    }
    assert!(assembly.tokens() <= 8_000 && assembly.tokens() > 7_950, "{}", assembly.tokens());
    // The allotments exceed the budget: the lowest part is cut.
    assert!(part(&assembly, PromptPart::Earlier).tokens < 50);
}

#[test]
fn allotments_grow_and_shrink_with_the_budget() {
    for budget in [800, 80_000] {
        let items = budget;
        let all = vec![
            wanted(PromptPart::Previous, "", tens(items)),
            wanted(PromptPart::Compacted, "", tens(items)),
            wanted(PromptPart::Failures, "", tens(items)),
            wanted(PromptPart::Skills, "", tens(items)),
        ];
        let assembly = fit(all, budget);
        let previous = part(&assembly, PromptPart::Previous).tokens;
        assert!(previous <= budget / 16 && previous + 20 > budget / 16, "{previous} of {budget}");
    }
}

#[test]
fn protected_parts_are_never_cut() {
    let all: Vec<PartContent> = ALL.map(|part| wanted(part, "## H", tens(50))).into();
    let assembly = fit(all, 700);
    assert!(assembly.is_over_budget());
    for of in &ALL[2..] {
        assert_eq!(
            part(&assembly, *of),
            &FittedPart {
                part: *of,
                text: String::new(),
                tokens: 0,
                wanted_tokens: part(&assembly, PromptPart::Task).tokens,
                left_out: 50,
            }
        );
    }
    assert_eq!(part(&assembly, PromptPart::Task).left_out, 0);
    assert_eq!(part(&assembly, PromptPart::Output).left_out, 0);
}

#[test]
fn a_cut_part_counts_the_omitted_items() {
    let of = |budget| fit(vec![wanted(PromptPart::Previous, "## P", tens(5))], budget);
    let full = of(100).tokens();
    let cut = of(full - 1);
    let text = cut.text(PromptPart::Previous);
    let left = part(&cut, PromptPart::Previous).left_out;
    assert!(
        left > 1 && text.ends_with(&format!("\n\n({left} more were left out: not enough space.)")),
        "{text}"
    );
    assert_eq!(part(&cut, PromptPart::Previous).wanted_tokens, full);

    let one = vec![Item::paragraph("short"), Item::paragraph("word ".repeat(100))];
    let cut = fit(vec![wanted(PromptPart::Previous, "", one)], 50);
    assert_eq!(cut.text(PromptPart::Previous), "short\n\n(1 more was left out: not enough space.)");
    assert_eq!(of(5).text(PromptPart::Previous), "");
}

#[test]
fn the_first_skill_stays_longest() {
    let skill = |words: usize| Item::paragraph("word ".repeat(words));
    // The first alone exceeds the skills' allotment.
    let all = vec![
        wanted(PromptPart::Task, "", tens(10)),
        wanted(PromptPart::Skills, "", vec![skill(2_000), skill(2_000)]),
        wanted(PromptPart::Compacted, "", tens(1_000)),
    ];
    for (budget, skills) in [(8_000, 2), (4_000, 1), (2_200, 1), (2_000, 0)] {
        let assembly = fit(all.clone(), budget);
        assert_eq!(kept(&assembly, PromptPart::Skills, 2), skills, "{budget}");
        assert!(!assembly.is_over_budget() && assembly.tokens() + 20 > budget, "{budget}");
    }
}

#[test]
fn an_oversized_item_does_not_displace_the_rest() {
    let all = vec![
        wanted(PromptPart::Task, "", tens(10)),
        wanted(PromptPart::Skills, "", vec![Item::paragraph("word ".repeat(20_000))]),
        wanted(PromptPart::Previous, "", tens(20)),
        wanted(PromptPart::Compacted, "", tens(500)),
        wanted(PromptPart::Earlier, "", tens(2)),
    ];
    let assembly = fit(all, 8_000);
    assert_eq!(assembly.text(PromptPart::Skills), "");
    let left: Vec<usize> = assembly.parts.iter().map(|part| part.left_out).collect();
    assert_eq!(left, [0, 1, 0, 0, 0]);
}

#[test]
fn the_count_is_that_of_the_text() {
    let items = vec![
        Item::grouped("G", "ends in a sign;"),
        Item::grouped("G", "12 begins with a number"),
        Item::grouped("H", "ends in a word"),
        Item::paragraph("    indented\n\n\tmore"),
    ];
    for budget in 0..80 {
        for fitted in fit(vec![wanted(PromptPart::Failures, "## F", items.clone())], budget).parts {
            assert_eq!(fitted.tokens, tokens(&fitted.text), "{}", fitted.text);
        }
    }
}

#[test]
fn megabytes_are_fitted_soon() {
    let all = vec![
        wanted(PromptPart::Task, "## T", tens(1)),
        wanted(PromptPart::Skills, "", vec![Item::paragraph("x".repeat(1_000_000))]),
        wanted(PromptPart::Failures, "", vec![Item::grouped("G", "\n# a".repeat(200_000))]),
        wanted(PromptPart::Previous, "", tens(10_000)),
        wanted(PromptPart::Compacted, "", vec![Item::grouped("G", "y"); 20_000]),
    ];
    let assembly = fit(all, 8_000);
    assert!(!assembly.is_over_budget());
    assert_eq!(part(&assembly, PromptPart::Skills).left_out, 1);
    assert_eq!(part(&assembly, PromptPart::Failures).left_out, 1);
    assert!(part(&assembly, PromptPart::Previous).left_out < 10_000);
}
