//! A run as traces and metrics: [`Exporter`] turns its events into the requests of OTLP over HTTP, with JSON. It
//! follows the conventions of OpenTelemetry for generative AI.
//!
//! No I/O: the caller sends the requests. Not exported: prompts, output, errors, commands and paths.

mod exporter;
mod metrics;
mod otlp;
mod session;
mod span;
mod tracer;

pub use exporter::{Exporter, Request, Signal};
