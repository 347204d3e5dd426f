//! The command line: how many rounds to measure. No more than that is worth choosing.

const USAGE: &str =
    "usage: hook-bench [--runs N]   (N rounds, a fifth of it where git is involved)";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) cheap_rounds: usize,
    pub(crate) git_rounds: usize,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let rounds = match (arguments.next().as_deref(), arguments.next(), arguments.next()) {
            (None, ..) => 200,
            (Some("--runs"), Some(count), None) => {
                let count = count.parse().ok().filter(|count| *count > 0);
                count.ok_or_else(|| format!("--runs takes a number from 1 on\n{USAGE}"))?
            }
            _ => return Err(USAGE.into()),
        };
        Ok(Self { cheap_rounds: rounds, git_rounds: rounds.div_ceil(5) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options, String> {
        Options::parse(arguments.iter().map(|&argument| argument.to_owned()))
    }

    #[test]
    fn git_gets_a_fifth_of_the_rounds() {
        assert_eq!(parse(&[]), Ok(Options { cheap_rounds: 200, git_rounds: 40 }));
        assert_eq!(parse(&["--runs", "7"]), Ok(Options { cheap_rounds: 7, git_rounds: 2 }));
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [&["--runs"][..], &["--runs", "0"], &["--runs", "x"], &["5"], &["-h"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
