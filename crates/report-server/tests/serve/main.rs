//! Tests of the server over TCP.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod auth;
mod connections;
mod harness;
mod live;
mod malformed;
mod orders;
mod shutdown;
