//! Discussions of GitLab's merge requests.

use serde::Deserialize;

use super::{Comment, Thread, ThreadPlace};
use crate::Client;
use crate::client::Result;

#[derive(Debug, Deserialize)]
struct Discussion {
    id: String,
    notes: Vec<Note>,
}

#[derive(Debug, Deserialize)]
struct Note {
    id: u64,
    body: String,
    author: Option<Author>,
    /// Written by GitLab itself.
    #[serde(default)]
    system: bool,
    #[serde(default)]
    resolvable: bool,
    #[serde(default)]
    resolved: bool,
    position: Option<Position>,
}

#[derive(Debug, Deserialize)]
struct Author {
    username: String,
}

#[derive(Debug, Deserialize)]
struct Position {
    new_path: Option<String>,
    old_path: Option<String>,
    new_line: Option<u64>,
    old_line: Option<u64>,
}

impl Client {
    pub(super) fn gitlab_threads(&self, pull: u64) -> Result<Vec<Thread>> {
        let (discussions, page) = self.discussions(pull)?;
        let threads = discussions.into_iter().filter_map(|discussion| {
            let first = discussion.notes.first().filter(|note| note.resolvable)?;
            let position = first.position.as_ref();
            let path = position.and_then(|at| at.new_path.clone().or(at.old_path.clone()));
            let at = ThreadPlace {
                id: discussion.id,
                path,
                line: position.and_then(|at| at.new_line.or(at.old_line)),
                url: format!("{page}#note_{}", first.id),
            };
            let mut resolvable = discussion.notes.iter().filter(|note| note.resolvable);
            let is_resolved = resolvable.all(|note| note.resolved);
            let comments = comments(discussion.notes, &page);
            Some(Thread { at, is_resolved, is_outdated: false, comments })
        });
        Ok(threads.collect())
    }

    pub(super) fn gitlab_conversation(&self, pull: u64) -> Result<Vec<Comment>> {
        let (discussions, page) = self.discussions(pull)?;
        let notes = discussions.into_iter().flat_map(|discussion| discussion.notes);
        Ok(comments(notes.filter(|note| !note.resolvable), &page))
    }

    /// With the address of the merge request, which notes do not have.
    fn discussions(&self, pull: u64) -> Result<(Vec<Discussion>, String)> {
        let page = self.pull(pull)?.url;
        let path = format!("/merge_requests/{pull}/discussions?per_page=100");
        Ok((self.pages(&path)?, page))
    }
}

fn comments(notes: impl IntoIterator<Item = Note>, page: &str) -> Vec<Comment> {
    let by_people = notes.into_iter().filter(|note| !note.system);
    let comment = |note: Note| Comment {
        author: note.author.map(|author| author.username),
        association: None,
        body: note.body,
        url: format!("{page}#note_{}", note.id),
    };
    by_people.map(comment).collect()
}
