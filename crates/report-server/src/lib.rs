//! Serves the live HTML report of a run over HTTP: on loopback, protected by a token, and read-only
//! unless orders are allowed.
//!
//! One thread reads the run's log and renders (`renderer`); one async thread talks to browsers (`server`).
//! They share the latest `snapshot`. `html_report` renders the page, and `PageSource` provides the data
//! that is not in the log.

mod auth;
mod changes;
mod hosts;
mod limits;
mod pace;
mod renderer;
mod response;
mod serve_error;
mod server;
mod snapshot;
mod stream;
mod subject;
mod token;

pub use hosts::InvalidHost;
pub use limits::Limits;
pub use renderer::{OrderResult, PageSource};
pub use serve_error::ServeError;
pub use server::{Options, Orders, Reach, Server, Stopper, Until};
pub use subject::RunSelection;
pub use token::{Token, TokenError};
