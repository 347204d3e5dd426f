//! Go tests: `TestX`, `FuzzX` and `ExampleX` in `_test.go` files, and suite methods.

mod assertions;
mod reader;
mod scan;

pub(crate) use reader::read;
