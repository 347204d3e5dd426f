//! The mark that says that nobody was convinced: a last review has to approve and says so in front of
//! its feedback.

pub const AT_CAP: &str = "[AUTO-APPROVED AT CAP]";

/// What the reviewer still had to say; `None` of feedback without the mark.
pub fn concerns_at_cap(feedback: &str) -> Option<&str> {
    feedback.trim_start().strip_prefix(AT_CAP).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_mark_in_front_counts() {
        assert_eq!(concerns_at_cap("  [AUTO-APPROVED AT CAP] slow\n"), Some("slow"));
        assert_eq!(concerns_at_cap("[AUTO-APPROVED AT CAP]"), Some(""));
        assert_eq!(concerns_at_cap("not [AUTO-APPROVED AT CAP]"), None);
    }
}
