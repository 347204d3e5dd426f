//! A proxy between real connections on the loopback.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod allowed;
mod harness;
mod lifetime;
mod refused;
