//! Rust.

use crate::{Sample, check, messages, silent};

const PATH: &str = "src/sums.rs";
const TWO: &str = r#"
pub fn add(a: u8, b: u8) -> u8 { a + b }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
        assert_eq!(add(2, 2), 4, "a { brace");
        assert!(add(0, 0) == 0);
    }
    #[test]
    fn is_small() { assert!(add(1, 1) < 3); }
}
"#;

const FILE: Sample = Sample { path: PATH, text: TWO };

#[test]
fn a_removed_test() {
    FILE.reports(
        "#[test]\n    fn is_small() { assert!(add(1, 1) < 3); }",
        "",
        &["`is_small` is gone"],
    );
    FILE.reports(
        "    #[test]\n    fn is_small",
        "    fn is_small",
        &["`is_small` still exists, but is no test any more"],
    );
    FILE.reports(
        "#[test]\n    fn is_small() {",
        "// #[test]\n    // fn is_small() {",
        &["`is_small` is commented out"],
    );
    FILE.reports(
        "#[test]\n    fn is_small() {",
        "/* /* */ #[test] fn is_small() {",
        &["`is_small` is commented out"],
    );
    FILE.reports("assert!(add(1, 1) < 3);", "", &["`is_small` is empty now"]);
    FILE.reports(
        "assert!(add(1, 1) < 3);",
        "// assert!(add(1, 1) < 3);\n",
        &["`is_small` is empty now"],
    );
}

#[test]
fn a_test_that_does_not_run() {
    let head = "#[test]\n    fn is_small";
    for (attributes, words) in [
        ("#[test]\n#[ignore]", "is skipped now (`#[ignore]`)"),
        ("#[ignore = \"slow\"]\n#[test]", "is skipped now (`#[ignore]`)"),
        ("#[test] #[cfg(any())]", "is skipped now (`#[cfg(any())]`)"),
        ("#[test] #[cfg(FALSE)]", "is skipped now (`#[cfg(FALSE)]`)"),
        ("#[test] #[cfg(not(test))]", "is skipped now (`#[cfg(not(test))]`)"),
        ("#[test] #[cfg_attr(test, ignore)]", "is skipped now (`#[cfg_attr(test, ignore)]`)"),
        ("#[test] #[should_panic]", "is expected to fail now (`#[should_panic]`)"),
    ] {
        FILE.reports(
            head,
            &format!("{attributes}\n    fn is_small"),
            &[&format!("`is_small` {words}")],
        );
    }
    FILE.reports(
        "{ assert!(add(1, 1)",
        "{ return; assert!(add(1, 1)",
        &["`is_small` returns before its assertions now"],
    );
    FILE.reports(
        "#[cfg(test)]\nmod tests {",
        "#[cfg(any())]\nmod tests {",
        &["all of `tests` is skipped now (`#[cfg(any())]`)"],
    );
    FILE.reports(
        "use super::*;",
        "#![cfg(any())] use super::*;",
        &["all of `tests` is skipped now (`#[cfg(any())]`)"],
    );
}

#[test]
fn a_test_that_asserts_less() {
    FILE.reports("assert_eq!(add(1, 2), 3);", "", &["`adds` has 2 assertions, had 3"]);
    FILE.reports(
        "assert_eq!(add(1, 2), 3);",
        "let _ = \"assert_eq!(1, 2)\"; // assert!(x)\n",
        &["`adds` has 2 assertions, had 3"],
    );
    FILE.reports(
        "assert!(add(0, 0) == 0);",
        "return; assert!(add(0, 0) == 0);",
        &["`adds` has 2 assertions, had 3"],
    );
    for (new, looser) in [
        ("assert!(add(1, 2).is_ok());", "assert!"),
        ("assert_ne!(add(1, 2), 4);", "assert_ne!"),
        ("assert!(add(1, 2) > 0);", "assert!"),
        ("assert_matches!(add(1, 2), _);", "assert_matches!"),
    ] {
        let line = format!("`adds` asserts less strictly: `assert_eq!` became `{looser}`");
        FILE.reports("assert_eq!(add(1, 2), 3);", new, &[&line]);
    }
    FILE.reports(
        "assert!(add(1, 1) < 3);",
        "assert!(add(1, 1).is_ok());",
        &[
            "`is_small` asserts less strictly: `assert!(add(1, 1) < 3)` became `assert!(add(1, 1).is_ok())`",
        ],
    );
    for always in ["assert!(true)", "assert_eq!(1, 1)", "assert!(!false)", "assert!(1 == 1)"] {
        let line = format!("`is_small` asserts what is always true: `{always}`");
        FILE.reports("assert!(add(1, 1) < 3)", always, &[&line]);
    }
}

#[test]
fn all_kinds_of_tests_are_known() {
    for head in [
        "#[tokio::test]\nasync fn t()",
        "#[rstest]\n#[case(1)]\nfn t(#[case] n: u8)",
        "#[test_case(1; \"one\")]\nfn t(n: u8)",
        "#[wasm_bindgen_test]\nfn t()",
        "#[tokio::test(flavor = \"multi_thread\")]\npub(crate) async fn t() -> Result<(), [u8; 3]>",
        "#[test]\n#[allow(clippy::all)]\n/// Words.\nfn t()",
        "#[test]\nfn t<'a>() where u8: Into<u16>",
    ] {
        let before = format!("{head} {{ assert_eq!(a, 'x'); }}");
        assert_eq!(messages("tests/it.rs", &before, ""), ["`t` is gone"], "{head}");
    }
    let property = "proptest! { #![proptest_config(c())]\n #[test] fn t(x in 0..9u8) { prop_assert_eq!(x, x2); } }";
    assert_eq!(messages("src/a.rs", property, "proptest! { }"), ["`t` is gone"]);
    assert_eq!(
        messages(
            "src/a.rs",
            property,
            &property.replace("prop_assert_eq!(x, x2)", "prop_assert!(x)")
        ),
        ["`t` asserts less strictly: `prop_assert_eq!` became `prop_assert!`",]
    );
}

#[test]
fn helpers_of_tests() {
    let before = "#[test] fn t() { same(1, 1); } fn same(a: u8, b: u8) { assert_eq!(a, b); assert!(a > 0); }";
    let named = before.replace("same", "assert_same");
    check(
        "tests/it.rs",
        &[
            (
                "a helper that asserts less",
                before,
                &before.replace("assert_eq!(a, b);", ""),
                &["the helper `same` has 1 assertion, had 2"],
            ),
            (
                "a helper not called any more",
                &named,
                &named.replace("assert_same(1, 1)", "let _ = 1"),
                &["`t` has 0 assertions, had 2"],
            ),
        ],
    );
    let setup = "fn new() -> R { assert!(git(\"init\").ok()); R }";
    silent(
        "tests/it.rs",
        &[
            ("a helper of another crate", setup, "fn new() -> R { scratch(\"init\") }"),
            (
                "a setup less",
                &format!("{setup} #[test] fn t() {{ let r = new(); assert_eq!(f(r), 1); }}"),
                &format!("{setup} #[test] fn t() {{ assert_eq!(f(r), 1); }}"),
            ),
        ],
    );
}

#[test]
fn a_renamed_and_slightly_changed_test() {
    let before = "#[test] fn t() { let list = read(\"a.json\"); let next = select(&list, 3); \
                  let other = select(&list, 4); assert_eq!(next, Some(1)); assert_eq!(other, \
                  None); }";
    let after = before.replace("fn t", "fn u").replace("a.json", "b.json");
    silent("tests/it.rs", &[("a little", before, &after)]);
    check(
        "tests/it.rs",
        &[
            (
                "and less",
                before,
                &after.replace("assert_eq!(other, None);", ""),
                &["`u` has 1 assertion, had 2"],
            ),
            (
                "another test",
                before,
                "#[test] fn u() { assert_eq!(quite(another, thing), 1); }",
                &["`t` is gone"],
            ),
        ],
    );
}

#[test]
fn what_is_no_weakening() {
    let cases = [
        ("assert_eq!(add(1, 2), 3);", "assert_eq!(\n add(1, 2),\n 3,\n);", "laid out anew"),
        ("fn is_small()", "fn stays_small()", "renamed"),
        (
            "    #[test]\n    fn is_small",
            "    // #[ignore]\n    #[test]\n    fn is_small",
            "a comment",
        ),
        (
            "    #[test]\n    fn is_small",
            "    /// Do not #[ignore] or skip.\n    #[test]\n    fn is_small",
            "words",
        ),
        ("assert_eq!(add(1, 2), 3);", "assert_eq!(add(1, 2), 4 - 1);", "another value"),
        ("assert!(add(0, 0) == 0);", "assert_eq!(add(0, 0), 0);", "stricter"),
        ("assert_eq!(add(1, 2), 3);", "assert!(add(1, 2) == 3);", "said otherwise"),
        (
            "#[test]\n    fn is_small",
            "#[cfg(feature = \"small\")]\n    #[test]\n    fn is_small",
            "feature",
        ),
        (
            "#[test]\n    fn is_small",
            "#[cfg_attr(miri, ignore)]\n    #[test]\n    fn is_small",
            "miri",
        ),
        ("#[test]\n    fn is_small", "#[cfg(unix)]\n    #[test]\n    fn is_small", "platform"),
        (
            "#[test]\n    fn is_small",
            "#[test]\n    fn new() { assert!(x()); }\n    #[test]\n    fn is_small",
            "new",
        ),
        ("pub fn add", "pub fn sub() { assert!(true); assert!(x); }\npub fn add", "product code"),
        ("fn is_small() {", "fn is_small() { let s = \"#[ignore] return; fn x() {\";", "a string"),
        ("fn is_small() {", "fn is_small() { let s = r#\"\" #[ignore] }} \"#;", "a raw string"),
        ("fn is_small() {", "fn is_small() { if cfg!(x) { return; }", "returns under a condition"),
        ("fn is_small() {", "fn is_small<'a>() { let c = '{'; let q = '\\'';", "quotes"),
        ("mod tests {", "mod unit {", "a module renamed"),
    ];
    for (old, new, about) in cases {
        FILE.silent(old, new, about);
    }
}

#[test]
fn replacements_of_an_assertion() {
    silent(
        "tests/it.rs",
        &[
            (
                "a table",
                "#[test] fn t() { assert_eq!(f(1), 1); assert_eq!(f(2), 2); assert_eq!(f(3), 3); }",
                "#[test] fn t() { for (a, b) in [(1, 1), (2, 2), (3, 3)] { assert_eq!(f(a), b); } }",
            ),
            (
                "cases",
                "#[test] fn t() { assert_eq!(f(1), 1); assert_eq!(f(2), 2); }",
                "#[rstest] #[case(1)] #[case(2)] fn t(#[case] n: u8) { assert_eq!(f(n), n); }",
            ),
            (
                "a helper of the same file",
                "#[test] fn t() { assert_eq!(f(1), 1); assert_eq!(g(1), 2); }",
                "#[test] fn t() { both(1, 2); } fn both(a: u8, b: u8) { assert_eq!(f(1), a); assert_eq!(g(1), b); }",
            ),
            (
                "an unwrap",
                "#[test] fn t() { let x = f(); assert!(x.is_ok()); assert_eq!(x, Ok(1)); }",
                "#[test] fn t() { let x = f().unwrap(); assert_eq!(x, 1); }",
            ),
            (
                "a test split in two",
                "#[test] fn t() { assert_eq!(f(1), 1); assert_eq!(f(2), 2); }",
                "#[test] fn t() { assert_eq!(f(1), 1); } #[test] fn u() { assert_eq!(f(2), 2); }",
            ),
            (
                "two tests made one",
                "#[test] fn t() { assert_eq!(f(1), 1); } #[test] fn u() { assert_eq!(f(2), 2); }",
                "#[test] fn t() { assert_eq!(f(1), 1); assert_eq!(\n f(2),\n 2,\n); }",
            ),
            (
                "clippy's way to say it",
                "#[test] fn t() { assert_eq!(f(), true); assert_eq!(v.len(), 0); assert_eq!(x, None); }",
                "#[test] fn t() { assert!(f()); assert!(v.is_empty()); assert!(x.is_none()); }",
            ),
        ],
    );
}

#[test]
fn new_tests() {
    check(
        "tests/it.rs",
        &[
            (
                "ignored from the start",
                "",
                "#[test] #[ignore] fn t() { assert!(x); }",
                &["`t` is new and skipped (`#[ignore]`)"],
            ),
            (
                "asserting nothing",
                "",
                "#[test] fn t() { assert!(true); }",
                &["`t` asserts what is always true: `assert!(true)`"],
            ),
        ],
    );
    silent(
        "tests/it.rs",
        &[
            ("should_panic", "", "#[test] #[should_panic] fn t() { f(); }"),
            (
                "was ignored",
                "#[test] #[ignore] fn t() { a(); }",
                "#[test] #[ignore] fn t() { b(); }",
            ),
        ],
    );
}
