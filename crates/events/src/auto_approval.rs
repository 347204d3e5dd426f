//! The mark before the feedback of a last review that must approve although the reviewer has
//! concerns.

pub const AT_CAP: &str = "[AUTO-APPROVED AT CAP]";

/// The reviewer's remaining concerns; `None` for feedback without the mark.
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
