//! Recorded tool output: `outputs/<tool>/<failure>.<run>.txt`. Runs of one failure differ in
//! folder, seed, order, colours, threads and lines above, and must have one hash. Different
//! failures must have different hashes.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may stop at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use failure_signature::{ErrorHash, Missing, examine, normalise};

const TOOLS: [&str; 13] = [
    "cargo", "eslint", "go", "jest", "make", "mocha", "node", "npm", "pytest", "rspec", "tsc",
    "unittest", "vitest",
];

type Runs = BTreeMap<String, Vec<(String, String)>>;

fn outputs(tool: &str) -> Runs {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outputs").join(tool);
    let mut runs = Runs::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let (failure, _) = name.split_once('.').expect("a failure and a run");
        runs.entry(failure.to_owned())
            .or_default()
            .push((name.clone(), fs::read_to_string(entry.path()).unwrap()));
    }
    runs
}

fn output(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outputs").join(name))
        .unwrap()
}

#[test]
fn runs_of_one_failure_have_one_hash() {
    for tool in TOOLS {
        let mut compared = 0;
        for runs in outputs(tool).into_values() {
            for (name, output) in &runs[1..] {
                assert_eq!(
                    normalise(output),
                    normalise(&runs[0].1),
                    "{tool}: {name} and {}",
                    runs[0].0
                );
                assert_eq!(ErrorHash::of(output), ErrorHash::of(&runs[0].1));
                assert_ne!(output, &runs[0].1, "{tool}: {name} has no noise");
                compared += 1;
            }
        }
        assert!(compared >= 2, "{tool}: {compared} runs to compare");
    }
}

#[test]
fn different_failures_have_different_hashes() {
    for tool in TOOLS {
        let failures = outputs(tool);
        let hashes: BTreeSet<_> = failures.values().map(|runs| ErrorHash::of(&runs[0].1)).collect();
        assert!(hashes.len() >= 2);
        assert_eq!(hashes.len(), failures.len(), "{tool}");
    }
}

#[test]
fn newlines_and_separators_of_windows_change_nothing() {
    for tool in TOOLS {
        for (name, output) in outputs(tool).into_values().flatten() {
            let windows =
                output.replace('\n', "\r\n").replace("src/", "src\\").replace("tests/", "tests\\");
            assert_eq!(normalise(&windows), normalise(&output), "{tool}: {name}");
        }
    }
}

#[test]
fn every_run_has_the_same_missing_items() {
    for tool in TOOLS {
        for runs in outputs(tool).into_values() {
            for (name, output) in &runs {
                let kinds = |output: &str| {
                    let missing = examine(output).missing;
                    missing
                        .into_iter()
                        .filter(|one| !matches!(one, Missing::File(_)))
                        .collect::<Vec<_>>()
                };
                assert_eq!(kinds(output), kinds(&runs[0].1), "{tool}: {name}");
            }
        }
    }
}

#[test]
fn the_line_that_matters() {
    let expected = [
        (
            "cargo/off-by-one.shifted-and-coloured.txt",
            "cart::tests::adds_up: assertion `left == right` failed, left: 3, right: 2",
        ),
        (
            "cargo/two-tests.shuffled.txt",
            "cart::tests::knows_the_first: index out of bounds: the len is 1 but the index is 3",
        ),
        (
            "cargo/unknown-name.shifted-and-coloured.txt",
            "error[E0425]: cannot find value `tax` in this scope",
        ),
        ("pytest/off-by-one.coloured-seed-2.txt", "test_total: assert 3 == 2"),
        (
            "pytest/no-module.elsewhere.txt",
            "ERROR collecting tests/test_cart.py: ModuleNotFoundError: No module named 'prices'",
        ),
        (
            "pytest/no-name-in-short.plain.txt",
            "FAILED tests/test_cart.py::test_total - NameError: name 'tax' is not defined",
        ),
        (
            "jest/wrong-status.coloured-and-seeded.txt",
            "auth › rejects an expired token: Expected: 401, Received: 200",
        ),
        (
            "jest/no-module.plain.txt",
            "Test suite failed to run: Cannot find module './tokens' from 'src/auth.js'",
        ),
        (
            "vitest/wrong-status.plain.txt",
            "src/auth.test.js > auth > rejects an expired token: AssertionError: expected 200 to be 401 // Object.is equality",
        ),
        ("go/off-by-one.elsewhere-verbose.txt", "TestTotal: cart_test.go:7: Total = 3, want 2"),
        (
            "go/panic.plain.txt",
            "TestFirst: panic: runtime error: index out of range [1] with length 1 [recovered]",
        ),
        ("node/wrong-status.plain.txt", "rejects an expired token: '200 == 401'"),
        (
            "unittest/wrong-status.elsewhere.txt",
            "test_total (test_cart.Cart.test_total): AssertionError: 200 != 401",
        ),
        ("go/undefined.plain.txt", "./cart.go:4:9: undefined: tax"),
        (
            "tsc/wrong-type.plain.txt",
            "src/cart.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.",
        ),
        (
            "tsc/unknown-name.pretty-elsewhere.txt",
            "src/cart.ts:13:26 - error TS2304: Cannot find name 'tax'.",
        ),
        (
            "eslint/unused.elsewhere-and-coloured.txt",
            "src/cart.js: 'tax' is assigned a value but never used no-unused-vars",
        ),
    ];
    for (name, error) in expected {
        assert_eq!(examine(&output(name)).error, error, "{name}");
    }
}

#[test]
fn the_line_that_matters_outside_of_tests() {
    let expected = [
        ("cargo/panic-in-main.plain.txt", "panicked at src/main.rs:3:5: boom"),
        ("cargo/panic-in-main.elsewhere.txt", "panicked at src/main.rs:4:5: boom"),
        (
            "cargo/assertion-in-main.plain.txt",
            "panicked at src/main.rs:3:5: assertion `left == right` failed: sums, left: 2, right: 3",
        ),
        ("cargo/error-of-main.plain.txt", "Error: ParseIntError { kind: InvalidDigit }"),
        (
            "node/uncaught.plain.txt",
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 200 !== 401",
        ),
        ("node/thrown-text.plain.txt", "boom"),
        (
            "make/uncaught.plain.txt",
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 200 !== 401",
        ),
        ("make/nested.plain.txt", "prices.csv: tax is 0.2, should be 0.19"),
        ("make/no-rule.plain.txt", "make: *** No rule to make target 'nothing'. Stop."),
        ("npm/plain-words.plain.txt", "prices.csv has 19 where 20 was agreed"),
        ("npm/no-script.plain.txt", "npm error Missing script: \"test\""),
        (
            "mocha/no-module.plain.txt",
            "Exception during run: Error: Cannot find module './nothing'",
        ),
        ("rspec/no-file.plain.txt", "LoadError: cannot load such file -- nothing"),
    ];
    for (name, error) in expected {
        assert_eq!(examine(&output(name)).error, error, "{name}");
    }
}

#[test]
fn the_line_that_matters_of_tests_in_a_tree() {
    let mocha = "auth › of yesterday › rejects an expired token: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 200 !== 401";
    let node = "rejects an expired token: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 200 !== 401";
    let rspec = "auth of yesterday rejects an expired token: expected: 401, got: 200";
    let expected = [
        ("mocha/wrong-status.plain.txt", mocha),
        ("mocha/wrong-status.elsewhere-and-coloured.txt", mocha),
        ("mocha/wrong-status-in-dots.plain.txt", mocha),
        ("mocha/two-tests.other-order.txt", "cart › is empty at first: Error: cart is not empty"),
        ("npm/workspace.plain.txt", mocha),
        ("npm/old-npm.plain.txt", mocha),
        ("npm/yarn.plain.txt", mocha),
        ("npm/pnpm.plain.txt", mocha),
        ("node/suite-in-spec.plain.txt", node),
        ("node/suite-in-new-spec.plain.txt", node),
        (
            "node/suite.plain.txt",
            "rejects an expired token: Expected values to be strictly equal: 200 !== 401",
        ),
        ("rspec/wrong-status.plain.txt", rspec),
        ("rspec/wrong-status-in-words.seed-1.txt", rspec),
        ("rspec/two-tests.seed-1.txt", "cart is empty at first: ArgumentError: cart is not empty"),
    ];
    for (name, error) in expected {
        assert_eq!(examine(&output(name)).error, error, "{name}");
    }
}

#[test]
fn what_is_missing() {
    let module = |name: &str| vec![Missing::Module(name.into())];
    let name = |name: &str| vec![Missing::Name(name.into())];
    let expected = [
        ("cargo/unknown-name.plain.txt", name("tax")),
        ("cargo/unknown-module.plain.txt", module("crate::prices")),
        ("cargo/no-file-for-module.plain.txt", module("till")),
        ("cargo/off-by-one.plain.txt", vec![]),
        ("pytest/no-module.plain.txt", module("prices")),
        ("pytest/cannot-import.plain.txt", name("prices")),
        ("pytest/no-name.plain.txt", name("tax")),
        ("pytest/no-attribute.first.txt", vec![]),
        ("jest/no-module.elsewhere.txt", module("./tokens")),
        ("jest/not-defined.plain.txt", name("REFUSED")),
        ("jest/no-file.plain.txt", vec![Missing::File("tokens/refused.txt".into())]),
        ("vitest/no-module.plain.txt", module("./tokens")),
        ("go/undefined.plain.txt", name("tax")),
        ("go/no-package.plain.txt", module("shop/prices")),
        ("go/no-required-module.plain.txt", module("example.com/prices")),
        ("tsc/unknown-name.pretty-elsewhere.txt", name("tax")),
        ("tsc/misspelt-name.plain.txt", name("price")),
        ("tsc/no-module.plain.txt", module("./taxes.js")),
        ("tsc/no-export.plain.txt", name("tax")),
        ("rspec/no-file.plain.txt", module("nothing")),
        ("rspec/two-tests.seed-1.txt", name("tax")),
        ("eslint/undefined.plain.txt", name("tax")),
        ("eslint/unused.plain.txt", vec![]),
    ];
    for (file, missing) in expected {
        assert_eq!(examine(&output(file)).missing, missing, "{file}");
    }
    let settings = examine(&output("pytest/no-settings.first.txt")).missing;
    assert!(
        matches!(&settings[..], [Missing::File(path)] if path.ends_with("settings.json")),
        "{settings:?}"
    );
}

#[test]
fn which_files_are_named() {
    let expected: [(&str, &[&str]); 5] = [
        ("cargo/mismatched-types.plain.txt", &["src/cart.rs"]),
        ("pytest/no-module.plain.txt", &["tests/test_cart.py", "cart.py"]),
        ("jest/no-module.plain.txt", &["src/auth.test.js", "src/auth.js"]),
        ("eslint/two-files.plain.txt", &["src/cart.js", "src/till.js"]),
        ("go/panic.plain.txt", &["go/cart.go", "go/cart_test.go"]),
    ];
    for (file, files) in expected {
        assert_eq!(examine(&output(file)).files, files, "{file}");
    }
}
