//! The server as programs meet it: over TCP, byte by byte.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod crowds;
mod doors;
mod ending;
mod harness;
mod live;
mod malformed;
mod orders;
