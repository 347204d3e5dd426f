//! Problems in an agent's handoff, and where they are.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `bugs_encountered[2].resolved`; empty for the whole document.
    pub at: String,
    pub fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Missing,
    Blank,
    /// `found` is short and on one line.
    Unexpected {
        expected: &'static str,
        found: String,
    },
    TooMany {
        found: usize,
        kept: usize,
    },
    TooLong {
        kept: usize,
    },
    TooLarge {
        limit: usize,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_empty() {
            return self.fault.fmt(f);
        }
        write!(f, "{}: {}", self.at, self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing => f.write_str("missing"),
            Fault::Blank => f.write_str("is empty"),
            Fault::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            Fault::TooMany { found, kept } => {
                write!(f, "{found} entries; only the first {kept} are kept")
            }
            Fault::TooLong { kept } => write!(f, "longer than {kept} characters, so it was cut"),
            Fault::TooLarge { limit } => write!(f, "larger than {limit} bytes, so it was left out"),
        }
    }
}
