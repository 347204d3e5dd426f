//! The page of a run over HTTP, kept up to date while the run goes on: on loopback, for whoever has the
//! link, and only to look at unless somebody said that the run may be told something through it.
//!
//! One thread reads the run's log and paints (`renderer`); one thread talks to browsers, and only it is
//! async (`server`). They meet at the `snapshot`, where the newest picture hangs. Not here: what the page
//! looks like (`page`), and anything that is not in the log (`Material` brings it).

mod answer;
mod auth;
mod changes;
mod hosts;
mod limits;
mod pace;
mod renderer;
mod serve_error;
mod server;
mod snapshot;
mod stream;
mod subject;
mod token;

pub use hosts::NoHost;
pub use limits::Limits;
pub use renderer::{Given, Material};
pub use serve_error::ServeError;
pub use server::{Options, Orders, Reach, Server, Stopper, Until};
pub use subject::Which;
pub use token::{Token, TokenError};
