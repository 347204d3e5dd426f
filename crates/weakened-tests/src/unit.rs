//! A test, a group of tests, or a helper function.

use crate::body::Body;
use crate::mark::{Mark, Marked};
use crate::subject::Subject;

/// Limit for messages and prompts.
const LONGEST_NAME: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Test,
    Group,
    Helper,
    File,
}

#[derive(Debug)]
pub(crate) struct Unit<'a> {
    pub(crate) role: Role,
    /// Qualified by its groups, in the notation of its language.
    pub(crate) name: String,
    pub(crate) leaf: &'a str,
    pub(crate) marks: Vec<Marked>,
    pub(crate) body: Body<'a>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(role: Role, name: String, leaf: &'a str) -> Self {
        Self { role, name, leaf, marks: Vec::new(), body: Body::default() }
    }

    /// The unit for the file as a whole.
    pub(crate) fn file() -> Self {
        Self::new(Role::File, String::new(), "")
    }

    pub(crate) fn mark(&mut self, mark: Mark, words: impl Into<String>) {
        self.marks.push(Marked::new(mark, words));
    }

    pub(crate) fn subject(&self) -> Subject {
        let name = self.name.clone();
        match self.role {
            Role::Test => Subject::Test(name),
            Role::Group => Subject::Group(name),
            Role::Helper => Subject::Helper(name),
            Role::File => Subject::File,
        }
    }
}

/// `leaf` in `group`, safe for one line between back quotes.
pub(crate) fn qualified(group: &str, between: &str, leaf: &str) -> String {
    let leaf = shown(leaf);
    if group.is_empty() { leaf } else { shown(&format!("{group}{between}{leaf}")) }
}

/// Foreign text, shortened and safe between back quotes.
pub(crate) fn shown(words: &str) -> String {
    let cut: String = words.chars().take(LONGEST_NAME + 1).collect();
    let plain = sanitize::plain(&cut).replace('`', "'");
    match plain.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", plain.get(..end).unwrap_or_default()),
        None => plain,
    }
}
