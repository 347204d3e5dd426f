//! Finds the HTTP status in an agent's message text.

/// The first number that looks like an error status and is called one.
pub(crate) fn find_in(message: &str) -> Option<u16> {
    let mut before = None;
    for word in message.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let called_so = matches!(
            before,
            None | Some("status" | "Status" | "error" | "Error" | "code" | "HTTP")
        );
        if let (true, Some(status)) = (called_so, error_status(word)) {
            return Some(status);
        }
        before = Some(word);
    }
    None
}

fn error_status(word: &str) -> Option<u16> {
    word.parse().ok().filter(|status| word.len() == 3 && (400..600).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_called_a_status() {
        assert_eq!(
            find_in("unexpected status 401 Unauthorized: x, url: http://h:8080/e"),
            Some(401)
        );
        assert_eq!(find_in("exceeded retry limit, last status: 429 Too Many Requests"), Some(429));
        assert_eq!(find_in("model error 500"), Some(500));
        assert_eq!(find_in("529 {\"type\":\"error\"}"), Some(529));
    }

    #[test]
    fn other_numbers_are_not_a_status() {
        assert_eq!(find_in("read 404 files"), None);
        assert_eq!(find_in("status 200"), None);
        assert_eq!(find_in("status 4290"), None);
        assert_eq!(find_in("status 042"), None);
        assert_eq!(find_in(""), None);
    }
}
