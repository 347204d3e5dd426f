//! Each rule of the hash: what is ignored and what is not.

use failure_signature::{examine, normalise};

#[track_caller]
fn same(one: &str, other: &str) {
    assert_eq!(normalise(one), normalise(other));
    assert!(!normalise(one).is_empty(), "nothing is left of {one}");
}

#[track_caller]
fn different(one: &str, other: &str) {
    assert_ne!(normalise(one), normalise(other));
}

#[test]
fn times_and_dates() {
    same("it is 2026-01-21T10:30:00.123Z now", "it is 2026-11-03 09:00:01+02:00 now");
    same("at 10:30:00 it broke", "at 9:31:05.5 it broke");
    same("now Wed Jan 21 10:30:00 UTC 2026", "now Thu Feb 2 11:00:59 CET 2027");
    same("in 2026-01-21T10_30_00_123Z-debug-0.log", "in 2026-11-03T09_00_01_5Z-debug-0.log");
    same("failed at 1794957834", "failed at 1794957840");
    same("failed at 1794957834506", "failed at 1794957840123");
    same("failed at 1794957834506173", "failed at 1794957840123456");
    same("failed at 1794957834506173123", "failed at 1794957840123456789");
    same("failed at 1794957834.506", "failed at 1794957840.1");
    same("wrote /tmp/run-1794957834506.log", "wrote /tmp/run-1794957840123.log");
    different("expected 4294967295", "expected 4294967294");
    different("expected 1000000007", "expected 1000000009");
    different("expected 15000000001", "expected 15000000002");
    different("Decoded 12 of 20", "Decoded 13 of 20");
    different("May 5 items", "May 6 items");
    same("on Wed, 21 Jan 2026 it broke", "on Thu, 22 Jan 2026 it broke");
}

#[test]
fn durations() {
    same("gave up after 3.2s", "gave up after 417ms");
    same("gave up after 1m30s", "gave up after 2h 3m 4.5s");
    same("✕ adds (12 ms)", "✕ adds");
}

#[test]
fn addresses_and_ids_of_objects() {
    same("<Cart object at 0x7f1a2b3c4d50>", "<Cart object at 0x7fffdeadbeef>");
    same("cart id=140212345678", "cart id=140298765432");
    same("a_test.go:9 +0x24e", "a_test.go:9 +0x1b");
    different("flags are 0x1f", "flags are 0x2f");
}

#[test]
fn temporary_paths() {
    let paths = [
        "/tmp/.tmpAb12Cd/a.json",
        "/var/folders/xy/abc123/T/tmp1/a.json",
        "/private/tmp/x/a.json",
        r"C:\Users\Jane Doe\AppData\Local\Temp\x7\a.json",
        "/tmp/pytest-of-dev/pytest-12/test_a0/a.json",
    ];
    for path in paths {
        same(&format!("no {path} here"), "no /tmp/other/a.json here");
    }
    different("no /tmp/x/a.json", "no /tmp/x/b.json");
}

#[test]
fn the_project_folder() {
    same("at /srv/shop/src/cart.rs", "at /home/dev/work/shop/src/cart.rs");
    same("at /srv/shop/src/cart.rs", r"at C:\work\shop\src\cart.rs");
    same("at ./cart.go: no", "at cart.go: no");
    same("at file:///srv/shop/src/a.js", "at /srv/shop/src/a.js");
    different("at /srv/shop/packages/a/src/index.ts", "at /srv/shop/packages/b/src/index.ts");
    different("GET /api/v1/users", "GET /api/v2/users");
}

#[test]
fn lines_and_columns() {
    same("src/lib.rs:12:5: no", "src/lib.rs:340:17: no");
    same("src/a.ts(1,7): error TS2322: no", "src/a.ts(12,70): error TS2322: no");
    same("src/a.ts(1,7): error TS2322: no", "src/a.ts:12:70 - error TS2322: no");
    same("x_test.go:12: no", "x_test.go:7: no");
    same("  File \"a.py\", line 12, in f", "  File \"a.py\", line 7, in f");
    same("/srv/a/src/a.js\n  9:5  error  no", "/srv/a/src/a.js\n  12:55   error  no");
    different("expected 12:5", "expected 12:6");
}

#[test]
fn excerpts() {
    let rustc = |line: u32, code: &str| {
        format!(
            "error[E0308]: no\n  --> a.rs:{line}:1\n   |\n{line} | {code}\n   |     ^ expected `i32`\n"
        )
    };
    same(&rustc(7, "f(x)"), &rustc(123, "f(x)"));
    different(&rustc(7, "f(x)"), &rustc(7, "f(y)"));
    let jest =
        |above: &str| format!("  ● adds\n\n      8 | {above}\n    > 9 | expect(1)\n        | ^\n");
    same(&jest("a();"), &jest("// b"));
}

#[test]
fn colours_and_progress() {
    same("\x1b[31mboom\x1b[0m", "boom");
    same(" 10%|██   |\r 50%|█████|\rboom", "boom");
    same("boom 10%|██   |", "boom 90%|█████████ |");
    same("boom\r\n", "boom\n");
    same("----- Captured stdout call -----", "--------- Captured stdout call ---------");
}

#[test]
fn seeds() {
    same("Using seed: 12345 it broke", "Using seed: -99 it broke");
    same("replay with --seed=12", "replay with --seed=99");
    same(
        "cc 1f2e3d4c5b6a79881f2e3d4c5b6a7988 # shrinks to x = 0",
        "cc aaaabbbbccccdddd0000111122223333 # shrinks to x = 0",
    );
    different("shrinks to x = 0", "shrinks to x = 1");
}

#[test]
fn processes_threads_and_ports() {
    same("process 123 died", "process 4567 died");
    same("[pid 12] died", "[pid 99] died");
    same("thread 'main' (12) panicked at a.rs:1:2:", "thread 'main' (999) panicked at a.rs:3:4:");
    same("thread 'main' (12) panicked at a.rs:1:2:", "thread 'main' panicked at a.rs:3:4:");
    same("[gw0] node down: no", "[gw1] node down: no");
    same("goroutine 7 [running]:", "goroutine 19 [running]:");
    same("(node:123) Warning: no", "(node:77) Warning: no");
    same("no answer from 127.0.0.1:40123", "no answer from 127.0.0.1:51234");
    same("port 40123 is taken", "port 51234 is taken");
    for host in ["[::1]", "::1", "::", "localhost", "at http://[::1]"] {
        same(&format!("no {host}:40123"), &format!("no {host}:51234"));
    }
    same("listening on :40123, then no", "listening on :51234, then no");
    different("std::1:2 no", "std::1:3 no");
}

#[test]
fn fields_of_logs() {
    let pino = |time: u64, pid: u32, message: &str| {
        format!(r#"{{"level":50,"time":{time},"pid":{pid},"msg":"{message}"}}"#)
    };
    same(&pino(1_731_672_001_123, 4321, "no"), &pino(1_731_679_999_999, 77, "no"));
    different(&pino(1_731_672_001_123, 4321, "no"), &pino(1_731_672_001_123, 4321, "none"));
    let go = |second: u32, test: &str, elapsed: &str| {
        format!(
            r#"{{"Time":"2026-11-15T12:00:0{second}.123Z","Action":"fail","Test":"{test}","Elapsed":{elapsed}}}"#
        )
    };
    same(&go(1, "A", "0.01"), &go(2, "A", "12"));
    different(&go(1, "A", "0.01"), &go(1, "B", "0.01"));
    let passed = go(3, "C", "0").replace("fail", "pass");
    same(&format!("{passed}\n{}", go(1, "A", "0.01")), &go(1, "A", "0.01"));
    different(r#"{"time":12}"#, r#"{"time":13}"#);
    different(r#"{"status":401}"#, r#"{"status":500}"#);
}

#[test]
fn uuids_and_hashes() {
    same("user 6f9619ff-8b86-d011-b42d-00c04fc964ff", "user 00000000-8b86-d011-b42d-00c04fc964f0");
    same("target/debug/deps/shop-0123456789abcdef", "target/debug/deps/shop-fedcba9876543210");
    different("expected 100000000000001", "expected 100000000000002");
    different("error E0425", "error E0412");
    same("at commit abc1234 it broke", "at commit 9f8e7d6c5b it broke");
    same("HEAD is now at 3f4e8a7 wip", "HEAD is now at 91ab3c2 wip");
    different("colour abc1234", "colour abc1235");
}

#[test]
fn passed_tests() {
    let passes = [
        "test a ... ok",
        "test b ... ignored",
        "tests/test_a.py ..F.   [100%]",
        "t.py::test_a PASSED [ 20%]",
        "  ✓ adds (2 ms)",
        "✔ adds",
        "--- PASS: TestA (0.00s)",
        "=== RUN   TestA",
        "ok  \tshop\t0.1s",
        "PASS a.test.js",
        "        PASS [   0.005s] shop cart::adds",
        "  3 passing (12ms)",
        "ℹ duration_ms 45.3",
        "4 passed in 0.1s",
        "running 3 tests",
        "PASSED tests/a.py::test_a",
        "[gw0] [ 20%] FAILED tests/a.py::test_a",
        "test_a (a.T.test_a) ... ok",
        "  ..!,.",
        ".F*.",
        "1/2 Test #1: cart ....   Passed    0.00 sec",
        "(pass) adds [0.52ms]",
        " 3 pass",
    ];
    for line in passes {
        same(&format!("boom\n{line}\n"), "boom");
    }
    same("=== RUN   TestA\n    a_test.go:3: a word\n--- PASS: TestA (0.00s)\nboom", "boom");
}

#[test]
fn progress_messages() {
    let talk = [
        "   Compiling shop v0.1.0 (/srv/shop)",
        "    Finished `test` profile in 3s",
        "     Running unittests src/lib.rs",
        "npm notice New version",
        "rootdir: /srv/shop",
        "Time:        0.5 s",
        "Ran all test suites.",
        "error: could not compile `shop` (lib) due to 2 previous errors",
        "===========",
        "Found 3 errors.",
        "TAP version 13",
        "1..7",
        "?   \tshop/till\t[no test files]",
        "failures:",
        "Some errors have detailed explanations: E0425, E0432.",
        "===== test session starts =====",
        "Ran 7 tests in 0.1s",
        " RUN  v4.1.12 /srv/shop",
        "      Running tests with seed \"2\"",
        "   Start at  10:44:20",
        "\tsuccesses: 12",
        "⎯⎯⎯⎯[1/2]⎯",
        "> shop@1.0.0 test",
        "yarn run v1.22.22",
        "info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.",
        "Node.js v20.20.2",
        "(Use `node --trace-uncaught ...` to show where the exception was thrown)",
        "make[1]: Entering directory '/srv/shop'",
        "make: Leaving directory '/srv/shop'",
        "Finished in 0.01 seconds (files took 0.09 seconds to load)",
        "Failed examples:",
        "Randomized with seed 42642",
        "      + expected - actual",
        "5 actionable tasks: 2 executed, 3 up-to-date",
        "> Task :compileJava",
        "> Task :compileJava UP-TO-DATE",
        "[INFO] Total time:  01:02 min",
        "Total Test time (real) =   0.02 sec",
        "    Start 1: cart",
        "Ran 2 tests across 1 files. [12.00ms]",
    ];
    for line in talk {
        same(&format!("boom\n{line}\n"), "boom");
    }
}

#[test]
fn only_failure_counts_matter() {
    same(
        "test result: FAILED. 1 passed; 2 failed; 0 ignored; finished in 1s",
        "test result: FAILED. 7 passed; 2 failed; 1 ignored; finished in 2s",
    );
    same("Tests:       1 failed, 3 passed, 4 total", "Tests:       1 failed, 9 passed, 10 total");
    same("===== 1 failed, 4 passed in 0.1s =====", "1 failed, 9 passed, 3 deselected in 2s");
    different("===== 1 failed, 4 passed in 0.1s =====", "===== 2 failed, 3 passed in 0.1s =====");
    same(
        "Summary [ 0.1s] 4 tests run: 3 passed, 1 failed",
        "Summary [ 9s] 8 tests run: 7 passed, 1 failed",
    );
    same("2 examples, 1 failure", "7 examples, 1 failure");
    different("2 examples, 1 failure", "2 examples, 2 failures");
    same("3 tests completed, 1 failed", "4 tests completed, 1 failed");
    let dotnet = |failed: u32, passed: u32| {
        format!("Failed!  - Failed:     {failed}, Passed:     {passed}, Total: 9, Duration: 2 ms")
    };
    same(&dotnet(1, 2), &dotnet(1, 3));
    different(&dotnet(1, 2), &dotnet(2, 2));
    let maven = |run: u32, failures: u32| {
        format!("[ERROR] Tests run: {run}, Failures: {failures}, Errors: 0, Skipped: 0")
    };
    same(&maven(3, 1), &maven(4, 1));
    different(&maven(3, 1), &maven(3, 2));
    same("Tests: 2, Assertions: 2, Failures: 1.", "Tests: 3, Assertions: 5, Failures: 1.");
    same("1 fail\nboom", " 7 pass\n 1 fail\nboom");
    different(" 1 fail\nboom", " 2 fail\nboom");
    let rustc = |rest: &str| format!("boom\nerror: aborting due to 1 previous error{rest}\n");
    same(&rustc("; 2 warnings emitted"), &rustc("; 1 warning emitted"));
    different("3 failed logins for Ann", "3 failed logins for Bob");
    different("✖ 1 problem (1 error, 0 warnings)", "✖ 2 problems (2 errors, 0 warnings)");
}

#[test]
fn the_order_of_tests() {
    same("  1) adds:\n  2) subtracts:", "  1) subtracts:\n  2) adds:");
    let (a, b) = ("---- a stdout ----\nleft: 1\n\n", "---- b stdout ----\nleft: 2\n\n");
    same(&format!("{a}{b}failures:\n"), &format!("{b}{a}failures:\n"));
    let swapped = "---- a stdout ----\nleft: 2\n\n---- b stdout ----\nleft: 1\n\nfailures:\n";
    different(&format!("{a}{b}failures:\n"), swapped);
}

#[test]
fn summaries_are_not_part_of_the_last_report() {
    let reports = [
        (
            "---- a stdout ----\nleft: 1\n",
            "---- b stdout ----\nleft: 2\n",
            "test result: FAILED. 0 passed; 2 failed; finished in 0.01s",
        ),
        ("___ test_a ___\nE  1\n", "___ test_b ___\nE  2\n", "===== 2 failed in 1s ====="),
        ("  ● a\n\n    1\n", "  ● b\n\n    2\n", "Test Suites: 1 failed, 1 total"),
        (" FAIL  a.js > a\n1\n", " FAIL  a.js > b\n2\n", "⎯⎯⎯⎯[2/2]⎯\n Test Files  1 failed (1)"),
        ("FAIL: a (T)\n1\n", "FAIL: b (T)\n2\n", "Ran 2 tests in 1s\nFAILED (failures=2)"),
        ("not ok 1 - a\n  1\n", "not ok 2 - b\n  2\n", "1..2\n# fail 2"),
        ("  ● a\n\n    1\n", "  ● b\n\n    2\n", "npm error code 1"),
        ("  ✖ a\n    1\n\n    1\n", "  ✖ b\n    2\n\n    2\n", "  it took long"),
    ];
    for (a, b, end) in reports {
        same(&format!("{a}{b}{end}"), &format!("{b}{a}{end}"));
    }
}

#[test]
fn a_list_of_names_is_a_heading_where_no_report_follows() {
    let listed = |received: u32| {
        format!(
            "FAIL src/auth.test.js\n  ✕ rejects an expired token\n    Expected: 401, Received: {received}\n"
        )
    };
    different(&listed(200), &listed(500));
    assert_eq!(
        examine(&listed(200)).error,
        "rejects an expired token: Expected: 401, Received: 200"
    );
    different("FAIL login\n  expected 1", "FAIL login\n  expected 2");
}

#[test]
fn numbers_before_a_report_are_ignored() {
    let mocha = |a: &str, b: &str| {
        let report = |name: &str| format!(") cart\n       {name}:\n     Error: no {name}\n\n");
        format!("    1) {a}\n    2) {b}\n\n  2 failing\n\n  1{}  2{}", report(a), report(b))
    };
    same(&mocha("adds", "sums"), &mocha("sums", "adds"));
    assert_eq!(examine(&mocha("adds", "sums")).error, "cart › adds: Error: no adds");
    let rspec = |tree: &str| format!("{tree}\n\nFailures:\n\n  1) a\n     no\n");
    same(&rspec("a (FAILED - 1)"), &rspec("a (FAILED - 2)"));
    let twice = format!("{}Finished in 1 second\n  1) a\n", rspec(""));
    same(&twice, &rspec(""));
    different("  1) a\n  1", "  1) b\n  1");
}

#[test]
fn coverage_moves_with_every_edit() {
    for (one, other) in [
        (" cart.js | 85.7 | 100 | 75 | 85.7 | 12", " cart.js | 90 | 100 | 75 | 85.7 |"),
        ("cart.py    10   2   80%", "cart.py    12   2   83%"),
        ("coverage: 85.7% of statements", "coverage: 90.0% of statements"),
    ] {
        same(&format!("boom\n{one}"), &format!("boom\n{other}"));
    }
    different("coverage of lines is 80%, not 90%", "coverage of lines is 85%, not 90%");
}

#[test]
fn different_failures() {
    different("  left: 1\n right: 2", "  left: 1\n right: 3");
    different("Expected: 401\nReceived: 200", "Expected: 401\nReceived: 500");
    different("error TS2304: Cannot find name 'a'", "error TS2307: Cannot find name 'a'");
    different("test adds_1 ... FAILED", "test adds_2 ... FAILED");
    different("no file report_2.csv", "no file report_3.csv");
    different("warning: unused `a`", "warning: unused `b`");
    different("a.ts(1,1): error TS1: no", "a.ts(1,1): error TS1: no\na.ts(2,1): error TS1: no");
}
