//! Tests of Python, as pytest and unittest find them: functions and methods whose name begins with
//! `test`.

mod assertions;
mod decorators;
mod reader;
mod scan;
mod statement;

pub(crate) use reader::read;
