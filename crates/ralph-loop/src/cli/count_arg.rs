//! Numbers that must be at least 1.

/// A parser for a number of `what`.
pub(super) fn count(what: &'static str) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| match text.parse() {
        Ok(0) => Err(format!("expected at least 1 {what}")),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("expected a number of {what}s")),
    }
}

/// `-m` of the prompt loops; in `run`, `-m` is the model.
pub(super) fn former_iterations(text: &str) -> Result<u64, String> {
    count("iteration")(text).map_err(|error| format!("{error}; for the model, use --model {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_text_are_refused() {
        assert_eq!(count("iteration")("3"), Ok(3));
        assert_eq!(count("iteration")("0").unwrap_err(), "expected at least 1 iteration");
        assert_eq!(count("attempt")("x").unwrap_err(), "expected a number of attempts");
        assert!(former_iterations("opus").unwrap_err().ends_with("use --model opus"));
    }
}
