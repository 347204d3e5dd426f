//! Python.

use crate::{Sample, check, messages, silent};

const PATH: &str = "tests/test_sums.py";
const TWO: &str = r#"
import pytest

def helper():
    return 1

def test_adds():
    """Skipping is not what @pytest.mark.skip does here: assert x."""
    assert add(1, 2) == 3
    assert add(2, 2) == 4, "message == x"
    with pytest.raises(ValueError):
        add("a", 1)

class TestSmall:
    def test_is_small(self):
        self.assertEqual(add(1, 1), 2)
"#;

const FILE: Sample = Sample { path: PATH, text: TWO };

#[test]
fn a_removed_test() {
    FILE.reports(
        "    def test_is_small(self):\n        self.assertEqual(add(1, 1), 2)\n",
        "    pass\n",
        &["`TestSmall::test_is_small` is gone"],
    );
    FILE.reports(
        "def test_adds",
        "def _test_adds",
        &["`test_adds` is `_test_adds` now, which no test runner collects"],
    );
    FILE.reports(
        "def test_adds",
        "def xtest_adds",
        &["`test_adds` is `xtest_adds` now, which no test runner collects"],
    );
    FILE.reports(
        "def test_adds",
        "def check_sums",
        &["`test_adds` is `check_sums` now, which no test runner collects"],
    );
    FILE.reports(
        "class TestSmall:",
        "class _Small:",
        &[
            "`TestSmall::test_is_small` is `_Small::test_is_small` now, which no test runner collects",
        ],
    );
    FILE.reports(
        "        self.assertEqual(add(1, 1), 2)",
        "        pass",
        &["`TestSmall::test_is_small` is empty now"],
    );
    FILE.reports(
        "        self.assertEqual(add(1, 1), 2)",
        "        ...  # self.assertEqual(add(1, 1), 2)",
        &["`TestSmall::test_is_small` is empty now"],
    );
    FILE.reports(
        "    def test_is_small(self):\n        self",
        "    # def test_is_small(self):\n    #    self",
        &["`TestSmall::test_is_small` is commented out"],
    );
}

#[test]
fn a_test_that_does_not_run() {
    for (decorator, words) in [
        ("@pytest.mark.skip", "is skipped now (`@pytest.mark.skip`)"),
        ("@pytest.mark.skip(reason=\"flaky\")", "is skipped now (`@pytest.mark.skip`)"),
        (
            "@pytest.mark.skipif(sys.version_info < (3, 9), reason='x')",
            "may be skipped now (`@pytest.mark.skipif`)",
        ),
        ("@pytest.mark.skipif(True, reason='x')", "is skipped now (`@pytest.mark.skipif`)"),
        ("@pytest.mark.xfail", "is expected to fail now (`@pytest.mark.xfail`)"),
        (
            "@pytest.mark.xfail(\n    strict=False,\n)",
            "is expected to fail now (`@pytest.mark.xfail`)",
        ),
        ("@unittest.skip('x')", "is skipped now (`@unittest.skip`)"),
        ("@unittest.skipUnless(x, 'x')", "may be skipped now (`@unittest.skipUnless`)"),
        ("@unittest.expectedFailure", "is expected to fail now (`@unittest.expectedFailure`)"),
        ("@skip('x')", "is skipped now (`@skip`)"),
    ] {
        let new = format!("{decorator}\ndef test_adds");
        FILE.reports("def test_adds", &new, &[&format!("`test_adds` {words}")]);
    }
    let first = "    assert add(1, 2) == 3";
    FILE.reports(
        first,
        &format!("    pytest.skip('later')\n{first}"),
        &["`test_adds` is skipped now (`pytest.skip`)"],
    );
    FILE.reports(
        first,
        &format!("    if x:\n        pytest.skip('later')\n{first}"),
        &["`test_adds` may be skipped now (`pytest.skip`)"],
    );
    FILE.reports(
        first,
        &format!("    return\n{first}"),
        &["`test_adds` returns before its assertions now"],
    );
    FILE.reports(
        "class TestSmall",
        "@pytest.mark.skip\nclass TestSmall",
        &["all of `TestSmall` is skipped now (`@pytest.mark.skip`)"],
    );
    FILE.reports(
        "def helper",
        "pytestmark = pytest.mark.skip\n\ndef helper",
        &["the whole file is skipped now (`@pytest.mark.skip`)"],
    );
    FILE.reports(
        "def helper",
        "pytestmark = [pytest.mark.slow, pytest.mark.skip(reason='x')]\n\ndef helper",
        &["the whole file is skipped now (`@pytest.mark.skip`)"],
    );
    FILE.reports(
        "    def test_is_small",
        "    __test__ = False\n    def test_is_small",
        &["all of `TestSmall` is skipped now (`__test__ = False`)"],
    );
    assert_eq!(
        messages(
            "conftest.py",
            "collect_ignore = ['a.py']",
            "collect_ignore = ['a.py', 'test_b.py']"
        ),
        ["the whole file is skipped now (`collect_ignore: test_b.py`)",]
    );
}

#[test]
fn a_test_that_asserts_less() {
    FILE.reports("    assert add(1, 2) == 3\n", "", &["`test_adds` has 2 assertions, had 3"]);
    FILE.reports(
        "    with pytest.raises(ValueError):\n        add(\"a\", 1)",
        "    add('a', 1)",
        &["`test_adds` has 2 assertions, had 3"],
    );
    for (new, looser) in [
        ("assert add(1, 2) is not None", "assert … is not None"),
        ("assert add(1, 2) in (3, 4)", "assert … in"),
        ("assert add(1, 2)", "assert …"),
        ("assert add(1, 2) != 4", "assert … !="),
        ("assert isinstance(add(1, 2), int)", "assert isinstance"),
    ] {
        let line = format!("`test_adds` asserts less strictly: `assert … ==` became `{looser}`");
        FILE.reports("assert add(1, 2) == 3", new, &[&line]);
    }
    for new in ["assertTrue(add(1, 1))", "assertIsNotNone(add(1, 1))", "assertIn(add(1, 1), x)"] {
        let name = new.split('(').next().unwrap_or_default();
        let line = format!(
            "`TestSmall::test_is_small` asserts less strictly: `assertEqual` became `{name}`"
        );
        FILE.reports("assertEqual(add(1, 1), 2)", new, &[&line]);
    }
    FILE.reports(
        "raises(ValueError)",
        "raises(Exception)",
        &["`test_adds` asserts less strictly: `raises(ValueError)` became `raises(Exception)`"],
    );
    FILE.reports(
        "assert add(1, 2) == 3",
        "assert True",
        &["`test_adds` asserts what is always true: `assert True`"],
    );
    FILE.reports(
        "assert add(1, 2) == 3",
        "assert 1 == 1",
        &["`test_adds` asserts what is always true: `assert 1 == 1`"],
    );
    FILE.reports(
        "self.assertEqual(add(1, 1), 2)",
        "self.assertTrue(True)",
        &["`TestSmall::test_is_small` asserts what is always true: `assertTrue(True)`"],
    );
}

#[test]
fn what_is_no_weakening() {
    for (old, new, about) in [
        ("def test_adds", "# @pytest.mark.skip\ndef test_adds", "a comment"),
        ("def test_adds", "@pytest.mark.slow\ndef test_adds", "another mark"),
        ("def test_adds", "@mock.patch('a.skip')\ndef test_adds", "a string"),
        ("def test_adds", "def test_adds_up", "renamed"),
        (
            "assert add(1, 2) == 3",
            "assert (\n        add(1, 2)\n        == 3\n    )",
            "laid out anew",
        ),
        ("    assert add(1, 2) == 3\n", "    assert add(1, 2) == \\\n        3\n", "a backslash"),
        ("self.assertEqual(add(1, 1), 2)", "assert add(1, 1) == 2", "pytest's way"),
        (
            "import pytest",
            "import pytest\nTEXT = '''\ndef test_x():\n    assert 1\n'''",
            "a string",
        ),
        ("class TestSmall:", "class TestTiny:", "a class renamed"),
        ("def helper():\n    return 1", "def helper():\n    return 2", "a helper"),
        ("    assert add(1, 2) == 3\n", "    x = add(1, 2)\n    assert x == 3\n", "a variable"),
        (
            "def test_adds",
            "@pytest.mark.parametrize('a', [1, pytest.param(2, marks=pytest.mark.skip)])\ndef test_adds",
            "a case skipped",
        ),
    ] {
        FILE.silent(old, new, about);
    }
    silent(
        PATH,
        &[
            (
                "cases",
                "def test_f():\n    assert f(1) == 1\n    assert f(2) == 2\n",
                "@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_f(n):\n    assert f(n) == n\n",
            ),
            (
                "true",
                "def test_f():\n    assert f() == True\n",
                "def test_f():\n    assert f() is True\n",
            ),
            (
                "a helper",
                "def test_f():\n    assert a.x == 1\n    assert a.y == 2\n",
                "def assert_point(a, x, y):\n    assert a.x == x\n    assert a.y == y\n\ndef test_f():\n    assert_point(a, 1, 2)\n",
            ),
        ],
    );
    check(
        PATH,
        &[(
            "born skipped",
            "",
            "@pytest.mark.skip\ndef test_f():\n    assert f() == 1\n",
            &["`test_f` is new and skipped (`@pytest.mark.skip`)"],
        )],
    );
}
