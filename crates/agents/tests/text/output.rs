//! Which parts of an output count.

use agents::{Agent, Ending, ProcessExit};
use proptest::prelude::*;

use crate::support::mutation::{TAG, is_complete};
use crate::support::{Decoded, decode};

const PROMPT: &str = "Fix the login.\nThen run the tests.\n\nWhen all is done, print\n\
                      <promise>COMPLETE</promise>\n";

fn ended(output: &str, exit: ProcessExit) -> Decoded {
    decode(Agent::Text, PROMPT, output.as_bytes(), exit)
}

fn answered(output: &str) -> Decoded {
    ended(output, ProcessExit::Code(0))
}

#[test]
fn all_it_prints_is_its_answer() {
    let decoded = answered("Working.\n\nDone.\n<promise>COMPLETE</promise>\n");
    assert_eq!(
        decoded.summaries(),
        ["text Working.", "text Done.", "text <promise>COMPLETE</promise>"]
    );
    assert_eq!(decoded.result().ending, Ending::Completed);
    assert_eq!(decoded.result().text, "Working.\n\nDone.\n<promise>COMPLETE</promise>");
    assert!(is_complete(&decoded));
}

#[test]
fn a_silent_program_gave_an_empty_answer() {
    assert_eq!(answered("").result().ending, Ending::Completed);
    assert_eq!(answered("\n \n").result().text, "");
}

#[test]
fn a_program_that_fails_says_why_and_completes_nothing() {
    let output = format!("{TAG}\n{}no such model\n", "x\n".repeat(20));
    let decoded = ended(&output, ProcessExit::Code(3));
    let Ending::Other { reason, message } = &decoded.result().ending else {
        panic!("{:?}", decoded.result());
    };
    assert_eq!(reason, "exit code 3");
    assert_eq!(*message, format!("{}no such model", "x\n".repeat(9)));
    assert_eq!(decoded.result().text, "");
    let long = ended(&"ä".repeat(5000), ProcessExit::Code(1));
    assert!(
        matches!(&long.result().ending, Ending::Other { message, .. } if message.len() == 4000)
    );
}

#[test]
fn a_program_that_was_cut_has_no_result() {
    let decoded = ended(TAG, ProcessExit::Cut);
    assert_eq!(decoded.last_result(), None);
    assert_eq!(decoded.summaries().len(), 1);
}

#[test]
fn an_echo_of_the_prompt_completes_nothing() {
    for echo in [
        PROMPT.to_owned(),
        PROMPT.trim_end().to_owned(),
        PROMPT.replace('\n', "\r\n"),
        format!("\n{PROMPT}"),
        format!("{PROMPT}{PROMPT}"),
        PROMPT.lines().map(|line| format!("\u{1b}[2m> {line}\u{1b}[0m\n")).collect(),
        PROMPT.replace(" all is ", "\nall\nis "),
        format!("tool 1.0\nmodel: x\nuser:\n{PROMPT}"),
        format!("tool 1.0\nuser: {PROMPT}"),
    ] {
        for answer in ["", "Two tests still fail.\n"] {
            let decoded = answered(&format!("{echo}{answer}"));
            assert!(!is_complete(&decoded), "{echo:?}");
            assert!(decoded.result().text.ends_with(answer.trim_end()), "{echo:?}");
            let done = answered(&format!("{echo}{answer}\n{TAG}\n"));
            assert!(is_complete(&done), "{echo:?}");
        }
    }
}

#[test]
fn escapes_neither_hide_nor_fake_a_tag() {
    for shown in [
        "\u{1b}[1m<promise>\u{1b}[32mCOMPLETE\u{1b}[0m</promise>",
        "\u{1b}]0;title\u{7}<promise>COMPLETE</promise>\u{1b}[K",
        "\u{1b}]8;;https://x.test\u{1b}\\<promise>COMPLETE</promise>\u{1b}]8;;\u{1b}\\",
        "working\r\u{1b}[2K<promise>COMPLETE</promise>\r\n",
    ] {
        let decoded = answered(shown);
        assert!(is_complete(&decoded), "{shown:?}");
        assert_eq!(decoded.result().text, TAG, "{shown:?}");
    }
    for unseen in [
        "\u{1b}]0;<promise>COMPLETE</promise>\u{7}not done",
        "\u{1b}]0;<promise>COMPLETE</promise>\u{7}",
        "\u{1b}P<promise>COMPLETE</promise>\u{1b}\\not done",
        "<promise>COMPLETE</promise>\rnot done, two tests fail",
    ] {
        assert!(!is_complete(&answered(unseen)), "{unseen:?}");
    }
}

#[test]
fn bytes_that_are_no_text_cost_only_themselves() {
    let decoded =
        decode(Agent::Text, "", b"a\xff\0b\n<promise>COMPLETE</promise>", ProcessExit::Code(0));
    assert_eq!(decoded.result().text, format!("a\u{fffd}b\n{TAG}"));
    assert!(is_complete(&decoded));
}

#[test]
fn a_flood_is_bounded() {
    let output = format!("{TAG}\n{}last\n", "0123456789abcdef\n".repeat(200_000));
    let decoded = answered(&output);
    let text = &decoded.result().text;
    assert!(text.len() <= 1 << 20 && text.ends_with("\nlast"), "{}", text.len());
    assert!(!is_complete(&decoded), "only the end is kept");
    let line = answered(&"x".repeat(3 << 20));
    assert!(line.summaries()[0].len() < 20_000);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn no_bytes_stop_it(bytes in prop::collection::vec(any::<u8>(), 0..400), prompt in ".{0,40}") {
        let decoded = decode(Agent::Text, &prompt, &bytes, ProcessExit::Code(0));
        prop_assert_eq!(decoded.unreadable, 0);
        prop_assert_eq!(&decoded.result().ending, &Ending::Completed);
    }

    #[test]
    fn an_echo_that_is_cut_completes_nothing(part in 0.0..1.0) {
        let end = (PROMPT.len() as f64 * part) as usize;
        let cut = &PROMPT[..end];
        prop_assert!(!is_complete(&answered(cut)), "{}", cut);
        let with_answer = format!("{cut}\nTwo tests fail.");
        prop_assert!(!is_complete(&answered(&with_answer)), "{}", with_answer);
    }
}
