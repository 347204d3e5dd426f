//! pytest and unittest.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::{Dialect, Reader};
use super::super::spec::{
    Assertion as Check, CanarySpec, ConfigurationFile, Form, Grouping, KindSign, Program,
    Selection, Sign, Spec,
};

const PACKAGE_FILES: &[&str] =
    &["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini"];

const PYTHON: &[Program] = &[
    Program { file: ".venv/bin/python", command: "{up}.venv/bin/python" },
    Program { file: "venv/bin/python", command: "{up}venv/bin/python" },
    Program { file: "uv.lock", command: "uv run --frozen python" },
    Program { file: "poetry.lock", command: "poetry run python" },
    Program { file: "", command: "python3" },
];

/// Python can prefer a compiled file to its source: a forged one, or one of a source that changed within a second.
macro_rules! without_compiled_files {
    ($command:literal) => {
        concat!(
            "find {root} \\( -name .git -o -name node_modules -o -name .venv -o -name venv \\) -prune -o \
             -path '*/__pycache__/*.pyc' -type f -print0 | xargs -0 rm -f; ",
            $command
        )
    };
}

const FAILURES: &[KindSign] = &[
    KindSign { kind: Assertion, texts: &[": AssertionError", "\nAssertionError", "Failed: "] },
    KindSign { kind: BrokenTest, texts: &["SyntaxError: ", "IndentationError: ", "TabError: "] },
    KindSign {
        kind: MissingSymbol,
        texts: &[
            "NameError: ",
            "ImportError: ",
            "ModuleNotFoundError: ",
            "AttributeError: ",
            "NotImplementedError",
            "got an unexpected keyword argument",
            "positional argument",
            "required keyword-only argument",
        ],
    },
];

/// Files that replace a part of Python or of the framework when they lie in the work folder.
const SHADOWS: [ConfigurationFile; 6] = [
    ConfigurationFile { pattern: "sitecustomize.py", keys: &[] },
    ConfigurationFile { pattern: "usercustomize.py", keys: &[] },
    ConfigurationFile { pattern: "unittest.py", keys: &[] },
    ConfigurationFile { pattern: "**/unittest/**", keys: &[] },
    ConfigurationFile { pattern: "pytest.py", keys: &[] },
    ConfigurationFile { pattern: "**/_pytest/**", keys: &[] },
];

pub(super) static PYTEST: Spec = Spec {
    signs: &[
        Sign { file: "pytest.ini", text: "" },
        Sign { file: ".pytest.ini", text: "" },
        Sign { file: "conftest.py", text: "" },
        Sign { file: "tests/conftest.py", text: "" },
        Sign { file: "pyproject.toml", text: "pytest" },
        Sign { file: "setup.cfg", text: "pytest" },
        Sign { file: "tox.ini", text: "pytest" },
        Sign { file: "requirements*.txt", text: "pytest" },
        Sign { file: "tests/*.py", text: "import pytest" },
    ],
    package_files: PACKAGE_FILES,
    programs: PYTHON,
    // Without a cache in the work tree. The root decides the names in the report, and --maxfail
    // undoes -x of the configuration.
    command: without_compiled_files!(
        "{program} -m pytest -p no:cacheprovider --rootdir=. --color=no --maxfail=0 \
         --continue-on-collection-errors -o junit_family=xunit1 --junitxml={report} {tests}"
    ),
    tests: Selection { each: "{file}::{name}", form: Form::Arguments },
    grouping: Grouping::Package,
    reported_as: "{file}::{name}",
    reader: Reader::Junit(Dialect::Pytest),
    failures: FAILURES,
    configuration: &[
        ConfigurationFile { pattern: "conftest.py", keys: &[] },
        ConfigurationFile { pattern: "pytest.ini", keys: &[] },
        ConfigurationFile { pattern: ".pytest.ini", keys: &[] },
        ConfigurationFile { pattern: "pytest.toml", keys: &[] },
        ConfigurationFile { pattern: ".pytest.toml", keys: &[] },
        ConfigurationFile { pattern: "tox.ini", keys: &[] },
        ConfigurationFile { pattern: "setup.cfg", keys: &["tool:pytest"] },
        ConfigurationFile {
            pattern: "pyproject.toml",
            keys: &["tool.pytest", "project.entry-points.pytest11"],
        },
        SHADOWS[0],
        SHADOWS[1],
        SHADOWS[2],
        SHADOWS[3],
        SHADOWS[4],
        SHADOWS[5],
    ],
    canary: Some(&CanarySpec {
        parent: None,
        file: "{stem}_canary_{id}{suffix}",
        test: "\n\ndef test_canary_{id}():\n    caught = 0\n{attempts}    if caught == {count}:\n        \
               raise AssertionError('canary {id}')\n",
        name: "test_canary_{id}",
        attempt: PYTHON_ATTEMPT,
        declaration: r"(?m)^\s*(?:async )?(def) test",
        assertions: &[
            Check { used: "assert ", statement: "assert 1 == 2" },
            Check { used: "raises(", statement: "with pytest.raises(KeyError): pass" },
            Check { used: "approx(", statement: "assert 1 == pytest.approx(2)" },
            Check { used: "pytest.fail(", statement: "pytest.fail('canary')" },
        ],
    }),
};

/// `pytest.raises` fails with an exception that is no `Exception`.
const PYTHON_ATTEMPT: &str =
    "    try:\n        {statement}\n    except BaseException:\n        caught += 1\n";

pub(super) static UNITTEST: Spec = Spec {
    signs: &[
        Sign { file: "tests/*.py", text: "import unittest" },
        Sign { file: "test/*.py", text: "import unittest" },
        Sign { file: "test_*.py", text: "import unittest" },
        Sign { file: "tests/*.py", text: "from unittest import" },
    ],
    package_files: PACKAGE_FILES,
    programs: PYTHON,
    command: without_compiled_files!("{program} -m unittest -v -b {tests}"),
    tests: Selection { each: "{module}.{name}", form: Form::Arguments },
    grouping: Grouping::File,
    reported_as: "{module}.{name}",
    reader: Reader::Unittest,
    failures: FAILURES,
    configuration: &SHADOWS,
    canary: Some(&CanarySpec {
        parent: None,
        file: "{stem}_canary_{id}{suffix}",
        test: "\n\nclass CanaryTest{id}({found}):\n    def test_canary(self):\n        caught = 0\n{attempts}        \
               if caught == {count}:\n            raise AssertionError('canary {id}')\n",
        name: "CanaryTest{id}.test_canary",
        attempt: "        try:\n            {statement}\n        except BaseException:\n            caught += 1\n",
        declaration: r"(?m)^class\s+\w+\s*\(([^)\n]*Test[^)\n]*)\)\s*:",
        assertions: &[
            Check { used: "assert ", statement: "assert 1 == 2" },
            Check { used: "self.assertEqual(", statement: "self.assertEqual(1, 2)" },
            Check { used: "self.assertNotEqual(", statement: "self.assertNotEqual(1, 1)" },
            Check { used: "self.assertTrue(", statement: "self.assertTrue(False)" },
            Check { used: "self.assertFalse(", statement: "self.assertFalse(True)" },
            Check { used: "self.assertIs(", statement: "self.assertIs(1, 'a')" },
            Check { used: "self.assertIsNone(", statement: "self.assertIsNone(1)" },
            Check { used: "self.assertIsNotNone(", statement: "self.assertIsNotNone(None)" },
            Check { used: "self.assertIn(", statement: "self.assertIn(1, [])" },
            Check { used: "self.assertNotIn(", statement: "self.assertNotIn(1, [1])" },
            Check { used: "self.assertIsInstance(", statement: "self.assertIsInstance(1, str)" },
            Check { used: "self.assertAlmostEqual(", statement: "self.assertAlmostEqual(1, 2)" },
            Check { used: "self.assertGreater(", statement: "self.assertGreater(1, 2)" },
            Check { used: "self.assertLess(", statement: "self.assertLess(2, 1)" },
            Check { used: "self.assertRaises(", statement: "self.assertRaises(KeyError, int)" },
            Check {
                used: "self.assertRaises(",
                statement: "with self.assertRaises(KeyError): pass",
            },
            Check { used: "self.assertRegex(", statement: "self.assertRegex('a', 'b')" },
            Check { used: "self.assertCountEqual(", statement: "self.assertCountEqual([1], [2])" },
            Check { used: "self.assertListEqual(", statement: "self.assertListEqual([1], [2])" },
            Check {
                used: "self.assertDictEqual(",
                statement: "self.assertDictEqual({1: 1}, {1: 2})",
            },
            Check { used: "self.fail(", statement: "self.fail('canary')" },
        ],
    }),
};
