//! Tests of JavaScript and TypeScript, as Jest, Vitest, Mocha, Jasmine, Playwright and Node's runner
//! know them: calls of `it` and `test`, inside calls of `describe`.

mod assertions;
mod call;
mod reader;
pub(crate) mod scan;

pub(crate) use reader::read;
