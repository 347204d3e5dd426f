//! Several files: moved tests are not removed tests.

use weakened_tests::{FileChange, compare};

use crate::messages_of;

const ADDS: &str = "#[test] fn adds() { assert_eq!(add(1, 2), 3); }\n";
const SMALL: &str = "#[test] fn is_small() { assert!(add(1, 1) < 3); }\n";

fn change<'a>(path: &'a str, before: Option<&'a str>, after: Option<&'a str>) -> FileChange<'a> {
    FileChange { path, before, after, old_path: None }
}

#[test]
fn a_removed_file() {
    let both = format!("{ADDS}{SMALL}");
    assert_eq!(
        messages_of(&[change("tests/a.rs", Some(&both), None)]),
        ["the file was removed with 2 tests: `adds`, `is_small`"]
    );
    let many: String =
        (0..7).map(|n| format!("def test_{n}():\n    assert f({n}) == 1\n")).collect();
    assert_eq!(
        messages_of(&[change("test_a.py", Some(&many), None)]),
        ["the file was removed with 7 tests: `test_0`, `test_1`, `test_2`, `test_3`, `test_4`, …"]
    );
    assert_eq!(messages_of(&[change("src/a.rs", Some("fn product() {}"), None)]), [""; 0]);
}

#[test]
fn a_moved_test() {
    let both = format!("{ADDS}{SMALL}");
    for place in ["src/b.rs", "tests/deep/b.rs"] {
        let to = [
            change("src/a.rs", Some(&both), Some(ADDS)),
            change(place, Some("// words\n"), Some(SMALL)),
        ];
        assert_eq!(messages_of(&to), [""; 0]);
        let to = [change("src/a.rs", Some(&both), None), change(place, None, Some(&both))];
        assert_eq!(messages_of(&to), [""; 0]);
    }
    let other_name = SMALL.replace("is_small", "stays_small");
    let to = [change("a.rs", Some(&both), Some(ADDS)), change("b.rs", None, Some(&other_name))];
    assert_eq!(messages_of(&to), [""; 0]);
}

#[test]
fn a_moved_and_weakened_test() {
    let skipped = format!("#[ignore] {SMALL}");
    let to = [change("a.rs", Some(SMALL), Some("")), change("b.rs", Some(""), Some(&skipped))];
    assert_eq!(messages_of(&to), ["b.rs: `is_small` is skipped now (`#[ignore]`)"]);
    let less = "#[test] fn adds() { let _ = add(1, 2); }";
    let to = [change("a.rs", Some(ADDS), None), change("b.rs", Some(""), Some(less))];
    assert_eq!(messages_of(&to), ["b.rs: `adds` has 0 assertions, had 1"]);
}

#[test]
fn a_new_test_under_the_name_of_one_that_was_renamed() {
    let long = "#[test] fn adds() { assert_eq!(add(1, 2), 3); assert_eq!(add(2, 2), 4); }\n";
    let after = format!("{ADDS}{}", long.replace("adds", "adds_twice"));
    assert_eq!(messages_of(&[change("a.rs", Some(long), Some(&after))]), [""; 0]);
    let calls = "#[test] fn t() { assert_same(1); assert_same(2); }";
    let after = format!("#[test] fn t() {{ assert_same(3); }} {}", calls.replace("fn t", "fn u"));
    assert_eq!(messages_of(&[change("a.rs", Some(calls), Some(&after))]), [""; 0]);
}

#[test]
fn a_moved_test_without_own_assertions() {
    let [old, new] =
        ["test_old", "test_new"].map(|name| format!("def {name}():\n    run(1).go()\n"));
    let to = [change("test_a.py", Some(&old), Some("")), change("test_b.py", None, Some(&new))];
    assert_eq!(messages_of(&to), [""; 0]);
}

#[test]
fn a_moved_and_changed_test() {
    let old = "def test_a():\n    assert f(1) == 1\n";
    let new = "class TestF:\n    def test_a(self):\n        assert self.g(2) == 3\n";
    assert_eq!(messages_of(&[change("test_a.py", Some(old), Some(new))]), [""; 0]);
    let to = [change("test_a.py", Some(old), Some("")), change("test_b.py", None, Some(new))];
    assert_eq!(messages_of(&to), [""; 0]);
}

#[test]
fn the_same_file_is_preferred() {
    let old = "def test_a():\n    assert f(1) == 1\n    assert f(2) == 2\n";
    let new =
        "class TestF:\n    def test_a(self):\n        assert g(3) == 3\n        assert g(4) == 4\n";
    let other = "def test_a():\n    assert h(5) == 5\n";
    let to = [change("test_b.py", None, Some(other)), change("test_c.py", Some(old), Some(new))];
    assert_eq!(messages_of(&to), [""; 0]);
}

#[test]
fn tests_do_not_move_between_languages() {
    let to = [
        change("test_a.py", Some("def test_a():\n    assert f() == 1\n"), Some("")),
        change("tests/b.rs", None, Some("#[test] fn test_a() { assert_eq!(f(), 1); }")),
    ];
    assert_eq!(messages_of(&to), ["test_a.py: `test_a` is gone"]);
}

#[test]
fn a_renamed_file() {
    let test = "def test_a():\n    assert f() == 1\n";
    let renamed = |path, after| {
        messages_of(&[FileChange { path, before: Some(test), after, old_path: Some("test_a.py") }])
    };
    assert_eq!(renamed("test_b.py", Some(test)), [""; 0]);
    assert_eq!(renamed("test_b.py", Some("")), ["`test_a` is gone"]);
    assert_eq!(
        renamed("a.py", Some(test)),
        ["was `test_a.py`: under its new name, no test runner collects its 1 test"]
    );
    assert_eq!(
        renamed("test_a.py.bak", Some(test)),
        ["was `test_a.py`: under its new name, no test runner collects its 1 test"]
    );
}

#[test]
fn paths_keep_their_order() {
    let files = ["z.rs", "a.rs", "m.rs"].map(|path| change(path, Some(ADDS), Some("")));
    let findings = compare(&files);
    let paths: Vec<&str> = findings.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["z.rs", "a.rs", "m.rs"]);
}
