//! Issues of a forge (GitHub, Forgejo, GitLab) as stories, and a run's result as a pull request.
//!
//! Values in, values out: it prints nothing, reads no settings and calls no git. It reaches the forge through a
//! [`Transport`], which is the installed `curl` ([`Curl`]).

mod access;
mod checks;
mod client;
mod error;
mod import;
mod issue;
mod markdown;
mod outline;
mod pull;
mod remote;
mod repository;
mod review;
mod story;
mod subject;
mod token;
mod untrusted;

pub use access::{Permission, RepositoryAccess};
pub use checks::{Check, CheckState, Checks};
pub use client::{Answer, Client, Curl, Method, Request, Result, Transport};
pub use error::{ForgeError, Retry};
pub use import::import;
pub use issue::Issue;
pub use markdown::from_markdown;
pub use pull::{MOST_PULL_BODY, MergeMethod, Published, PullContent, PullRequest, PullState};
pub use remote::{Remote, RemoteError};
pub use repository::{ForgeKind, Repository};
pub use review::{Comment, Thread, ThreadPlace};
pub use story::{Import, Note};
pub use subject::Subject;
pub use token::Token;
