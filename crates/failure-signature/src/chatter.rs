//! Removes lines that do not describe a failure: passed tests, build progress, durations. Keeps
//! only the number of failures of result counts.
//!
//! Warnings are kept: a check that fails because of warnings prints nothing else.

use crate::pattern::Pattern;

static CHATTER: Pattern = Pattern::new(&[
    // cargo, unittest
    r"^test .+ \.\.\. (?:ok|ignored|bench:)",
    r"^\w+ \(.+\) \.\.\. (?:ok|skipped)",
    // pytest, rspec, mocha: a row of dots and letters, or one test per line; failures have a report
    // below
    r"^(?:\S+\.py )?[.FEsxXR]+\s+\[\s*\d+%\]$",
    r"^(?:\S+\.py |\s*[FEsxXR!,*]*\.)[.FEsxXR!,*]*$",
    r"^\S+::.+ [A-Z]+\s+\[\s*\d+%\]$",
    r"^(?:PASSED|SKIPPED|XFAIL) ",
    r"^\[gw\d+\] \[\s*\d+%\] ",
    // jest, vitest, mocha, node
    r"^\s*[✓✔√○↓] ",
    r"^\s*❯ \S+ \(\d+ tests?\b",
    r"^\s*PASS(?:\s|$)",
    r"^\s*\d+ passing\b",
    r"^\s*[#ℹ] (?:tests|suites|pass|cancelled|skipped|todo|duration_ms) [\d.]+$",
    r"^\s*duration_ms: [\d.]+$",
    // go, TAP
    r"^\s*ok\s",
    r"^TAP version|^\s*# Subtest: |^\s*\d+\.\.\d+$",
    r"^\?\s+\S+\s+\[no test files\]",
    r#"^\{(?:"Time":"[^"]*",)?"Action":"(?:start|run|pause|cont|pass|skip)""#,
    // ctest, bun
    r"^\s*\d+/\d+ Test\s+#\d+: .*\bPassed\b",
    r"^\((?:pass|skip|todo)\) ",
    // cargo, rustc; verbs are right-aligned
    r"^\s+(?:Compiling|Checking|Finished|Running|Downloading|Downloaded|Updating|Locking|Adding|Blocking|Doc-tests|Fresh|Building|Dirty|Packaging|Installing) ",
    r"^running \d+ tests?\b",
    r"^failures:$",
    r"^note: (?:run with `RUST_BACKTRACE|Some details are omitted)",
    r"^(?:For more information about (?:this|an) error|Some errors have detailed explanations)",
    r"^(?:error: could not compile `|warning: build failed, waiting|warning: `[^`]+` \(.+\) generated \d+ warnings?)",
    // pytest
    r"^={3,} (?:test session starts|FAILURES|ERRORS|short test summary info) ={3,}$",
    r"^(?:platform \S+ -- Python|cachedir: |rootdir: |configfile: |plugins: |asyncio: |Using --randomly-seed=)",
    r"^(?:collecting \.\.\. *)?collected \d+ items?",
    r"^(?:created: \d+/\d+ workers?|\d+ workers? \[\d+ items?\]|bringing up nodes)",
    r"^\[gw\d+\] \S+ -- Python",
    // unittest, bun
    r"^Ran \d+ tests? (?:in|across) ",
    // gradle, maven, ctest
    r"^\d+ actionable tasks?: ",
    r"^> Task :\S+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$",
    r"^\[INFO\] (?:Total time|Finished at): ",
    r"^\s*Start\s+\d+: |^Total Test time ",
    // jest, vitest
    r"^(?:Snapshots|Time|Seed):\s",
    r"^Ran all test suites",
    r"^\s*RUN +v\d",
    r"^\s*(?:Start at|Duration|Transform) +\d",
    // coverage, which changes with every edit: istanbul, pytest-cov, go
    r"^[^|]+\|(?:\s+[\d.]+ \|){4}|^File\s+\| % Stmts",
    r"^\S+(?:\s+\d+){2,4}\s+\d+%|^Name\s+Stmts\s+Miss",
    r"^coverage: [\d.]+% of statements",
    // proptest
    r"^\s*(?:successes|local rejects|global rejects): \d+$",
    // go
    r"^-test\.shuffle ",
    // tsc, mypy
    r"^Found \d+ errors?\b",
    // npm, yarn, pnpm; a script's name, and its command on the next line
    r"^npm (?:notice|warn|WARN|info|http|timing)\b",
    r"^> \S+@\d\S* \S+|^yarn run v\d|^info Visit https://yarnpkg",
    // node
    r"^Node\.js v\d|^\(Use `node --trace",
    // make
    r"^\S*make(?:\[\d+\])?: (?:Entering|Leaving) directory ",
    // rspec
    r"^Finished in [\d.]+ (?:second|minute)s?\b|^Failures:$|^Failed examples:$|^Randomized with seed \d",
    // the legend of a diff: mocha, node
    r"^\s*[-+] (?:actual|expected) [-+] (?:actual|expected)$",
    // rulers, optionally numbered
    r"^[\s=_\-─━⎯*#!.]*(?:\[\d+/\d+\])?[\s=_\-─━⎯*#!.]*$",
]);

/// `3 passed, 1 failed`: a line of counts.
static COUNTS: Pattern = Pattern::new(&[
    r"^[\s=✖]*(?:test result: |Tests?(?: Suites| Files)?:?\s+|Summary .* run: )?(?:\w+\. )?\d+ (?:tests completed|pass|fail|passed|failed|errors?|skipped|deselected|examples?|xfailed|warnings?|problems?|todo|pending)(?:$|[,;)]|\s*[|(=]| in \d)",
]);
/// `Failed: 1, Passed: 3`: the reverse form.
static TALLY: Pattern = Pattern::new(&[
    r"(?:^|\s)(?:Failed|Passed|Tests(?: run)?):\s+\d+, +(?:Passed|Failed|Skipped|Assertions|Failures|Errors):\s+\d+",
]);
static FAILED: Pattern = Pattern::new(&[
    r"\b[1-9]\d* (?:fail|failed|failures?|errors?)\b|\b(?:Failed|Failures|Errors):\s+[1-9]\d*",
]);

/// The part of `text` that may describe the failure.
pub(crate) fn without_chatter(text: &mut String) -> bool {
    if COUNTS.is_match(text) || TALLY.is_match(text) {
        *text = FAILED.find_iter(text).map(|found| found.as_str()).collect::<Vec<_>>().join(", ");
        return !text.is_empty();
    }
    !CHATTER.is_match(text)
}
