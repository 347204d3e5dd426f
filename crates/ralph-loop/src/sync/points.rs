//! What is open on a pull request: threads with the comments that count, and failed checks. Pure.

use forge::{Check, Checks, Comment, Thread, ThreadPlace};
use serde::Serialize;
use tasks::Sha256Digest;

use super::people::People;

/// The beginning of what Ralph itself writes in threads.
pub(super) const OWN_MARK: &str = "**Ralph**: ";

/// One entry of the feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Point {
    Thread {
        at: ThreadPlace,
        /// Those that count; at least one.
        comments: Vec<Comment>,
    },
    Check {
        check: Check,
        /// The commit that was checked.
        commit: String,
    },
}

/// Something on the pull request that is not handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ignored {
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) url: String,
}

impl Point {
    /// Names it in the state of `sync`.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Thread { at, .. } => format!("thread:{}", at.id),
            Self::Check { check, .. } => format!("check:{}", check.name),
        }
    }

    /// Changes with each comment that counts, and with the commit of a check.
    pub(super) fn digest(&self) -> Sha256Digest {
        match self {
            Self::Thread { comments, .. } => {
                let texts: Vec<_> = comments.iter().map(|it| (&it.url, &it.body)).collect();
                Sha256Digest::of(format!("{texts:?}"))
            }
            Self::Check { commit, .. } => Sha256Digest::of(commit),
        }
    }

    /// For messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Thread { at, comments } => shown_comment(at, author(&comments[0])),
            Self::Check { check, .. } => format!("check {}", check.name),
        }
    }

    pub(super) fn url(&self) -> &str {
        match self {
            Self::Thread { at, .. } => &at.url,
            Self::Check { check, .. } => check.url.as_deref().unwrap_or_default(),
        }
    }

    /// Who waits for an answer.
    pub(super) fn authors(&self) -> impl Iterator<Item = &str> {
        let comments = match self {
            Self::Thread { comments, .. } => &comments[..],
            Self::Check { .. } => &[],
        };
        comments.iter().filter_map(|comment| comment.author.as_deref())
    }

    pub(super) fn ignored(&self, why: impl Into<String>) -> Ignored {
        Ignored { what: self.shown(), why: why.into(), url: self.url().to_owned() }
    }
}

pub(super) fn author(comment: &Comment) -> &str {
    comment.author.as_deref().unwrap_or("a deleted user")
}

fn shown_comment(at: &ThreadPlace, author: &str) -> String {
    format!("{}, comment of {author}", place(at))
}

pub(super) fn place(at: &ThreadPlace) -> String {
    match (&at.path, at.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.clone(),
        (None, _) => "review".to_owned(),
    }
}

/// The open points, and the comments in open threads that do not count.
pub(super) fn open_points(
    threads: Vec<Thread>,
    checks: &Checks,
    head: &str,
    people: &People,
) -> (Vec<Point>, Vec<Ignored>) {
    let (mut points, mut ignored) = (Vec::new(), Vec::new());
    for Thread { at, comments, .. } in threads.into_iter().filter(|thread| !thread.is_resolved) {
        let mut counted = Vec::new();
        for comment in comments {
            match people.objection(&comment) {
                None => counted.push(comment),
                Some(why) => ignored.push(Ignored {
                    what: shown_comment(&at, author(&comment)),
                    why: why.to_owned(),
                    url: comment.url,
                }),
            }
        }
        if !counted.is_empty() {
            points.push(Point::Thread { at, comments: counted });
        }
    }
    let mut failed: Vec<&Check> = checks.failed().collect();
    // Several runs of a check have its name.
    failed.dedup_by(|one, other| one.name == other.name);
    points.extend(
        failed
            .into_iter()
            .map(|check| Point::Check { check: check.clone(), commit: head.to_owned() }),
    );
    (points, ignored)
}
