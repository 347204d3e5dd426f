//! Tests of Go: `TestX`, `FuzzX` and `ExampleX` of `_test.go` files, and methods of suites.

mod assertions;
mod reader;
mod scan;

pub(crate) use reader::read;
