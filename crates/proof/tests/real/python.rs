//! pytest and unittest.

use proof::Framework;

use crate::project::Shows::{NotCollected, Passed, Skipped};
use crate::project::{ASSERTION, BROKEN, MISSING, OTHER, Project};

const CALC: &str = "def add(a, b):
    return a + b


def stub():
    raise NotImplementedError


def crash():
    return {}['no']
";

const PYTEST: &str = "import pytest
from product import calc


def test_passes():
    assert calc.add(1, 2) == 3


def test_fails():
    assert calc.add(1, 2) == 4


def test_attribute():
    assert calc.subtract(2, 1) == 1


def test_stub():
    assert calc.stub() == 1


@pytest.mark.skip(reason='later')
def test_skipped():
    assert False


def test_raises():
    with pytest.raises(ValueError):
        calc.add(1, 2)


def test_crash():
    calc.crash()


@pytest.mark.parametrize('a', [1, 2])
def test_both(a):
    assert a == 1


@pytest.mark.parametrize('a', ['x y', \"it's\"])
def test_quoted(a):
    assert a


class TestGroup:
    def test_inner(self):
        assert calc.add(1, 1) == 2
";

fn pytest() -> Project {
    Project::new(
        Framework::Pytest,
        &[
            ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-x -q'\n"),
            ("product/__init__.py", ""),
            ("product/calc.py", CALC),
            ("tests/test_calc.py", PYTEST),
        ],
    )
}

#[test]
#[ignore = "needs pytest"]
fn pytest_results() {
    let file = "tests/test_calc.py";
    let table = [
        (file, "test_passes", Passed),
        (file, "test_fails", ASSERTION),
        (file, "test_attribute", MISSING),
        (file, "test_stub", MISSING),
        (file, "test_skipped", Skipped),
        (file, "test_raises", ASSERTION),
        (file, "test_crash", OTHER),
        (file, "test_both", ASSERTION),
        (file, "test_both[1]", Passed),
        (file, "test_quoted", Passed),
        (file, "test_quoted[it's]", Passed),
        (file, "TestGroup::test_inner", Passed),
    ];
    pytest().shows(&table);
}

#[test]
#[ignore = "needs pytest"]
fn pytest_files_that_do_not_load() {
    let project = pytest();
    project.write("tests/test_missing.py", "from product.calc import multiply\n\n\ndef test_multiply():\n    assert multiply(2, 3) == 6\n");
    project.write("tests/test_syntax.py", "def test_broken(:\n    assert True\n");
    project.write("tests/test_exit.py", "import os\n\n\ndef test_exits():\n    os._exit(0)\n");
    project.shows(&[
        ("tests/test_missing.py", "test_multiply", MISSING),
        ("tests/test_syntax.py", "test_broken", BROKEN),
    ]);
    project.shows(&[("tests/test_calc.py", "test_nope", NotCollected)]);
    project.shows(&[("tests/test_exit.py", "test_exits", NotCollected)]);
}

#[test]
#[ignore = "needs pytest"]
fn pytest_canary() {
    let project = pytest();
    assert!(project.canary_fails("tests/test_calc.py", &["test_passes"]));

    // The assertion is rewritten to nothing when the product is called.
    project.write(
        "product/calc.py",
        "import builtins, gc, types, sys


def add(a, b):
    frame = sys._getframe(1)
    for value in list(frame.f_globals.values()):
        if isinstance(value, types.FunctionType) and value.__name__.startswith('test_'):
            value.__code__ = (lambda: None).__code__
    return 4
",
    );
    assert!(!project.canary_fails("tests/test_calc.py", &["test_passes"]));

    // The report is forged, and the run ends before the real one is written.
    project.write(
        "product/calc.py",
        "import os, sys


def add(a, b):
    report = next(a for a in sys.argv if a.startswith('--junitxml=')).split('=', 1)[1]
    names = [a for a in sys.argv if '::' in a]
    cases = ''.join(
        '<testcase classname=\"%s\" name=\"%s\" file=\"%s\"/>'
        % (n.split('::')[0][:-3].replace('/', '.'), n.split('::')[1], n.split('::')[0]) for n in names)
    open(report, 'w').write('<testsuites><testsuite>' + cases + '</testsuite></testsuites>')
    os._exit(0)
",
    );
    project.shows(&[("tests/test_calc.py", "test_fails", Passed)]);
    assert!(!project.canary_fails("tests/test_calc.py", &["test_fails"]));
}

const UNITTEST: &str = "import unittest
from product import calc


class CalcTest(unittest.TestCase):
    def test_passes(self):
        \"\"\"Adds two numbers.\"\"\"
        print('printed by the test')
        self.assertEqual(calc.add(1, 2), 3)

    def test_fails(self):
        self.assertEqual(calc.add(1, 2), 4)

    def test_attribute(self):
        self.assertEqual(calc.subtract(2, 1), 1)

    @unittest.skip('later')
    def test_skipped(self):
        self.fail()

    def test_crash(self):
        calc.crash()

    def test_subtests(self):
        for i in range(2):
            with self.subTest(i=i):
                self.assertEqual(i, 0)

    @unittest.expectedFailure
    def test_expected_failure(self):
        self.fail()
";

fn unittest() -> Project {
    Project::new(
        Framework::Unittest,
        &[("product/__init__.py", ""), ("product/calc.py", CALC), ("tests/test_calc.py", UNITTEST)],
    )
}

#[test]
#[ignore = "needs python3"]
fn unittest_results() {
    let project = unittest();
    let file = "tests/test_calc.py";
    project.shows(&[
        (file, "CalcTest.test_passes", Passed),
        (file, "CalcTest.test_fails", ASSERTION),
        (file, "CalcTest.test_attribute", MISSING),
        (file, "CalcTest.test_skipped", Skipped),
        (file, "CalcTest.test_crash", OTHER),
        (file, "CalcTest.test_subtests", ASSERTION),
        (file, "CalcTest.test_expected_failure", Skipped),
        (file, "CalcTest.test_nope", NotCollected),
        (file, "Nope.test_passes", NotCollected),
    ]);
    let class = "import unittest\nfrom product.calc import multiply\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(multiply(2, 3), 6)\n";
    project.write("tests/test_missing.py", class);
    project.write("tests/test_syntax.py", "def test_broken(:\n    pass\n");
    let exit = "import os\nimport unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        os._exit(0)\n";
    project.write("tests/test_exit.py", exit);
    project.shows(&[
        ("tests/test_missing.py", "A.test_a", MISSING),
        ("tests/test_syntax.py", "A.test_a", BROKEN),
        ("tests/test_exit.py", "A.test_a", NotCollected),
    ]);
}

#[test]
#[ignore = "needs python3"]
fn unittest_canary() {
    let project = unittest();
    assert!(project.canary_fails("tests/test_calc.py", &["CalcTest.test_passes"]));

    let cheat = "import unittest\nunittest.TestCase.assertEqual = lambda *arguments: None\n\n\ndef add(a, b):\n    return 0\n";
    project.write("product/calc.py", cheat);
    project.shows(&[("tests/test_calc.py", "CalcTest.test_fails", Passed)]);
    assert!(!project.canary_fails("tests/test_calc.py", &["CalcTest.test_fails"]));
}
