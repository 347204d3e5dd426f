//! Review comments of Forgejo. Those of one review at one line are a thread, as its pages show them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Comment, Thread, ThreadPlace, WireUser};
use crate::Client;
use crate::client::Result;

#[derive(Debug, Deserialize)]
struct Review {
    id: u64,
    user: Option<WireUser>,
    state: String,
    body: Option<String>,
    html_url: Option<String>,
    #[serde(default)]
    comments_count: u64,
    #[serde(default)]
    dismissed: bool,
}

#[derive(Debug, Deserialize)]
struct ReviewComment {
    id: u64,
    body: String,
    user: Option<WireUser>,
    /// Who resolved it.
    resolver: Option<Value>,
    path: String,
    /// A line of the new file; 0 if the comment is about a removed line.
    position: Option<u64>,
    original_position: Option<u64>,
    html_url: String,
}

impl Client {
    pub(super) fn forgejo_threads(&self, pull: u64) -> Result<Vec<Thread>> {
        let path = format!("/pulls/{pull}/reviews");
        let mut reviews: Vec<Review> = self.pages(&format!("{path}?limit=50"))?;
        reviews.sort_by_key(|review| review.id);
        let mut threads = requested_changes(&reviews);
        for review in reviews.iter().filter(|review| review.comments_count > 0) {
            let mut comments: Vec<ReviewComment> =
                self.get(&format!("{path}/{}/comments", review.id))?;
            comments.sort_by_key(|comment| comment.id);
            threads.extend(at_lines(comments));
        }
        Ok(threads)
    }
}

fn at_lines(comments: Vec<ReviewComment>) -> Vec<Thread> {
    let mut threads: Vec<Thread> = Vec::new();
    let mut by_line: BTreeMap<(String, Option<u64>), usize> = BTreeMap::new();
    for comment in comments {
        let is_line = |line: &u64| *line > 0;
        let line = comment.position.filter(is_line);
        let line = line.or(comment.original_position.filter(is_line));
        let text = Comment {
            author: comment.user.map(|user| user.login),
            association: None,
            body: comment.body,
            url: comment.html_url.clone(),
        };
        let known = by_line.get(&(comment.path.clone(), line));
        if let Some(thread) = known.and_then(|at| threads.get_mut(*at)) {
            thread.comments.push(text);
            continue;
        }
        by_line.insert((comment.path.clone(), line), threads.len());
        let id = comment.id.to_string();
        let at = ThreadPlace { id, path: Some(comment.path), line, url: comment.html_url };
        let is_resolved = comment.resolver.is_some();
        threads.push(Thread { at, is_resolved, is_outdated: false, comments: vec![text] });
    }
    threads
}

/// The last verdict of each reviewer counts. `reviews` are in order.
fn requested_changes(reviews: &[Review]) -> Vec<Thread> {
    let is_verdict = |review: &&Review| {
        // A request for another review answers the last one.
        matches!(review.state.as_str(), "APPROVED" | "REQUEST_CHANGES" | "REQUEST_REVIEW")
            && !review.dismissed
    };
    let mut last: BTreeMap<Option<&str>, &Review> = BTreeMap::new();
    for review in reviews.iter().filter(is_verdict) {
        last.insert(review.user.as_ref().map(|user| user.login.as_str()), review);
    }
    let has_text =
        |review: &Review| review.body.as_ref().is_some_and(|body| !body.trim().is_empty());
    let open = last.into_iter();
    let open = open.filter(|(_, it)| it.state == "REQUEST_CHANGES" && has_text(it));
    let thread = |(author, review): (Option<&str>, &Review)| {
        let url = review.html_url.clone().unwrap_or_default();
        let comment = Comment {
            author: author.map(str::to_owned),
            association: None,
            body: review.body.clone().unwrap_or_default(),
            url: url.clone(),
        };
        let id = format!("review-{}", review.id);
        let at = ThreadPlace { id, path: None, line: None, url };
        Thread { at, is_resolved: false, is_outdated: false, comments: vec![comment] }
    };
    open.map(thread).collect()
}
