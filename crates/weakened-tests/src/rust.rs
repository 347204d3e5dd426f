//! Tests of Rust: functions under an attribute that makes them tests, wherever they are.

mod assertions;
mod attributes;
mod reader;
mod scan;

pub(crate) use reader::read;
