//! Sends items of a run in the background, so that the run never waits: [`BackgroundSender`]. [`Endpoint`] posts JSON
//! with the installed `curl`.
//!
//! The caller decides what is sent, and reports failures.

mod context;
mod endpoint;
mod sender;

pub use context::{SendContext, SendError};
pub use endpoint::{CURL_ARGS, CURL_MARGIN, Endpoint, curl_error, curl_quoted};
pub use sender::{BackgroundSender, Destination, PATIENCE, SendFailure};
