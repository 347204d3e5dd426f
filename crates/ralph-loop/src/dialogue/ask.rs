//! The kinds of questions: each is asked until it has an answer that can be used.

use super::{Silence, Talk};

/// Asks until `read` accepts the answer, which it gets without blanks around it. What `read` says
/// against an answer is told.
pub(super) fn until<T>(
    talk: &mut dyn Talk,
    question: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Silence> {
    loop {
        let line = talk.ask(question)?;
        match typed(&line).and_then(&read) {
            Ok(answer) => return Ok(answer),
            Err(why) => talk.say(&format!("  {why}\n"))?,
        }
    }
}

/// A text that Enter alone answers with the default, if there is one.
pub(super) fn text(
    talk: &mut dyn Talk,
    question: &str,
    default: Option<&str>,
) -> Result<String, Silence> {
    until(talk, &prompt(question, default), |answer| match (answer, default) {
        ("", None) => Err("an answer is needed here".into()),
        ("", Some(default)) => Ok(default.to_owned()),
        _ => Ok(answer.to_owned()),
    })
}

/// Enter alone is no answer, and that is fine.
pub(super) fn optional(talk: &mut dyn Talk, question: &str) -> Result<Option<String>, Silence> {
    let answer = until(talk, &prompt(question, None), |answer| Ok(answer.to_owned()))?;
    Ok(Some(answer).filter(|answer| !answer.is_empty()))
}

/// A value that Enter alone leaves open.
pub(super) fn optional_value<T>(
    talk: &mut dyn Talk,
    question: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, Silence> {
    until(talk, &prompt(question, None), |answer| {
        if answer.is_empty() { Ok(None) } else { read(answer).map(Some) }
    })
}

/// A value that Enter alone answers with the default, and that is read like any other answer.
pub(super) fn value<T>(
    talk: &mut dyn Talk,
    question: &str,
    default: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Silence> {
    until(talk, &prompt(question, Some(default)), |answer| {
        read(if answer.is_empty() { default } else { answer })
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Yes,
    No,
}

/// Enter alone is no.
pub(super) fn decision(talk: &mut dyn Talk, question: &str) -> Result<Decision, Silence> {
    decide(talk, &format!("{question} (y/N): "), Decision::No)
}

/// Enter alone is yes.
pub(super) fn decision_or_yes(talk: &mut dyn Talk, question: &str) -> Result<Decision, Silence> {
    decide(talk, &format!("{question} (Y/n): "), Decision::Yes)
}

fn decide(talk: &mut dyn Talk, question: &str, default: Decision) -> Result<Decision, Silence> {
    until(talk, question, |answer| match answer.to_ascii_lowercase().as_str() {
        "" => Ok(default),
        "y" | "yes" => Ok(Decision::Yes),
        "n" | "no" => Ok(Decision::No),
        _ => Err("y or n is expected".into()),
    })
}

/// The items of a comma-separated list, without blanks around them and without empty ones.
pub(super) fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty())
}

fn prompt(question: &str, default: Option<&str>) -> String {
    match default {
        Some(default) => format!("{question} [{default}]: "),
        None => format!("{question}: "),
    }
}

/// Arrow keys and the like arrive as characters that nobody sees; none belongs into a setting.
fn typed(line: &str) -> Result<&str, String> {
    let line = line.trim();
    if line.chars().any(char::is_control) {
        return Err(
            "that has control characters in it (an arrow key?); please type it again".into()
        );
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialogue::script::Script;

    #[test]
    fn enter_takes_the_default_and_without_one_it_is_asked_again() {
        let mut talk = Script::new(["", "  ", " x "]);
        assert_eq!(text(&mut talk, "Q", Some("d")).unwrap(), "d");
        assert_eq!(text(&mut talk, "Q", None).unwrap(), "x");
        assert_eq!(talk.said(), "Q [d]: \nQ: \n  an answer is needed here\nQ: \n");
    }

    #[test]
    fn what_cannot_be_read_is_asked_again_with_the_reason() {
        let mut talk = Script::new(["x", "", "7"]);
        let read = |answer: &str| answer.parse::<u8>().map_err(|_| format!("{answer} is none"));
        assert_eq!(value(&mut talk, "Q", "3", read).unwrap(), 3);
        assert_eq!(value(&mut talk, "Q", "3", read).unwrap(), 7);
        assert_eq!(talk.said(), "Q [3]: \n  x is none\nQ [3]: \nQ [3]: \n");
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        let mut talk = Script::new(["", "no", "N", "maybe", "Y", "yes"]);
        let mut decide = || decision(&mut talk, "Q").unwrap();
        assert_eq!([decide(), decide(), decide()], [Decision::No; 3]);
        assert_eq!([decide(), decide()], [Decision::Yes; 2], "after a maybe");
        assert!(talk.said().contains("Q (y/N): \n  y or n is expected\nQ (y/N): "));
    }

    #[test]
    fn keys_that_leave_control_characters_are_no_answer() {
        let mut talk = Script::new(["cl\u{1b}[D", "ok"]);
        assert_eq!(optional(&mut talk, "Q").unwrap().as_deref(), Some("ok"));
        assert!(talk.said().contains("control characters"));
    }

    #[test]
    fn a_list_has_no_blank_items() {
        assert_eq!(items(" --a, b c,, ,d").collect::<Vec<_>>(), ["--a", "b c", "d"]);
        assert_eq!(items("").count(), 0);
    }

    #[test]
    fn silence_ends_the_question() {
        assert!(matches!(text(&mut Script::new([]), "Q", Some("d")), Err(Silence::End)));
    }
}
