//! Numbers of which at least one is needed.

pub(super) fn iterations(text: &str) -> Result<u64, String> {
    count(text, "iteration")
}

pub(super) fn attempts(text: &str) -> Result<u64, String> {
    count(text, "attempt")
}

pub(super) fn reviews(text: &str) -> Result<u64, String> {
    count(text, "review")
}

pub(super) fn turns(text: &str) -> Result<u64, String> {
    count(text, "turn")
}

/// `-m` of the prompt loops was this number; in `run`, it is the model.
pub(super) fn former_iterations(text: &str) -> Result<u64, String> {
    iterations(text).map_err(|error| format!("{error}; for the model, use --model {text}"))
}

fn count(text: &str, what: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err(format!("at least 1 {what} is needed")),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("a number of {what}s is expected")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_too_few_and_a_word_is_no_number() {
        assert_eq!(iterations("3"), Ok(3));
        assert_eq!(iterations("0").unwrap_err(), "at least 1 iteration is needed");
        assert_eq!(attempts("x").unwrap_err(), "a number of attempts is expected");
        assert!(former_iterations("opus").unwrap_err().ends_with("use --model opus"));
    }
}
