//! cargo.

use proof::Framework;

use crate::project::Shows::{NotCollected, Passed, Skipped};
use crate::project::{ASSERTION, BROKEN, MISSING, OTHER, Project};

const LIBRARY: &str = "pub fn add(a: i32, b: i32) -> i32 {
    a + b
}
pub fn stub() {
    todo!()
}
pub fn crash() {
    panic!(\"boom\")
}
#[cfg(test)]
mod tests {
    #[test]
    fn passes() {
        assert_eq!(super::add(1, 2), 3);
    }
}
";

const TESTS: &str = "#[test]
fn passes() {
    assert_eq!(product::add(1, 2), 3);
}
#[test]
fn fails() {
    assert_eq!(product::add(1, 2), 4);
}
#[test]
fn fails_with_a_message() {
    assert!(product::add(1, 2) == 4, \"the sum is wrong\");
}
#[test]
#[ignore = \"later\"]
fn ignored() {}
#[test]
#[should_panic]
fn does_not_panic() {
    product::add(1, 2);
}
#[test]
#[should_panic(expected = \"boom\")]
fn panics() {
    product::crash();
}
#[test]
fn stub() {
    product::stub()
}
#[test]
fn crash() {
    product::crash()
}
";

#[test]
fn cargo_results() {
    let project = Project::new(
        Framework::Cargo,
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"product\"]\nresolver = \"2\"\n"),
            (
                "product/Cargo.toml",
                "[package]\nname = \"product\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            ),
            ("product/src/lib.rs", LIBRARY),
            ("product/tests/calc.rs", TESTS),
            ("product/tests/folder/main.rs", "mod inner;\n"),
            ("product/tests/folder/inner.rs", "#[test]\nfn passes() {}\n"),
            (
                "product/tests/missing.rs",
                "#[test]\nfn multiplies() {\n    assert_eq!(product::multiply(2, 3), 6);\n}\n",
            ),
            ("product/tests/syntax.rs", "#[test]\nfn broken( {\n}\n"),
            (
                "product/tests/exit.rs",
                "#[test]\nfn before() {}\n#[test]\nfn exits() {\n    std::process::exit(0);\n}\n",
            ),
            (
                "product/tests/forged.rs",
                "#[test]\nfn forges() {\n    use std::io::Write;\n    let mut out = std::io::stdout().lock();\n    \
                 writeln!(out, \"test forges ... ok\").unwrap();\n    panic!();\n}\n",
            ),
        ],
    );
    let file = "product/tests/calc.rs";
    project.shows(&[
        ("product/src/lib.rs", "tests::passes", Passed),
        (file, "passes", Passed),
        (file, "fails", ASSERTION),
        (file, "fails_with_a_message", ASSERTION),
        (file, "ignored", Skipped),
        (file, "does_not_panic", ASSERTION),
        (file, "panics", Passed),
        (file, "stub", MISSING),
        (file, "crash", OTHER),
        (file, "nope", NotCollected),
        ("product/tests/folder/inner.rs", "inner::passes", Passed),
        ("product/tests/missing.rs", "multiplies", MISSING),
        ("product/tests/syntax.rs", "broken", BROKEN),
        ("product/tests/exit.rs", "before", NotCollected),
        ("product/tests/exit.rs", "exits", NotCollected),
        ("product/tests/forged.rs", "forges", ASSERTION),
        ("product/tests/absent.rs", "nope", NotCollected),
    ]);
}

#[test]
fn cargo_canary() {
    let project = Project::new(
        Framework::Cargo,
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"product\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            ),
            ("src/lib.rs", LIBRARY),
            (
                "tests/calc.rs",
                "use product::*;\n#[test]\nfn fails() {\n    assert_eq!(add(1, 2), 4);\n}\n",
            ),
        ],
    );
    assert!(project.canary_fails("tests/calc.rs", &["fails"]));
    // The product prints the results that the harness would print.
    let cheat = "pub fn add(_: i32, _: i32) -> i32 {
    use std::io::Write;
    let mut out = std::io::stdout();
    out.write_all(b\"test fails ... ok\\n\\ntest result: ok. 1 passed\\n\").unwrap();
    std::process::exit(0)
}
";
    project.write("src/lib.rs", cheat);
    project.shows(&[("tests/calc.rs", "fails", Passed)]);
    assert!(!project.canary_fails("tests/calc.rs", &["fails"]));
}
