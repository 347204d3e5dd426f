//! A way in which the tests of a file became weaker, and its message.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::mark::Mark;
use crate::subject::Subject;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "weakening")]
pub enum Weakening {
    Removed {
        test: String,
    },
    CommentedOut {
        test: String,
    },
    /// `names` are the first few of its tests.
    FileRemoved {
        tests: usize,
        names: Vec<String>,
    },
    /// Renamed to a name that no test runner collects.
    FileNotCollected {
        from: String,
        tests: usize,
    },
    /// The function exists, under this or another name, but no test runner collects it.
    NotCollected {
        test: String,
        now: String,
    },
    Marked {
        subject: Subject,
        mark: Mark,
        words: String,
    },
    /// Not weaker than before, but unusual for a new test.
    BornSkipped {
        subject: Subject,
        words: String,
    },
    Emptied {
        test: String,
    },
    FewerAssertions {
        subject: Subject,
        before: usize,
        after: usize,
    },
    Loosened {
        subject: Subject,
        before: String,
        after: String,
    },
    AlwaysTrue {
        test: String,
        assertion: String,
    },
    /// A setting that excludes tests.
    LeftOut {
        setting: String,
    },
    /// A command that succeeds even if tests fail.
    Silenced {
        name: String,
        command: String,
    },
    TooLarge {
        limit_mib: usize,
    },
    /// Further findings beyond the limit.
    More {
        count: usize,
    },
}

impl fmt::Display for Weakening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Removed { test } => write!(f, "`{test}` is gone"),
            Self::CommentedOut { test } => write!(f, "`{test}` is commented out"),
            Self::FileRemoved { tests, names } => file_removed(f, *tests, names),
            Self::FileNotCollected { from, tests } => write!(
                f,
                "was `{from}`: under its new name, no test runner collects its {}",
                Count(*tests, "test")
            ),
            Self::NotCollected { test, now } if test == now => {
                write!(f, "`{test}` still exists, but is no test any more")
            }
            Self::NotCollected { test, now } => {
                write!(f, "`{test}` is `{now}` now, which no test runner collects")
            }
            Self::Marked { subject, mark, words } => marked(f, subject, *mark, words),
            Self::BornSkipped { subject, words } => {
                write!(f, "{subject} is new and skipped (`{words}`)")
            }
            Self::Emptied { test } => write!(f, "`{test}` is empty now"),
            Self::FewerAssertions { subject, before, after } => {
                write!(f, "{subject} has {}, had {before}", Count(*after, "assertion"))
            }
            Self::Loosened { subject, before, after } => {
                write!(f, "{subject} asserts less strictly: `{before}` became `{after}`")
            }
            Self::AlwaysTrue { test, assertion } => {
                write!(f, "`{test}` asserts what is always true: `{assertion}`")
            }
            Self::LeftOut { setting } => write!(f, "now excludes tests: `{setting}`"),
            Self::Silenced { name, command } => {
                write!(f, "`{name}` now succeeds even if tests fail: `{command}`")
            }
            Self::TooLarge { limit_mib } => {
                write!(f, "larger than {limit_mib} MiB, so its tests were not compared")
            }
            Self::More { count } => write!(f, "and {count} more"),
        }
    }
}

fn file_removed(f: &mut fmt::Formatter<'_>, tests: usize, names: &[String]) -> fmt::Result {
    write!(f, "the file was removed with {}: ", Count(tests, "test"))?;
    for (at, name) in names.iter().enumerate() {
        write!(f, "{}`{name}`", if at > 0 { ", " } else { "" })?;
    }
    if tests > names.len() { f.write_str(", …") } else { Ok(()) }
}

fn marked(f: &mut fmt::Formatter<'_>, subject: &Subject, mark: Mark, words: &str) -> fmt::Result {
    match mark {
        Mark::Skipped => write!(f, "{subject} is skipped now (`{words}`)"),
        Mark::MaybeSkipped => write!(f, "{subject} may be skipped now (`{words}`)"),
        Mark::FailureExpected => write!(f, "{subject} is expected to fail now (`{words}`)"),
        Mark::Alone => write!(f, "{subject} runs alone now (`{words}`): other tests do not run"),
        Mark::ReturnsEarly => write!(f, "{subject} returns before its assertions now"),
    }
}

struct Count(usize, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.0, self.1, if self.0 == 1 { "" } else { "s" })
    }
}
