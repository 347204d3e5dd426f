//! Rust tests: functions with a test attribute, anywhere.

mod assertions;
mod attributes;
mod reader;
mod scan;

pub(crate) use reader::read;
