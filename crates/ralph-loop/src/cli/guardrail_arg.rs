//! A guardrail as one argument: `[ACTION:]COMMAND[ # HINT]`.

use run_options::{FailAction, Guardrail, Word};

/// The shell comment is the hint, so the whole line is valid for the shell.
pub(crate) fn guardrail(text: &str) -> Result<Guardrail, String> {
    let action = text.split_once(':');
    let action = action.and_then(|(word, rest)| Some((FailAction::from_word(word.trim())?, rest)));
    let (fail_action, rest) = action.unwrap_or((FailAction::default(), text));
    let (command, hint) = match comment(rest) {
        Some(at) => (&rest[..at], rest[at + 1..].trim()),
        None => (rest, ""),
    };
    let command = command.trim();
    if command.is_empty() {
        return Err("expected a command, such as 'make lint' or 'PREPEND: make test'".into());
    }
    let hint = Some(hint).filter(|hint| !hint.is_empty()).map(str::to_owned);
    Ok(Guardrail { fail_action, hint, ..Guardrail::of_command(command) })
}

/// The position of the comment's `#`: at the start of a word, outside of quotes.
fn comment(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => return Some(at),
            (None | Some('"'), '\\') => {
                characters.next();
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, FailAction, Option<String>) {
        let read = guardrail(text).unwrap();
        (read.command, read.fail_action, read.hint)
    }

    #[test]
    fn a_command_alone_is_appended_without_a_hint() {
        let expected = ("make lint".to_owned(), FailAction::Append, None);
        assert_eq!(read(" make lint "), expected);
        assert_eq!(read("make lint #"), expected);
    }

    #[test]
    fn action_and_hint_are_taken_off() {
        let expected = ("make test".to_owned(), FailAction::Prepend, Some("One at a time.".into()));
        assert_eq!(read("prepend:make test # One at a time."), expected);
        assert_eq!(read("PREPEND: make test #One at a time."), expected);
        assert_eq!(read("Replace: x").1, FailAction::Replace);
    }

    #[test]
    fn other_colons_belong_to_the_command() {
        for command in ["npm run lint:fix", "docker run a:b make", ": > x"] {
            assert_eq!(read(command), (command.to_owned(), FailAction::Append, None));
        }
        assert_eq!(read("APPEND: npm run lint:fix").0, "npm run lint:fix");
    }

    #[test]
    fn only_what_the_shell_takes_for_a_comment_is_a_hint() {
        for command in ["grep ' # ' x", r#"grep " \" # " x"#, r"grep \ # x", "curl a#b", "echo $#"]
        {
            assert_eq!(read(command).0, command);
            assert_eq!(read(&format!("{command} # é")).2.as_deref(), Some("é"), "{command}");
        }
    }

    #[test]
    fn without_a_command_it_is_refused() {
        for text in ["", "  ", "APPEND:", "append: # hint", "# hint"] {
            assert!(guardrail(text).is_err(), "{text:?}");
        }
    }
}
