//! The difference between the estimate and a tokenizer.
//!
//! The counts are from o200k of the crate bpe-openai 0.3.2, `o200k_base().count(text)`. It is not a
//! dependency of the tests: its tables take longer to build than everything else here.

use memory::tokens;

macro_rules! sample {
    ($name:literal, $count:literal) => {
        ($name, include_str!(concat!("../samples/", $name)), $count)
    };
}

const SAMPLES: [(&str, &str, usize); 16] = [
    sample!("base64.txt", 1004),
    sample!("chinese.md", 395),
    sample!("english.md", 421),
    sample!("french.txt", 115),
    sample!("german.md", 367),
    sample!("go.go", 426),
    sample!("handoff.json", 496),
    sample!("japanese.md", 466),
    sample!("korean.txt", 116),
    sample!("minified.js", 418),
    sample!("python.py", 507),
    sample!("russian.txt", 112),
    sample!("rust.rs", 616),
    sample!("shell.log", 603),
    sample!("trace.txt", 511),
    sample!("typescript.ts", 450),
];

#[test]
fn it_is_within_a_fifth() {
    for (name, text, counted) in SAMPLES {
        let estimate = tokens(&text.replace("\r\n", "\n"));
        let off = estimate.abs_diff(counted);
        assert!(off * 5 <= counted, "{name}: {estimate} for {counted}");
    }
}

#[test]
fn it_does_not_lean_to_one_side() {
    let counted: usize = SAMPLES.iter().map(|(_, _, counted)| counted).sum();
    let estimate: usize = SAMPLES.iter().map(|(_, text, _)| tokens(text)).sum();
    assert!(estimate.abs_diff(counted) * 20 <= counted, "{estimate} for {counted}");
}

#[test]
fn nothing_is_no_token_and_anything_is_one() {
    assert_eq!(tokens(""), 0);
    for text in ["a", "1", "{", "é", "中", "🚀", "\n", "  ", "the", "\u{200d}"] {
        assert!((1..=3).contains(&tokens(text)), "{text:?}: {}", tokens(text));
    }
}

#[test]
fn each_kind_has_its_price() {
    for (text, expected) in [
        ("one two three", 3),
        ("123456789", 3),
        ("1234567890", 4),
        ("one;\ntwo;\n", 4),
        ("one\ntwo", 3),
        ("one two\n    three", 5),
        ("parseSomeText", 3),
    ] {
        assert_eq!(tokens(text), expected, "{text:?}");
    }
    assert!(tokens(&"-".repeat(100)) < 10);
    assert!(tokens(&" ".repeat(100)) < 4);
    assert!(tokens("xQzRtKpL") > tokens("reviewer"));
}

/// Long enough that quadratic time is noticed.
#[test]
fn long_texts_are_weighed_soon() {
    for shape in ["a", "aB", "1", " ", "\n", "é", "中", "-", "🚀", "a ", "\n "] {
        assert!(tokens(&shape.repeat(500_000 / shape.len())) > 1_000);
    }
}
