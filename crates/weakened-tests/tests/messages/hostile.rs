//! Any file is read in bounded time, and its names stay on one line.

use proptest::prelude::*;
use weakened_tests::{FileChange, compare};

use crate::{messages, messages_of};

const PATHS: [&str; 8] = [
    "tests/a.rs",
    "test_a.py",
    "a.test.tsx",
    "a_test.go",
    "package.json",
    "Makefile",
    "pytest.ini",
    "vitest.config.ts",
];

#[test]
fn a_too_large_file() {
    let large = " ".repeat((2 << 20) + 1);
    assert_eq!(
        messages("tests/a.rs", "", &large),
        ["larger than 2 MiB, so its tests were not compared"]
    );
    assert_eq!(
        messages("test_a.py", &large, ""),
        ["larger than 2 MiB, so its tests were not compared"]
    );
    assert_eq!(messages("src/a.rs", "", &large), [""; 0]);
    assert_eq!(messages("package.json", "", &large), [""; 0]);
}

#[test]
fn the_number_of_findings_is_limited() {
    let many: String =
        (0..60).map(|n| format!("#[test] fn t{n}() {{ assert!(f({n})); }}\n")).collect();
    let findings = messages("tests/a.rs", &many, "// nothing");
    assert_eq!(findings.len(), 51);
    assert_eq!(findings.last().map(String::as_str), Some("and 10 more"));
}

#[test]
fn names_stay_on_their_line() {
    let name = format!("a\u{1b}[2J\u{202e}`b` {}", "long ".repeat(100));
    let findings =
        messages("a.test.js", &format!("it(\"{name}\", () => {{ expect(a).toBe(b); }});"), "");
    let [line] = findings.as_slice() else { panic!("{findings:?}") };
    assert!(line.chars().count() < 140, "{line}");
    assert_eq!(line.matches('`').count(), 2, "{line}");
    assert!(!line.chars().any(char::is_control), "{line}");
}

/// Shapes for which a naive reader needs quadratic time, long enough to notice it.
#[test]
fn long_files_are_read_in_linear_time() {
    let shapes: [(&str, &[&str]); 5] = [
        (
            "tests/a.rs",
            &["assert!(", "#[test] fn a", "fn a ", "mod a {", "r#\"", "/*", "#[ignore]", "(]"],
        ),
        (
            "test_a.py",
            &[
                "def test_a():\n ",
                "class A(",
                "raises(",
                "assert x == (",
                "@a\n",
                "f(",
                "self.assertEqual(",
                "class A:\n",
                "collect_ignore = 'a'\n",
                "def f(): pass\n",
            ],
        ),
        (
            "a.test.tsx",
            &[
                "it('a', () => {",
                "describe('a', () => {",
                "expect(",
                "it.each(",
                "= /[",
                "`${",
                "x.should.",
                "a=>{",
                "it.skip",
                "it('a');",
                "b=(",
                "function f(",
            ],
        ),
        (
            "a_test.go",
            &[
                "func a(",
                "func (a\n",
                "t.Skip();",
                "//go:build a\n",
                "assert.Equal(t,",
                "func a() {}\n",
            ],
        ),
        ("package.json", &["\"a\":{", "\"exclude\":[", "\"testPathIgnorePatterns\":[\"a\"],"]),
    ];
    for (path, shapes) in shapes {
        for shape in shapes {
            let text = shape.repeat((64 << 10) / shape.len());
            let [before, after] = [format!("{text}x"), format!("y {text}")];
            let findings = messages(path, &before, &after);
            assert!(findings.len() <= 51, "{shape}: {}", findings.len());
        }
    }
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(before in any::<String>(), after in any::<String>(), path in 0..PATHS.len()) {
        let change = FileChange {
            path: PATHS[path], before: Some(&before), after: Some(&after), old_path: None,
        };
        compare(&[change]);
    }

    /// Fragments of tests in random order find more than random text.
    #[test]
    fn test_fragments_do_not_panic(pieces in prop::collection::vec(0..PIECES.len(), 0..60), path in 0..PATHS.len()) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        for (before, after) in [(Some(text.as_str()), Some("")), (Some(""), Some(&text)), (Some(&text), None)] {
            compare(&[FileChange { path: PATHS[path], before, after, old_path: None }]);
        }
    }

    /// An unchanged file has no findings.
    #[test]
    fn unchanged_files_have_no_findings(pieces in prop::collection::vec(0..PIECES.len(), 0..60), path in 0..PATHS.len()) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let same = FileChange { path: PATHS[path], before: Some(&text), after: Some(&text), old_path: None };
        prop_assert_eq!(messages_of(&[same]), [""; 0]);
    }
}

const PIECES: [&str; 44] = [
    "#[test]",
    "#[ignore]",
    "fn a() {",
    "}",
    "mod tests {",
    "assert_eq!(1, 2);",
    "assert!(true)",
    "return;",
    "//",
    "/*",
    "*/",
    "\n",
    "\n    ",
    "\"",
    "'",
    "`",
    "${",
    "r#\"",
    "\"#",
    "def test_a():",
    "@pytest.mark.skip",
    "class TestA:",
    "assert x == 1",
    "self.assertEqual(1, 1)",
    "it('a', () => {",
    "});",
    "describe.only('b', ",
    "expect(a).toBe(1)",
    ".not",
    ".each([1])",
    "func TestA(t *testing.T) {",
    "t.Errorf(x)",
    "t.Skip()",
    "\"\"\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "é",
    "\\",
    ".",
    "expect",
    "\tcargo test || true\n",
];
