//! Whose comments count.

use std::collections::BTreeMap;

use anyhow::Result;
use forge::{Comment, Thread};
use run_options::Commenters;

use super::points::OWN_MARK;
use crate::forge_access::ForgeAccess;

#[derive(Debug)]
pub(super) struct People {
    /// The user of the access token.
    own: String,
    /// Whether they may write; `None` if everyone counts.
    writers: Option<BTreeMap<String, bool>>,
}

impl People {
    /// Asks the forge about the authors of open threads.
    pub(super) fn ask(
        access: &ForgeAccess,
        commenters: Commenters,
        threads: &[Thread],
    ) -> Result<Self> {
        let own = access.call(forge::Client::current_user)?;
        if commenters == Commenters::Everyone {
            return Ok(Self { own, writers: None });
        }
        let mut writers = BTreeMap::new();
        let open = threads.iter().filter(|thread| !thread.is_resolved);
        let authors = open.flat_map(|thread| &thread.comments).filter_map(|it| it.author.as_ref());
        for author in authors.filter(|author| !author.eq_ignore_ascii_case(&own)) {
            if !writers.contains_key(author) {
                let may_write = access.call(|client| client.may_write(author))?;
                writers.insert(author.clone(), may_write);
            }
        }
        Ok(Self { own, writers: Some(writers) })
    }

    /// Why a comment does not count.
    pub(super) fn objection(&self, comment: &Comment) -> Option<&'static str> {
        let Some(author) = &comment.author else { return Some("its author was deleted") };
        if author.eq_ignore_ascii_case(&self.own) {
            return Some("by the user of the access token");
        }
        if comment.body.starts_with(OWN_MARK) {
            return Some("written by Ralph");
        }
        let may_write = |writers: &BTreeMap<String, bool>| writers.get(author) == Some(&true);
        let counts = self.writers.as_ref().is_none_or(may_write);
        (!counts).then_some("no write access")
    }

    #[cfg(test)]
    pub(super) fn everyone(own: &str) -> Self {
        Self { own: own.to_owned(), writers: None }
    }

    #[cfg(test)]
    pub(super) fn known(own: &str, writers: &[&str]) -> Self {
        let writers = writers.iter().map(|login| ((*login).to_owned(), true)).collect();
        Self { own: own.to_owned(), writers: Some(writers) }
    }
}
