//! Every text is handled without a panic, and no wrapping hides a command.

use proptest::prelude::*;

use crate::support::{lines, read_text};

/// Fragments with a meaning in shells.
const SHELLISH: &[&str] = &[
    "rm",
    "echo",
    " ",
    " ",
    "\n",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "(",
    ")",
    "{",
    "}",
    "[[",
    "]]",
    "((",
    "))",
    "$",
    "${",
    "$(",
    "`",
    "'",
    "\"",
    "\\",
    "<",
    ">",
    "<<",
    "<<<",
    "E",
    "if ",
    "then ",
    "fi",
    "for ",
    "in ",
    "do ",
    "done",
    "case ",
    "esac",
    ";;",
    "while ",
    "x=",
    "x",
    "$x",
    "a=(",
    "#",
    "%",
    "/",
    "*",
    "?",
    "[",
    "]",
    "~",
    ":",
    "-",
    "=",
    "+",
    "!",
    "@",
    "1",
    "..",
    ",",
    "eval ",
    "sh -c ",
    "xargs ",
    "find . -exec ",
    "{}",
    "cd ",
    "read x",
    "printf ",
    "%s",
    "base64 -d",
    "f()",
    "function ",
    "é",
    "\0",
    "\u{fffc}",
    "$'",
    "\\x",
    "env ",
    "sudo ",
    "source ",
    "trap ",
    "set -- ",
    "$@",
    "tr a-z ",
    "sed s/",
    "cut -c",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        read_text(&text);
    }

    #[test]
    fn any_shellish_text_is_survived(pieces in proptest::collection::vec(proptest::sample::select(SHELLISH), 0..60)) {
        read_text(&pieces.concat());
    }

    #[test]
    fn a_wrapped_command_still_shows(wrappings in proptest::collection::vec(0..WRAPPINGS.len(), 1..5)) {
        let mut script = "rm -rf '/some place'".to_owned();
        for wrapping in &wrappings {
            script = WRAPPINGS[*wrapping](&script);
        }
        let analysis = read_text(&script);
        prop_assert_eq!(&analysis.unanalyzed, &[], "{}", &script);
        let found = lines(&analysis).contains(&"rm -rf </some place>".to_owned());
        prop_assert!(found, "{} gives {:?}", script, lines(&analysis));
    }

    #[test]
    fn quotes_anywhere_in_a_name_change_nothing(at in 0..3_usize, with in proptest::sample::select(&["''", "\"\"", "\\\n", "$''", "${empty}", "$(true)", "``"][..])) {
        let mut name = "rm".to_owned();
        name.insert_str(at.min(2), with);
        let shown = lines(&read_text(&format!("empty=; {name} x")));
        prop_assert_eq!(shown.last().map(String::as_str), Some("rm x"));
    }
}

fn quoted(script: &str) -> String {
    format!("'{}'", script.replace('\'', "'\\''"))
}

const WRAPPINGS: &[fn(&str) -> String] = &[
    |s| format!("sh -c {}", quoted(s)),
    |s| format!("bash -lc {}", quoted(s)),
    |s| format!("eval {}", quoted(s)),
    |s| format!("({s}\n)"),
    |s| format!("{{ {s}\n}}"),
    |s| format!("if true; then {s}\nfi"),
    |s| format!("x=$({s}\n)"),
    |s| format!("f() {{ {s}\n}}; f"),
    |s| format!("env A=b sh -c {}", quoted(s)),
    |s| format!("sudo -u root nice -n 5 timeout 5 bash -c {}", quoted(s)),
    |s| format!("sh <<'END{0}'\n{s}\nEND{0}\n", s.len()),
    |s| format!("bash <<< {}", quoted(s)),
    |s| format!("printf %s {} | bash", quoted(s)),
    |s| format!("find . -exec sh -c {} \\;", quoted(s)),
    |s| format!("xargs -I@@ sh -c {}", quoted(s)),
    |s| format!("c={}; eval \"$c\"", quoted(s)),
    |s| format!("a=(bash -c {}); \"${{a[@]}}\"", quoted(s)),
    |s| format!("$(echo sh) -c {}", quoted(s)),
    |s| format!("echo {} > t.sh; . ./t.sh", quoted(s)),
    |s| format!("true && {s}\n"),
    |s| format!("for i in 1; do {s}\ndone"),
    |s| format!("trap {} EXIT", quoted(s)),
    |s| format!("source <(echo {})", quoted(s)),
    |s| format!("cat <(echo {}) | sh", quoted(s)),
];
