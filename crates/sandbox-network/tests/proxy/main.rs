//! A proxy between real connections on the loopback.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod allowed;
mod harness;
mod lifetime;
mod refused;
