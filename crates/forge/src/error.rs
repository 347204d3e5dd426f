//! Why a call to the forge failed, and what helps.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use background_sender::SendError;
use chrono::DateTime;
use thiserror::Error;

use crate::ForgeKind;

/// Texts of the forge in it are sanitized. No variant contains a token.
#[derive(Debug, Error)]
pub enum ForgeError {
    #[error("curl is not in PATH")]
    NoCurl,
    #[error("no access token for {kind}")]
    NoToken { kind: ForgeKind },
    #[error("{kind} refused the access token (401)")]
    Unauthorized { kind: ForgeKind },
    #[error("{call}: permission denied (403){}", after_colon(message))]
    Forbidden {
        call: String,
        message: String,
        /// The permission or scope, if the forge names it.
        needs: Option<String>,
    },
    #[error("{call}: not found, or not visible with this access token (404)")]
    NotFound { call: String, has_token: bool },
    #[error("{kind} has no {what} {name:?}")]
    NoSuch { kind: ForgeKind, what: &'static str, name: String },
    /// Also if the forge has not yet found out whether it can be merged.
    #[error("the pull request cannot be merged{}", after_colon(message))]
    NotMergeable { message: String },
    #[error("the pull request has other commits than expected{}", after_colon(message))]
    HeadMoved { message: String },
    #[error("the rules of the branch forbid the merge{}", after_colon(message))]
    BranchProtected { message: String },
    #[error("{call}: refused ({status}){}", after_colon(&messages.join("; ")))]
    Rejected { call: String, status: u16, messages: Vec<String> },
    #[error("{kind} limits the number of requests{}", retry.map(until).unwrap_or_default())]
    RateLimited { kind: ForgeKind, retry: Option<Retry> },
    #[error("{call}: redirected to {to}, which is not followed")]
    Redirected { call: String, to: String },
    #[error("{call}: the server failed ({status})")]
    Server { call: String, status: u16 },
    #[error("{call}: the answer is larger than {most} bytes")]
    TooLarge { call: String, most: usize },
    #[error("{call}: more than {pages} pages")]
    TooManyPages { call: String, pages: usize },
    #[error("{call}: the answer was not understood: {why}")]
    NotUnderstood { call: String, why: String },
    /// Offline, TLS, timeout.
    #[error("cannot reach the forge: {0}")]
    Unreachable(SendError),
    #[error("stopped")]
    Stopped,
    #[error("cannot write the request to a temporary file: {0}")]
    NoTemporaryFile(std::io::Error),
}

/// When a limited request may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    After(Duration),
    At(SystemTime),
}

impl Retry {
    /// The time to wait.
    pub fn wait(self, now: SystemTime) -> Duration {
        match self {
            Self::After(duration) => duration,
            Self::At(time) => time.duration_since(now).unwrap_or_default(),
        }
    }
}

impl ForgeError {
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoCurl => "install curl".to_owned(),
            Self::NoToken { kind } => format!("set {}", variables(*kind)),
            Self::Unauthorized { kind } => {
                format!("the token is wrong or expired; set a new one in {}", variables(*kind))
            }
            Self::Forbidden { needs: Some(needs), .. } => {
                format!("give the access token the permission {needs}")
            }
            Self::Forbidden { .. } => {
                "check what the access token may do, and that its user may write to the repository"
                    .into()
            }
            Self::NotFound { has_token: false, .. } => {
                "check the remote; a private repository needs an access token".into()
            }
            Self::NotFound { .. } => {
                "check the remote and the number, and that the access token has the repository"
                    .into()
            }
            Self::NotMergeable { .. } => {
                "merge the base branch into the branch, or try again in a minute".into()
            }
            Self::HeadMoved { .. } => "fetch the branch and run again".into(),
            Self::BranchProtected { .. } => {
                "wait for the required checks and reviews, or merge by hand".into()
            }
            Self::RateLimited { .. } => "wait, or use an access token with a higher limit".into(),
            Self::Redirected { .. } => "set the remote to the new address".into(),
            Self::Server { .. } => "try again later".into(),
            Self::Unreachable(_) => "check the network and the address of the forge".into(),
            Self::NotUnderstood { .. } => {
                "check the kind of the forge and the address of its API".into()
            }
            Self::NoSuch { .. }
            | Self::Rejected { .. }
            | Self::TooLarge { .. }
            | Self::TooManyPages { .. }
            | Self::Stopped
            | Self::NoTemporaryFile(_) => return None,
        };
        Some(hint)
    }

    /// Whether the same call may succeed later without the user's help.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Server { .. } | Self::RateLimited { .. })
    }
}

fn variables(kind: ForgeKind) -> String {
    kind.token_variables().join(" or ")
}

fn after_colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn until(retry: Retry) -> String {
    match retry {
        Retry::After(duration) => format!("; wait {} seconds", duration.as_secs()),
        Retry::At(time) => {
            let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
            let shown = DateTime::from_timestamp(seconds, 0);
            shown.map_or_else(String::new, |time| time.format(" until %F %T UTC").to_string())
        }
    }
}
