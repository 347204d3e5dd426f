//! Settings that exclude tests, and commands that hide failures.

use crate::{check, silent};

#[test]
fn pytest() {
    let before = "[tool.ruff]\nexclude = []\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    check(
        "pyproject.toml",
        &[
            (
                "an option",
                before,
                &before.replace("-q", "-q --ignore=tests/slow"),
                &["now excludes tests: `--ignore=tests/slow`"],
            ),
            (
                "two words",
                before,
                &before.replace("\"-q\"", "[\"--deselect\", \"tests/a.py::test_b\"]"),
                &["now excludes tests: `--deselect tests/a.py::test_b`"],
            ),
        ],
    );
    check(
        "pytest.ini",
        &[(
            "folders",
            "[pytest]\n",
            "[pytest]\nnorecursedirs = slow\n",
            &["now excludes tests: `norecursedirs = slow`"],
        )],
    );
    silent(
        "pyproject.toml",
        &[
            (
                "another tool",
                before,
                &before.replace("exclude = []", "exclude = ['x']\nx = '--ignore=E1'"),
            ),
            ("a comment", before, &before.replace("addopts", "# --ignore=a\naddopts")),
            (
                "fewer",
                &before.replace("-q", "--ignore=a --ignore=b"),
                &before.replace("-q", "--ignore=a"),
            ),
        ],
    );
}

#[test]
fn jest_and_vitest() {
    check(
        "jest.config.js",
        &[(
            "a pattern more",
            "module.exports = { testPathIgnorePatterns: ['/node_modules/'] };",
            "module.exports = { testPathIgnorePatterns: ['/node_modules/', 'slow'] };",
            &["now excludes tests: `testPathIgnorePatterns: slow`"],
        )],
    );
    let vitest =
        "export default defineConfig({ test: { exclude: ['a'], coverage: { exclude: ['b'] } } })";
    check(
        "vitest.config.ts",
        &[(
            "tests",
            vitest,
            &vitest.replace("'a'", "'a', 'c'"),
            &["now excludes tests: `exclude: c`"],
        )],
    );
    silent(
        "vitest.config.ts",
        &[
            ("coverage", vitest, &vitest.replace("'b'", "'b', 'c'")),
            ("a comment", vitest, &vitest.replace("exclude: ['a']", "exclude: ['a' /* 'c' */]")),
        ],
    );
}

#[test]
fn commands() {
    let package = "{ \"scripts\": { \"test\": \"jest\", \"lint\": \"eslint || true\" } }";
    for command in ["jest || true", "jest; exit 0", "jest || exit 0", "echo fine", "true"] {
        let after = package.replace("\"jest\"", &format!("\"{command}\""));
        let line = format!("`test` now succeeds even if tests fail: `{command}`");
        check("web/package.json", &[(command, package, &after, &[&line])]);
    }
    silent(
        "package.json",
        &[
            ("another option", package, &package.replace("jest", "jest --coverage && echo ok")),
            ("another script", package, &package.replace("eslint", "eslint .")),
            (
                "jest's own",
                package,
                &package.replace("{ \"scripts\"", "{ \"jest\": { \"bail\": 1 }, \"scripts\""),
            ),
        ],
    );
    check(
        "package.json",
        &[(
            "jest's own",
            "{ \"jest\": {} }",
            "{ \"jest\": { \"testPathIgnorePatterns\": [\"slow\"] } }",
            &["now excludes tests: `testPathIgnorePatterns: slow`"],
        )],
    );
    let make = "all: build\n\ntest: build\n\t@echo testing\n\tcargo test\n\nclean:\n\t-rm -r x\n";
    check(
        "Makefile",
        &[
            (
                "or true",
                make,
                &make.replace("cargo test", "cargo test || true"),
                &["`test` now succeeds even if tests fail: `cargo test || true`"],
            ),
            (
                "a dash",
                make,
                &make.replace("cargo test", "-cargo test"),
                &["`test` now succeeds even if tests fail: `-cargo test`"],
            ),
        ],
    );
    silent(
        "Makefile",
        &[("another target", make, &make.replace("\t-rm", "\trm x || true\n\t-rm"))],
    );
}
