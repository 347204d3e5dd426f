//! The summary of a failure: its headline, what is missing, which files.

use failure_signature::{Missing, Symptom, examine};

#[test]
fn empty_output() {
    let symptom = examine("");
    assert_eq!(symptom.error, "the command printed nothing");
    assert_eq!((symptom.missing, symptom.files), (vec![], vec![]));
    assert_eq!(examine("test a ... ok\n").error, "the command printed nothing about a failure");
}

#[test]
fn the_last_line_is_the_fallback() {
    assert_eq!(examine("starting\n  it  broke\n\n   Compiling x v1\n").error, "it broke");
    assert_eq!(examine("a\x1b]0;t\x07\u{202e}b").error, "a\u{fffd}b");
    assert_eq!(examine(&"x".repeat(5000)).error.chars().count(), 200);
    assert_eq!(
        examine("Traceback:\n  File \"a.py\", line 1\nValueError: no\nbye").error,
        "ValueError: no"
    );
}

#[test]
fn an_error_line_beats_the_last_line() {
    for line in [
        "deploy: error: no route",
        "[ERROR] no route",
        "FAIL: no route",
        "the route could not be found",
        "x.rb:1:in `<main>': no route (ArgumentError)",
        "AssertionError",
        "thread 'main' panicked at 'no route', src/main.rs:2:5",
    ] {
        let said = line.trim_start_matches("thread 'main' ");
        assert_eq!(examine(&format!("starting\n{line}\nbye")).error, said);
    }
}

#[test]
fn the_surest_sign_beats_the_first_line() {
    let signs = ["no file found, expected one", "FAIL: no", "KeyError: 'a'", "a.c:3:4: no"];
    for (at, sign) in signs.iter().enumerate() {
        let text = format!("{}\nbye", signs[..=at].join("\n\n"));
        assert_eq!(examine(&text).error, *sign);
    }
    assert_eq!(examine("expected a till\nAssertionError\nbye").error, "AssertionError");
    assert_eq!(examine("expected a till\ndeploy: error: no\nbye").error, "deploy: error: no");
}

#[test]
fn harmless_lines() {
    for line in [
        "so far 0 errors in all",
        "checking errors ... ok",
        "> run --expected",
        "$ check missing",
        "warn: expected more",
        "    at error (a.js:1:2)",
    ] {
        assert_eq!(examine(&format!("{line}\nbye")).error, "bye", "{line}");
    }
}

#[test]
fn a_message_continues_after_a_colon() {
    assert_eq!(examine("KeyError:\n  no 'a'\nbye").error, "KeyError: no 'a'");
    assert_eq!(examine("not these:\n\n1 !== 2\nError: no:\n{").error, "Error: no:");
    assert_eq!(
        examine("not ok 1 - a\n  error: |-\n    no:\n    1 !== 2\n").error,
        "a: no: 1 !== 2"
    );
}

#[test]
fn wrapper_messages_come_last() {
    for trailer in [
        "error: test failed, to rerun pass `--lib`",
        "error: process didn't exit successfully: `x` (exit status: 1)",
        "npm error Lifecycle script `test` failed with error:",
        "npm ERR! code ELIFECYCLE",
        "error Command failed with exit code 1.",
        " ELIFECYCLE  Test failed. See above for more details.",
        " ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  shop@1.0.0 test: `mocha`",
        "make: *** [Makefile:3: test] Error 1",
        "gmake[2]: *** [Makefile:3: test] Error 1",
        "exit status 1",
    ] {
        assert_eq!(examine(&format!("it broke\n{trailer}")).error, "it broke", "{trailer}");
        assert_eq!(
            examine(trailer).error,
            trailer.split_whitespace().collect::<Vec<_>>().join(" ")
        );
        let warned = format!("warning: unused `a`\n --> a.rs:1:2\n\n{trailer}");
        assert_eq!(examine(&warned).error, "warning: unused `a`");
    }
    let rule = "make: *** No rule to make target 'a'. Stop.";
    assert_eq!(
        examine(&format!("starting\n{rule}\nmake: *** [Makefile:3: test] Error 2")).error,
        rule
    );
    let code = "npm error code 1\nnpm error Missing script: \"a\"\nnpm error path /srv/shop";
    assert_eq!(examine(code).error, "npm error Missing script: \"a\"");
}

#[test]
fn a_warning_is_not_the_cause() {
    let warning = "warning: unused `a`\n --> a.rs:1:2\n  = note: expected to be used\n\n";
    assert_eq!(examine(&format!("{warning}it broke")).error, "it broke");
}

#[test]
fn a_suite_fails_because_of_its_tests() {
    let inner = "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n        a_test.go:3: no\n";
    assert_eq!(examine(inner).error, "TestA/b: a_test.go:3: no");
    assert_eq!(examine("--- FAIL: TestA (0.00s)\n").error, "TestA failed");
    assert_eq!(examine("✖ adds (1.5ms)\n✖ cart (2ms)\n").error, "adds failed");
}

#[test]
fn compared_values_are_joined() {
    for (one, other) in
        [("Expected: 1", "Received: 2"), ("expected: 1", "got: 2"), ("Expected: 1", "Actual: 2")]
    {
        let text = format!("--- FAIL: TestA\n  not equal\n  {one}\n  {other}\n");
        assert_eq!(examine(&text).error, format!("TestA: {one}, {other}"));
    }
    let source = "Failures:\n\n  1) a\n     Failure/Error: expect([]).to be_nil\n       expected: nil, was []\n";
    assert_eq!(examine(source).error, "a: expected: nil, was []");
}

#[test]
fn headings_of_tools_without_recordings() {
    let gradle = "> Task :test FAILED\n\nCartTest > total() FAILED\n    org.opentest4j.AssertionFailedError at CartTest.java:10\n\n3 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 3s\n4 actionable tasks: 4 executed\n";
    assert_eq!(
        examine(gradle).error,
        "CartTest > total(): org.opentest4j.AssertionFailedError at CartTest.java:10"
    );
    let ctest = |said: &str| {
        format!(
            "    Start 1: a\n1/2 Test #1: a ....   Passed    0.00 sec\n    Start 2: b\n2/2 Test #2: b ....***Failed    0.01 sec\n{said}\n50% tests passed, 1 tests failed out of 2\n\nTotal Test time (real) =   0.02 sec\n"
        )
    };
    assert_eq!(examine(&ctest("")).error, "b failed");
    assert_eq!(examine(&ctest("expected 1")).error, "b: expected 1");
    let bun = "(pass) adds [0.1ms]\n(fail) total [0.52ms]\n\n 1 pass\n 1 fail\nRan 2 tests across 1 files. [12.00ms]\n";
    assert_eq!(examine(bun).error, "total failed");
    assert_eq!(
        examine(&format!("error: expect(3).toBe(4)\n\n{bun}")).error,
        "error: expect(3).toBe(4)"
    );
    let dotnet = "  Failed Cart.Tests.Total [5 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 4\nActual:   3\n\nFailed!  - Failed:     1, Passed:     2\n";
    assert_eq!(examine(dotnet).error, "Cart.Tests.Total: Expected: 4, Actual: 3");
}

#[test]
fn compilers_and_linters_point() {
    for line in [
        "a.ts:3:4 - error TS1: no",
        "a.py:3: error: no",
        "a.c:3:4: error: no",
        "F401 [*] `os` imported but unused",
    ] {
        assert_eq!(examine(&format!("starting\n{line}\nbye")).error, line);
    }
}

#[test]
fn a_missing_command_is_not_reported_as_missing() {
    assert_eq!(examine("sh: 1: jest: command not found").missing, []);
    assert_eq!(examine("sh: 1: jest: not found").missing, []);
    let file = vec![Missing::File("data/a.csv".into())];
    assert_eq!(examine("cat: data/a.csv: No such file or directory").missing, file);
    assert_eq!(examine("open data/a.csv: no such file or directory").missing, file);
}

#[test]
fn other_missing_messages() {
    let module = |name: &str| Missing::Module(name.into());
    let said = [
        (
            "error[E0433]: failed to resolve: use of unresolved module or unlinked crate `till`",
            module("till"),
        ),
        ("error[E0433]: cannot find module or crate `till` in this scope", module("till")),
        (
            "error[E0433]: failed to resolve: use of undeclared type `Till`",
            Missing::Name("Till".into()),
        ),
        ("error[E0412]: cannot find type `Till` in this scope", Missing::Name("Till".into())),
        (
            "error: couldn't read `src/a.txt`: No such file or directory (os error 2)",
            Missing::File("src/a.txt".into()),
        ),
        (
            "Error: Failed to resolve import \"./till\" from \"src/a.ts\". Does the file exist?",
            module("./till"),
        ),
        ("AttributeError: module 'cart' has no attribute 'till'", Missing::Name("till".into())),
        ("a.go:3:2: package till is not in std (/usr/lib/go/src/till)", module("till")),
    ];
    for (line, missing) in said {
        assert_eq!(examine(line).missing, [missing], "{line}");
    }
}

#[test]
fn third_party_files_are_not_listed() {
    let text = "at f (node_modules/jest/a.js:1:2)\n/usr/lib/python3/os.py:1\n/root/.cargo/registry/src/x/lib.rs\n.venv/lib/site-packages/a.py\nhttps://example.com/a.js\nsrc\\a.rs and src/a.rs";
    assert_eq!(examine(text).files, ["src/a.rs"]);
    let many: String = (0..50).map(|n| format!("src/a{n}.rs\n")).collect();
    assert_eq!(examine(&many).files.len(), 20);
}

#[test]
fn file_names_may_have_non_ascii_letters() {
    let text = "│src/größe.rs:3 failed\n→src/日本語.py:1\n✗src/plain.rs";
    assert_eq!(examine(text).files, ["src/größe.rs", "src/日本語.py", "src/plain.rs"]);
}

#[test]
fn a_symptom_survives_json() -> serde_json::Result<()> {
    let symptom = examine("src/a.rs:1:2: boom\nCannot find module './b'");
    let json = serde_json::to_value(&symptom)?;
    assert_eq!(json["missing"], serde_json::json!([{ "kind": "module", "name": "./b" }]));
    assert_eq!(serde_json::from_value::<Symptom>(json)?, symptom);
    Ok(())
}
