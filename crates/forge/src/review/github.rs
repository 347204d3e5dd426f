//! Review threads of GitHub, by GraphQL: only it knows which are resolved.

use serde::Deserialize;
use serde_json::json;

use super::{Comment, Thread, ThreadPlace};
use crate::client::Result;
use crate::{Client, ForgeError};

const QUERY: &str = "query($owner:String!,$name:String!,$number:Int!,$after:String){\
    repository(owner:$owner,name:$name){pullRequest(number:$number){\
    reviewRequests(first:100){nodes{requestedReviewer{...on User{login}}}}\
    latestReviews(first:100){nodes{databaseId state body url authorAssociation author{login}}}\
    reviewThreads(first:50,after:$after){pageInfo{hasNextPage endCursor}\
    nodes{isResolved isOutdated path line originalLine \
    comments(first:100){nodes{databaseId body url authorAssociation author{login}}}}}}}}";

const MOST_PAGES: usize = 40;

#[derive(Debug, Deserialize)]
struct Data {
    repository: Option<RepositoryNode>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RepositoryNode {
    pull_request: Option<PullNode>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullNode {
    /// For another review by the same people, which answers the last one.
    review_requests: Option<Nodes<ReviewRequest>>,
    latest_reviews: Option<Nodes<CommentNode>>,
    review_threads: Nodes<ThreadNode>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Nodes<T> {
    nodes: Vec<T>,
    page_info: Option<PageInfo>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadNode {
    is_resolved: bool,
    is_outdated: bool,
    path: String,
    line: Option<u64>,
    original_line: Option<u64>,
    comments: Nodes<CommentNode>,
}

/// A comment, or a review as a whole.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommentNode {
    database_id: Option<u64>,
    body: String,
    url: String,
    author_association: Option<String>,
    author: Option<Author>,
    state: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Author {
    login: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReviewRequest {
    requested_reviewer: Option<Requested>,
}

/// A team has no login.
#[derive(Debug, Deserialize)]
struct Requested {
    login: Option<String>,
}

impl Client {
    pub(super) fn github_threads(&self, pull: u64) -> Result<Vec<Thread>> {
        let (owner, name) = (&self.repository().owner, &self.repository().name);
        let (mut threads, mut after) = (Vec::new(), None::<String>);
        for _ in 0..MOST_PAGES {
            let variables = json!({ "owner": owner, "name": name, "number": pull, "after": after });
            let data: Data = self.graphql(QUERY, &variables)?;
            let found = data.repository.and_then(|repository| repository.pull_request);
            let not_found = || ForgeError::NotFound { call: "GraphQL".into(), has_token: true };
            let found = found.ok_or_else(not_found)?;
            if after.is_none() {
                let asked = logins(found.review_requests);
                let reviews = found.latest_reviews.map(|reviews| reviews.nodes);
                let mut reviews = reviews.unwrap_or_default();
                reviews.retain(|review| {
                    review.author.as_ref().is_none_or(|author| !asked.contains(&author.login))
                });
                threads.extend(reviews.into_iter().filter_map(requested_changes));
            }
            threads.extend(found.review_threads.nodes.into_iter().map(Thread::from));
            let page = found.review_threads.page_info;
            match page.filter(|page| page.has_next_page).and_then(|page| page.end_cursor) {
                Some(cursor) => after = Some(cursor),
                None => return Ok(threads),
            }
        }
        Err(ForgeError::TooManyPages { call: "GraphQL".into(), pages: MOST_PAGES })
    }
}

fn logins(requests: Option<Nodes<ReviewRequest>>) -> Vec<String> {
    let requests = requests.map(|requests| requests.nodes).unwrap_or_default();
    let people = requests.into_iter().filter_map(|request| request.requested_reviewer?.login);
    people.collect()
}

/// A review without text says everything in its threads.
fn requested_changes(review: CommentNode) -> Option<Thread> {
    let is_request = review.state.as_deref() == Some("CHANGES_REQUESTED");
    if !is_request || review.body.trim().is_empty() {
        return None;
    }
    let id = review.database_id.unwrap_or_default();
    let at =
        ThreadPlace { id: format!("review-{id}"), path: None, line: None, url: review.url.clone() };
    Some(Thread { at, is_resolved: false, is_outdated: false, comments: vec![review.into()] })
}

impl From<ThreadNode> for Thread {
    fn from(node: ThreadNode) -> Self {
        let first = node.comments.nodes.first();
        let id = first.and_then(|comment| comment.database_id).unwrap_or_default();
        let at = ThreadPlace {
            id: id.to_string(),
            path: Some(node.path),
            line: node.line.or(node.original_line),
            url: first.map(|comment| comment.url.clone()).unwrap_or_default(),
        };
        let comments = node.comments.nodes.into_iter().map(Comment::from).collect();
        Self { at, is_resolved: node.is_resolved, is_outdated: node.is_outdated, comments }
    }
}

impl From<CommentNode> for Comment {
    fn from(node: CommentNode) -> Self {
        Self {
            author: node.author.map(|author| author.login),
            association: node.author_association,
            body: node.body,
            url: node.url,
        }
    }
}
