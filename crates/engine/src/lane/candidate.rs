//! The candidates for a story: fresh attempts from the same commit, of which one is taken over.

use serde::{Deserialize, Serialize};

/// Those of one iteration, with the commit from which they start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Candidates {
    pub(crate) base: String,
    pub(crate) ended: Vec<Candidate>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Candidate {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) commit: String,
    /// It submitted the story, followed the rules and passed the checks.
    pub(crate) passes: bool,
}

impl Candidates {
    pub(crate) fn has(&self, number: u64) -> bool {
        self.ended.iter().any(|candidate| candidate.number == number)
    }

    pub(crate) fn passing(&self) -> Vec<&Candidate> {
        self.ended.iter().filter(|candidate| candidate.passes).collect()
    }
}

/// What the last line of a reviewer's message chooses: `<candidate>2</candidate>`.
pub(crate) fn chosen_in(message: &str) -> Option<u64> {
    let bare = |line: &str| line.trim().trim_matches(['`', '*']).trim().to_owned();
    let last = message.lines().rev().map(bare).find(|line| !line.is_empty())?;
    let number = last.strip_prefix("<candidate>")?.strip_suffix("</candidate>")?;
    number.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_chooses() {
        assert_eq!(chosen_in("Both work.\n\n**<candidate>2</candidate>**\n"), Some(2));
        assert_eq!(chosen_in("<candidate>1</candidate>\n<candidate>3</candidate>"), Some(3));
        for unclear in ["", "2", "<candidate>1</candidate>\nor not", "<candidate>x</candidate>"] {
            assert_eq!(chosen_in(unclear), None, "{unclear}");
        }
    }
}
