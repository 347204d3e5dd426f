//! Calls to a forge on loopback with the real `curl`. The fixtures have the shapes of the public API documentation of
//! GitHub, Forgejo and GitLab.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test panics")]

mod errors;
mod issues;
mod pulls;
mod reviews;
mod subjects;
mod support;
