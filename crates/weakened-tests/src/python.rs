//! Python tests, as pytest and unittest collect them: functions and methods named `test…`.

mod assertions;
mod decorators;
mod reader;
mod scan;
mod statement;

pub(crate) use reader::read;
