//! JavaScript and TypeScript tests of Jest, Vitest, Mocha, Jasmine, Playwright and Node: calls of
//! `it` and `test` within `describe`.

mod assertions;
mod call;
mod reader;
pub(crate) mod scan;

pub(crate) use reader::read;
