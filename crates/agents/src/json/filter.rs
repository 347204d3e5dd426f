//! One filter: compiled once, run on many lines within limits.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use jaq_core::load::parse::{Def, Term};
use jaq_core::load::{Arena, File, Lexer, Loader, Parser};
use jaq_core::{Compiler, Ctx, Vars};
use jaq_json::Val;

use super::bounds::{self, BoundedJson, Budget};

/// The maximum number of outputs per line.
const MOST_OUTPUTS: usize = 100;

/// The name of the user's filter in the compiled program.
const MAIN: &str = "__filter";

#[derive(Clone)]
pub struct Filter(Arc<jaq_core::Filter<BoundedJson>>);

/// A filter that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("character {character}: {what}")]
pub struct BadFilter {
    /// Counted from 1.
    pub character: usize,
    pub what: String,
}

impl Filter {
    pub fn compile(code: &str) -> Result<Self, BadFilter> {
        let mut body = parsed(code)?;
        bounds::count_steps(&mut body).map_err(|what| BadFilter { character: 1, what })?;
        let main = Def { name: MAIN, args: Vec::new(), body: bounds::counted(body) };
        let arena = Arena::default();
        let loader = Loader::new(bounds::prelude().chain([main]));
        let loaded = loader.load(&arena, File { code: MAIN, path: () });
        let modules = loaded.map_err(|_| BadFilter::at(code, "", "the filter cannot be parsed"))?;
        let compiled = Compiler::default().with_funs(bounds::natives()).compile(modules);
        let filter = compiled.map_err(|errors| {
            let first = errors.into_iter().flat_map(|(_, errors)| errors).next();
            let (name, kind) = first.map_or(("", "filter"), |(name, kind)| (name, kind.as_str()));
            BadFilter::at(code, name, format!("unknown {kind} {name}"))
        })?;
        Ok(Self(Arc::new(filter)))
    }

    /// Its outputs for a line, up to the first error.
    pub(super) fn run(&self, line: &Val) -> Vec<Val> {
        let steps = Cell::new(bounds::MOST_STEPS);
        let budget = Budget { lut: &self.0.lut, steps: &steps };
        let outputs = self.0.id.run((Ctx::<BoundedJson>::new(budget, Vars::new([])), line.clone()));
        outputs.map_while(Result::ok).take(MOST_OUTPUTS).collect()
    }
}

fn parsed(code: &str) -> Result<Term<&str>, BadFilter> {
    let unparsed = || BadFilter::at(code, "", "the filter cannot be parsed");
    let expected = |what: &str, found| BadFilter::at(code, found, format!("expected {what}"));
    let tokens = Lexer::new(code).lex().map_err(|errors| {
        errors.first().map_or_else(unparsed, |(what, found)| expected(what.as_str(), found))
    })?;
    Parser::new(&tokens).parse(Parser::term).map_err(|errors| {
        errors.first().map_or_else(unparsed, |(what, found)| {
            expected(what.as_str(), found.map_or("", |token| token.as_str()))
        })
    })
}

impl BadFilter {
    /// `found` is a part of `code`; if it is empty, the filter ends too early.
    fn at(code: &str, found: &str, what: impl Into<String>) -> Self {
        let offset = (found.as_ptr() as usize).checked_sub(code.as_ptr() as usize);
        let before = offset.filter(|_| !found.is_empty()).and_then(|offset| code.get(..offset));
        Self { character: before.unwrap_or(code).chars().count() + 1, what: what.into() }
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filter")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(code: &str, line: &str) -> Vec<String> {
        let filter = Filter::compile(code).unwrap_or_else(|error| panic!("{code}: {error}"));
        let outputs = bounds::on_own_stack(|| {
            let line = serde_json::from_str(line).unwrap();
            filter.run(&line).iter().map(ToString::to_string).collect()
        });
        outputs.unwrap()
    }

    #[test]
    fn filters_behave_like_jq() {
        let line = r#"{"a":[{"t":"x","n":1},{"t":"y","n":2}],"b":"Hi There"}"#;
        for (code, expected) in [
            (".b", vec![r#""Hi There""#]),
            (".a[] | select(.n > 1) | .t", vec![r#""y""#]),
            (".a | map(.n * 2) | add", vec!["6"]),
            (r#"[.a[].t] | join("-")"#, vec![r#""x-y""#]),
            (r#".b | ascii_downcase | split(" ")[0]"#, vec![r#""hi""#]),
            ("del(.a) | to_entries[] | .key", vec![r#""b""#]),
            ("[.. | numbers] | length, ([range(3)] | add)", vec!["2", "3"]),
            (r#""[1, 2]" | fromjson | .[1]"#, vec!["2"]),
            ("def f(x): x | length; f(.b)", vec!["8"]),
            (".c // empty", vec![]),
            (".a.x", vec![]),
            (".a[0].t, error, .b", vec![r#""x""#]),
        ] {
            assert_eq!(run(code, line), expected, "{code}");
        }
    }

    #[test]
    fn every_filter_ends() {
        for code in [
            "range(infinite)",
            "last(range(infinite))",
            "[range(infinite)]",
            "[range(infinite)?]",
            "repeat(.)",
            "[repeat(.)] | length",
            "def f: f; f",
            "def f: f?; f",
            "def f: try error catch f; f",
            "def f: 1 + f; f",
            "until(false; .)",
            "last(recurse(. + 1; true))",
            "[limit(1e12; repeat(1))]",
            "reduce range(infinite) as $x (0; . + $x)",
            "first(range(infinite) | select(. < 0))",
            "__filter",
        ] {
            assert!(run(code, "1").len() <= MOST_OUTPUTS, "{code}");
        }
        assert_eq!(run("range(infinite)", "1").len(), MOST_OUTPUTS);
    }

    /// An agent must not be able to make the runner allocate without limit.
    #[test]
    fn a_text_is_not_repeated() {
        let line = r#"{"a":"xxxxxxxx","b":1000000000000000}"#;
        assert_eq!(run(".a * .b", line), [""; 0]);
        assert_eq!(run(".b * .a", line), [""; 0]);
        assert_eq!(run("{a: {b: 1}} * {a: {c: 2}} | .a | length", line), ["2"]);
        let nested = format!("\"{}\"", "[".repeat(100_000));
        assert_eq!(run("fromjson", &nested), [""; 0]);
    }

    #[test]
    fn filters_can_only_read_the_line() {
        for code in [
            "env",
            "$ENV",
            "input",
            "inputs",
            "now",
            "halt",
            "halt_error",
            "debug",
            "stderr",
            "input_filename",
            "get_search_list",
            "$__prog_args",
            r#"import "a" as a; ."#,
            r#"include "a"; ."#,
        ] {
            assert!(Filter::compile(code).is_err(), "{code}");
        }
    }

    #[test]
    fn a_broken_filter_is_named_with_its_place() {
        for (code, expected) in [
            (".a | foo", "character 6: unknown filter foo"),
            ("ä | $x", "character 1: expected token"),
            (".a | [.b", "character 9: expected closing bracket"),
            (".a |", "character 5: expected term"),
            (".a *= 2", "character 1: the operator *= is not supported"),
            ("", "character 1: expected term"),
        ] {
            let error = Filter::compile(code).unwrap_err().to_string();
            assert_eq!(error, expected, "{code}");
        }
    }
}
