//! Serves the live HTML report of a run over HTTP: on loopback, protected by a token, and read-only
//! unless orders are allowed.
//!
//! One thread reads the run's log and renders (`renderer`); one async thread talks to browsers (`server`).
//! They share the latest `snapshot`. `html_report` renders the page, and `PageSource` provides the data
//! that is not in the log.

mod auth;
mod diff_loader;
mod hosts;
mod limits;
mod rate_limit;
mod renderer;
mod response;
mod run_follower;
mod serve_error;
mod server;
mod snapshot;
mod stream;
mod token;

pub use limits::ServerLimits;
pub use renderer::PageSource;
pub use serve_error::ServeError;
pub use server::{Server, ServerOptions, Stopper};
pub use token::Token;
