//! Removes what differs between two runs of the same failure within a line: times, paths, process
//! ids.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::paths;
use crate::pattern::{Pattern, compiled};

/// The order matters: composite patterns first (a timestamp contains a clock time), and paths
/// before their line numbers.
const BEFORE_PATHS: &[(&str, &str, &str)] = &[
    ("separators of Windows", r"\\+", "/"),
    ("paths as addresses", r"\bfile://", ""),
    (
        "temporary folders",
        r#"(?:[A-Za-z]:/Users/[^/:"<>|]+/AppData/Local/Temp|(?:/private)?/var/folders/\w+/\w+/\w+|/private/tmp|/var/tmp|/dev/shm)/"#,
        "/tmp/",
    ),
    ("uuids", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "<uuid>"),
    (
        "instants and dates",
        r"\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}[:_]\d{2}(?:[:_]\d{2}(?:[.,_]\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2})\b)?)?",
        "<time>",
    ),
    (
        "dates in words",
        r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*(?: \d{1,2}\b)?(?:,? \d{4}\b)?(?: \d{2}:\d{2}:\d{2})?(?: [A-Z]{3,4}\b)?(?: \d{4}\b)?|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2},? \d{4}\b)",
        "<time>",
    ),
    ("clocks", r"\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M)?\b", "<time>"),
    // 2017 to 2036, in seconds, milliseconds, microseconds or nanoseconds.
    ("instants as numbers", r"\b(?:1[5-9]|20)\d{8}(?:\d{3}|\d{6}|\d{9}|\.\d+)?\b", "<time>"),
    ("a duration that ends a line", r"\s*\(\d+(?:\.\d+)? ?(?:ms|s|m)\)$", ""),
    ("durations of many parts", r"\b(?:\d+h ?)?\d+m ?\d+(?:\.\d+)?s\b", "<duration>"),
    (
        "durations",
        r"\b\d+(?:\.\d+)? ?(?:ns|µs|μs|us|ms|s|secs?|seconds?|mins?|minutes?)\b",
        "<duration>",
    ),
    ("offsets in a program", r" ?\+0x[0-9a-f]+\b", ""),
    ("addresses", r"\b0x[0-9a-fA-F]{5,}\b\??", "<address>"),
];

const AFTER_PATHS: &[(&str, &str, &str)] = &[
    ("here", r#"(^|[\s('"])\./"#, "$1"),
    ("a line of a file", r"(\.[A-Za-z]\w{0,9}|\b(?:Make|Docker|Just)file):\d+(?::\d+)?", "$1"),
    ("a line and column of tsc", r"(\.[A-Za-z]\w{0,9})\(\d+,\d+\)", "$1"),
    ("the dash of tsc's pretty format", r"(\.[A-Za-z]\w{0,9}) - (error|warning) ", "$1: $2 "),
    ("a line and column of eslint", r"^\s*\d+:\d+\s+(error|warning)\b", "$1"),
    ("lines in words", r"(?i)\b(line|column|col) \d+\b", "$1"),
    ("seeds", r#"(?i)\bseed(\W{1,3})-?(?:0x)?[0-9a-f]*\d[0-9a-f]*\b"?"#, "seed <seed>"),
    (
        "ports of this machine",
        r"(\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)|\[::1?\]|(?:^|\s)::1?):\d+",
        "$1:<port>",
    ),
    ("ports in words", r"(?i)\b(port\W{1,2}|listening (?:on|at) :)\d{4,5}\b", "$1<port>"),
    ("processes", r#"(?i)\b(pid|process id|process)([ =:#"]{1,3})\d+\b"#, "$1$2<pid>"),
    ("instants in a field", r#"(?i)\b((?:time|timestamp|ts)"\s*:\s*)\d{10,}\b"#, "$1<time>"),
    (
        "durations in a field",
        r#"(?i)\b((?:elapsed|duration(?:_?ms)?)"\s*:\s*)\d+(?:\.\d+)?"#,
        "$1<duration>",
    ),
    (
        "commits",
        r"(?i)\b(commit|revision|HEAD is now at|detached at)([ :]{1,2})[0-9a-f]{7,40}\b",
        "$1$2<hash>",
    ),
    ("warnings beside the errors of rustc", r"; \d+ warnings? emitted", ""),
    ("node's process", r"\(node:\d+\)", "(node)"),
    ("threads of Rust", r"^(thread '.*') \(\d+\) (panicked|has overflowed)", "$1 $2"),
    ("threads", r"\b(ThreadId\(|goroutine |tid[ =])\d+", "$1<thread>"),
    ("workers of pytest", r"\[gw\d+\] ?", ""),
    ("numbers of mocha", r"^\s*\d+\) ", ""),
    ("object ids", r"\b(id\W{1,2})\d{12,}\b", "$1<id>"),
    ("progress", r"\[\s*\d+%\]|\s*\d{1,3}%\|?[█▉▊▋▌▍▎▏░▒▓ ]{2,}\|?", ""),
    ("rulers", r"[=_─━⎯*#!]{3,}|-{4,}", ""),
    ("spaces", r"\s+", " "),
];

type Rules = Vec<(Regex, &'static str)>;

static BEFORE: LazyLock<Rules> = LazyLock::new(|| rules(BEFORE_PATHS));
static AFTER: LazyLock<Rules> = LazyLock::new(|| rules(AFTER_PATHS));
static HEX: Pattern = Pattern::new(&[r"\bh?[0-9a-fA-F]{12,}\b"]);

pub(crate) fn without_noise(line: &str) -> String {
    let line = apply(&BEFORE, line.to_owned());
    let line = paths::shortened_in(&line).into_owned();
    let line = HEX.replace_all(&line, hash).into_owned();
    apply(&AFTER, line).trim().to_owned()
}

/// A long run of hex digits is a hash if it has both letters and digits; other words and numbers
/// stay.
fn hash(found: &Captures<'_>) -> String {
    let digits = found[0].bytes().any(|byte| byte.is_ascii_digit());
    let letters = found[0].bytes().any(|byte| byte.is_ascii_alphabetic());
    if digits && letters { "<hash>".to_owned() } else { found[0].to_owned() }
}

fn rules(rules: &[(&str, &str, &'static str)]) -> Rules {
    rules.iter().map(|(_, text, with)| (compiled(&[text]), *with)).collect()
}

fn apply(rules: &Rules, mut line: String) -> String {
    for (pattern, with) in rules {
        if let Cow::Owned(changed) = pattern.replace_all(&line, *with) {
            line = changed;
        }
    }
    line
}
