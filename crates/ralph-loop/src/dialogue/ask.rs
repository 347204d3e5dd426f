//! The kinds of questions. Each repeats until its answer is valid.

use super::{NoAnswer, UserIo};

/// Repeats the question until `read` accepts the trimmed answer. Prints the errors of `read`.
pub(super) fn until<T>(
    user: &mut dyn UserIo,
    question: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, NoAnswer> {
    loop {
        let line = user.ask(question)?;
        match typed(&line).and_then(&read) {
            Ok(answer) => return Ok(answer),
            Err(why) => user.say(&format!("  {why}\n"))?,
        }
    }
}

/// A text. Enter selects the default, if there is one.
pub(super) fn text(
    user: &mut dyn UserIo,
    question: &str,
    default: Option<&str>,
) -> Result<String, NoAnswer> {
    value(user, question, default, |answer| match answer {
        "" => Err("an answer is required".into()),
        answer => Ok(answer.to_owned()),
    })
}

/// A text that Enter omits.
pub(super) fn optional(user: &mut dyn UserIo, question: &str) -> Result<Option<String>, NoAnswer> {
    optional_value(user, question, |answer| Ok(answer.to_owned()))
}

/// A value that Enter omits.
pub(super) fn optional_value<T>(
    user: &mut dyn UserIo,
    question: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, NoAnswer> {
    value(user, question, None, |answer| match answer {
        "" => Ok(None),
        answer => read(answer).map(Some),
    })
}

/// A value. Enter selects the default, which is parsed like an answer.
pub(super) fn value<T>(
    user: &mut dyn UserIo,
    question: &str,
    default: Option<&str>,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, NoAnswer> {
    let shown = default.map(|default| format!(" [{default}]")).unwrap_or_default();
    until(user, &format!("{question}{shown}: "), |answer| {
        read(if answer.is_empty() { default.unwrap_or_default() } else { answer })
    })
}

/// Enter means `default`.
pub(super) fn confirm(
    user: &mut dyn UserIo,
    question: &str,
    default: bool,
) -> Result<bool, NoAnswer> {
    let choices = if default { "Y/n" } else { "y/N" };
    until(user, &format!("{question} ({choices}): "), |answer| {
        match answer.to_ascii_lowercase().as_str() {
            "" => Ok(default),
            "y" | "yes" => Ok(true),
            "n" | "no" => Ok(false),
            _ => Err("enter y or n".into()),
        }
    })
}

/// The trimmed, non-empty items of a comma-separated list.
pub(super) fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// Keys such as the arrow keys send invisible control characters.
fn typed(line: &str) -> Result<&str, String> {
    let line = line.trim();
    if line.chars().any(char::is_control) {
        return Err("the answer contains control characters (an arrow key?); type it again".into());
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialogue::scripted_user::ScriptedUser;

    #[test]
    fn enter_selects_the_default_or_repeats_the_question() {
        let mut user = ScriptedUser::new(["", "  ", " x "]);
        assert_eq!(text(&mut user, "Q", Some("d")).unwrap(), "d");
        assert_eq!(text(&mut user, "Q", None).unwrap(), "x");
        assert_eq!(user.output(), "Q [d]: \nQ: \n  an answer is required\nQ: \n");
    }

    #[test]
    fn an_invalid_answer_repeats_the_question_with_the_reason() {
        let mut user = ScriptedUser::new(["x", "", "7"]);
        let read = |answer: &str| answer.parse::<u8>().map_err(|_| format!("{answer} is none"));
        assert_eq!(value(&mut user, "Q", Some("3"), read).unwrap(), 3);
        assert_eq!(value(&mut user, "Q", Some("3"), read).unwrap(), 7);
        assert_eq!(user.output(), "Q [3]: \n  x is none\nQ [3]: \nQ [3]: \n");
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        let mut user = ScriptedUser::new(["", "no", "N", "maybe", "Y", "yes"]);
        let mut decide = || confirm(&mut user, "Q", false).unwrap();
        assert_eq!([decide(), decide(), decide()], [false; 3]);
        assert_eq!([decide(), decide()], [true; 2], "after a maybe");
        assert!(user.output().contains("Q (y/N): \n  enter y or n\nQ (y/N): "));
    }

    #[test]
    fn control_characters_are_refused() {
        let mut user = ScriptedUser::new(["cl\u{1b}[D", "ok"]);
        assert_eq!(optional(&mut user, "Q").unwrap().as_deref(), Some("ok"));
        assert!(user.output().contains("control characters"));
    }

    #[test]
    fn a_list_has_no_blank_items() {
        assert_eq!(items(" --a, b c,, ,d").collect::<Vec<_>>(), ["--a", "b c", "d"]);
        assert_eq!(items("").count(), 0);
    }

    #[test]
    fn end_of_input_ends_the_question() {
        assert!(matches!(text(&mut ScriptedUser::new([]), "Q", Some("d")), Err(NoAnswer::End)));
    }
}
