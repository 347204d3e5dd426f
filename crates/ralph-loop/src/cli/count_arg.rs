//! Numbers that must be at least 1.

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

/// `-m` of the prompt loops; in `run`, `-m` is the model.
pub(super) fn former_iterations(text: &str) -> Result<u64, String> {
    iterations(text).map_err(|error| format!("{error}; for the model, use --model {text}"))
}

fn count(text: &str, what: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err(format!("expected at least 1 {what}")),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("expected a number of {what}s")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_text_are_refused() {
        assert_eq!(iterations("3"), Ok(3));
        assert_eq!(iterations("0").unwrap_err(), "expected at least 1 iteration");
        assert_eq!(attempts("x").unwrap_err(), "expected a number of attempts");
        assert!(former_iterations("opus").unwrap_err().ends_with("use --model opus"));
    }
}
