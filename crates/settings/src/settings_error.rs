//! All problems of the settings in one error.

use std::fmt;

/// The most problems in one message.
const SHOWN: usize = 30;

#[derive(Debug)]
pub struct SettingsError {
    pub problems: Vec<String>,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.problems.as_slice() {
            return only.fmt(f);
        }
        write!(f, "the settings have {} problems:", self.problems.len())?;
        self.problems.iter().take(SHOWN).try_for_each(|problem| write!(f, "\n  {problem}"))?;
        match self.problems.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl std::error::Error for SettingsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(count: usize) -> String {
        let problem = |n| format!("s.json: duplicate key \"k{n}\"");
        SettingsError { problems: (0..count).map(problem).collect() }.to_string()
    }

    #[test]
    fn one_problem_is_a_line_and_more_are_a_list() {
        assert_eq!(error(1), "s.json: duplicate key \"k0\"");
        let two = error(2);
        assert!(
            two.starts_with("the settings have 2 problems:\n  s.json: duplicate key \"k0\""),
            "{two}"
        );
        assert!(error(30).ends_with("duplicate key \"k29\""));
        assert!(error(32).ends_with("duplicate key \"k29\"\n  and 2 more"));
    }
}
