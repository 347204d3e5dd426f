//! A wrapped or decorated echo of the prompt never counts as completion.

use std::time::{Duration, Instant};

use agents::{Agent, Completion, Ending, ProcessExit};
use proptest::prelude::*;

use crate::support::decode;
use crate::support::mutation::TAG;

const PROMPT: &str = "Fix the login page.\n\nWhen everything is done, end with\n\n\
                      <promise>COMPLETE</promise>\n";

const PREFIXES: [&str; 16] = [
    "",
    "  ",
    "\t",
    "                    ",
    ">",
    "> ",
    "+",
    "- ",
    "* ",
    "| ",
    "[12:00:01] ",
    "user| ",
    "user: ",
    "{n}\t",
    "2026-01-01T12:00:{n}Z INFO prompt: ",
    "│ {n} │ ",
];

const ODD_WORDS: [&str; 8] = ["promise", "user:", "*", "--", "`x`", "über", "日本語", TAG];

/// Enough for one pass on a busy machine, too short for a quadratic comparison.
const PATIENCE: Duration = Duration::from_secs(120);

/// The number of cases in which a valid tag after the echo must count.
const KEPT: usize = 10;

#[derive(Debug, Clone, Copy)]
enum Wrap {
    None,
    Columns(usize),
    Words(usize),
}

#[derive(Debug, Clone, Copy)]
enum Marked {
    EachLine,
    FirstLine,
}

#[derive(Debug, Clone, Copy)]
enum Order {
    WrapFirst,
    MarkFirst,
}

#[derive(Debug, Clone)]
struct Form {
    prefix: usize,
    marked: Marked,
    wrap: Wrap,
    order: Order,
    line_end: &'static str,
    suffix: &'static str,
}

impl Form {
    fn echo(&self, prompt: &str) -> String {
        let lines = prompt.lines().map(str::to_owned).collect();
        let lines = match self.order {
            Order::WrapFirst => self.mark(self.wrap(lines)),
            Order::MarkFirst => self.wrap(self.mark(lines)),
        };
        lines.iter().map(|line| format!("{line}{}{}", self.suffix, self.line_end)).collect()
    }

    fn mark(&self, lines: Vec<String>) -> Vec<String> {
        let mark = |(at, line): (usize, String)| match self.marked {
            Marked::FirstLine if at > 1 => line,
            _ => PREFIXES[self.prefix].replace("{n}", &format!("{at:02}")) + &line,
        };
        (1..).zip(lines).map(mark).collect()
    }

    fn wrap(&self, lines: Vec<String>) -> Vec<String> {
        lines.iter().flat_map(|line| wrapped(line, self.wrap)).collect()
    }
}

fn wrapped(line: &str, wrap: Wrap) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (width, pieces): (usize, Vec<String>) = match wrap {
        Wrap::None => return vec![line.to_owned()],
        Wrap::Columns(width) => (width, line.chars().map(String::from).collect()),
        Wrap::Words(width) => (width, line.split_inclusive(' ').map(str::to_owned).collect()),
    };
    for piece in pieces {
        match parts.last_mut() {
            Some(last) if last.chars().count() + piece.trim_end().chars().count() <= width => {
                last.push_str(&piece);
            }
            _ => parts.push(piece),
        }
    }
    parts
}

fn form() -> impl Strategy<Value = Form> {
    let wrap = prop_oneof![
        Just(Wrap::None),
        (20..100usize).prop_map(Wrap::Columns),
        (20..100usize).prop_map(Wrap::Words),
    ];
    let marked = prop_oneof![3 => Just(Marked::EachLine), 1 => Just(Marked::FirstLine)];
    let order = prop_oneof![Just(Order::WrapFirst), Just(Order::MarkFirst)];
    let line_end = prop_oneof![Just("\n"), Just("\r\n")];
    let suffix = prop_oneof![3 => Just(""), 1 => Just("  "), 1 => Just(" │"), 1 => Just("$")];
    (0..PREFIXES.len(), marked, wrap, order, line_end, suffix).prop_map(
        |(prefix, marked, wrap, order, line_end, suffix)| Form {
            prefix,
            marked,
            wrap,
            order,
            line_end,
            suffix,
        },
    )
}

/// With the tag on its own line, and sometimes more text after it.
fn prompt() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        5 => "[a-zA-Z]{1,9}[,.:]?",
        1 => "[0-9]{1,3}",
        1 => prop::sample::select(ODD_WORDS.to_vec()).prop_map(str::to_owned),
    ];
    let line = prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "));
    let lines = prop::collection::vec(line, 1..9);
    (lines.clone(), "[A-Z][a-z]{2,8} [a-z]{2,8} it", prop_oneof![3 => Just(vec![]), 1 => lines])
        .prop_map(|(before, first, after)| {
            let before = before.join("\n");
            format!("{first}\n{before}\n{TAG}\n{}\n", after.join("\n"))
        })
}

fn completes(prompt: &str, output: &str) -> bool {
    let decoded = decode(Agent::Text, prompt, output.as_bytes(), ProcessExit::Code(0));
    decoded.result().ending == Ending::Completed
        && Completion::promise("COMPLETE").is_given_in(&decoded.result().text)
}

fn each_line(prompt: &str, with: impl Fn(usize, &str) -> String) -> String {
    (1..).zip(prompt.lines()).map(|(at, line)| with(at, line) + "\n").collect()
}

#[test]
fn filtered_text_is_followed() {
    let fold = wrapped(&PROMPT.replace('\n', " "), Wrap::Columns(30)).join("\n");
    for echo in [
        each_line(PROMPT, |_, line| format!(">{line}")),
        each_line(PROMPT, |_, line| format!("[12:00:01] {line}")),
        each_line(PROMPT, |_, line| format!("user| {line}")),
        each_line(PROMPT, |_, line| format!("+{line}")),
        each_line(PROMPT, |at, line| format!("{at:6}\t{line}")),
        each_line(PROMPT, |_, line| wrapped(line, Wrap::Columns(30)).join("\n")),
        fold,
        PROMPT.to_uppercase(),
        PROMPT.replace('\n', "\r"),
    ] {
        assert!(!completes(PROMPT, &echo), "{echo}");
        assert!(!completes(PROMPT, &format!("model 7\n{echo}")), "{echo}");
        assert!(completes(PROMPT, &format!("{echo}\nDone.\n{TAG}\n")), "{echo}");
        let decoded = decode(Agent::Text, PROMPT, echo.as_bytes(), ProcessExit::Code(0));
        let text = &decoded.result().text;
        assert!(!text.contains("COMPLETE"), "taken out, not only without effect: {text}");
    }
}

#[test]
fn a_sentence_of_the_prompt_is_an_answer() {
    let output = format!("Done.\nWhen everything is done, end with\n\n{TAG}");
    assert!(completes(PROMPT, &output));
    let decoded = decode(Agent::Text, PROMPT, output.as_bytes(), ProcessExit::Code(0));
    assert_eq!(decoded.result().text, output);
}

/// Prompts and outputs with long common parts are read only once.
#[test]
fn long_ones_take_no_time() {
    let same = "a ".repeat(1 << 17);
    let lines = "a\n".repeat(1 << 17);
    let prompts = [format!("{same}\n{TAG}\n"), format!("{lines}{TAG}\n"), "a".to_owned()];
    for prompt in &prompts {
        for output in [
            format!("{prompt}x\n"),
            format!("{lines}x\n{lines}x\n"),
            format!("{same}x\n{same}x\n"),
            same.replace(' ', ""),
            format!("x {}", same.replace("a ", "a.\ra")),
        ] {
            let began = Instant::now();
            assert!(!completes(prompt, &output));
            assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn an_echo_never_completes(prompt in prompt(), form in form(), twice in 1..3usize) {
        let echo = form.echo(&prompt).repeat(twice);
        prop_assert!(!completes(&prompt, &echo), "{echo}");
        prop_assert!(!completes(&prompt, &format!("model 7\n\n{echo}")), "{echo}");
    }

    #[test]
    fn a_tag_after_an_echo_completes(prompt in prompt(), form in form(), prefix in 0..KEPT) {
        let form = Form { prefix, ..form };
        let output = format!("{}Done.\n{TAG}\n", form.echo(&prompt));
        prop_assert!(completes(&prompt, &output), "{output}");
        let at_once = format!("{}{TAG}\n", form.echo(&prompt));
        prop_assert!(completes(&prompt, &at_once), "{at_once}");
    }
}
