//! Turns any text into a name that is safe for branches and folders.

const LONGEST: usize = 60;

/// Keeps letters and digits of any script and `_`, and replaces the rest with single dashes. `None` if nothing is left.
/// The result never looks like an option and never contains what git refuses in a ref (`..`, `x.lock`).
pub(crate) fn slug(text: &str) -> Option<String> {
    let kept = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
    let dashed: String = text.to_lowercase().chars().map(kept).collect();
    let words: Vec<&str> = dashed.split('-').filter(|word| !word.is_empty()).collect();
    let slug: String = words.join("-").chars().take(LONGEST).collect();
    let slug = slug.trim_end_matches('-');
    (!slug.is_empty()).then(|| slug.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_valid_git_ref() {
        for (typed, expected) in [
            ("Checkout flow", "checkout-flow"),
            ("--force", "force"),
            ("a..b~1^{x}", "a-b-1-x"),
            ("release.lock", "release-lock"),
            ("@{-1}", "1"),
            ("tab\tline\nnul\0", "tab-line-nul"),
            ("../../etc", "etc"),
            ("Größe_2", "größe_2"),
            ("日本", "日本"),
        ] {
            assert_eq!(slug(typed).as_deref(), Some(expected), "{typed:?}");
        }
    }

    #[test]
    fn text_without_letters_has_no_slug() {
        for typed in ["", " ", "///", "…", "-"] {
            assert_eq!(slug(typed), None, "{typed:?}");
        }
    }

    #[test]
    fn long_names_end_on_a_character() {
        let slug = slug(&"ab ".repeat(100)).unwrap();
        assert!(slug.chars().count() <= LONGEST && !slug.ends_with('-'), "{slug}");
    }
}
