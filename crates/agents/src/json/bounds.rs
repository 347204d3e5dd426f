//! The limits of a filter: its steps on a line, its stack, and its inputs.
//!
//! A filter only repeats by calling a definition or by `range`, so both count as steps. It can only read the line:
//! no files, variables, clock or other lines.

use std::cell::Cell;

use jaq_core::box_iter::box_once;
use jaq_core::data::HasLut;
use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::native::{Fun, bome, v};
use jaq_core::ops::Math;
use jaq_core::path::Part;
use jaq_core::{Cv, DataT, Error, Exn, Lut, Native, ValXs};
use jaq_json::Val;

/// For one filter on one line.
pub(super) const MOST_STEPS: u32 = 2000;

/// For recursive filters: about 10 KiB per call in an unoptimized build.
const STACK: usize = 128 << 20;

const STEP: &str = "__step";
const TIMES: &str = "__times";

/// The data type of filters: JSON with the remaining steps.
pub(super) struct BoundedJson;

#[derive(Clone, Copy)]
pub(super) struct Budget<'a> {
    pub(super) lut: &'a Lut<BoundedJson>,
    pub(super) steps: &'a Cell<u32>,
}

impl DataT for BoundedJson {
    type V<'a> = Val;
    type Data<'a> = Budget<'a>;
}

impl<'a> HasLut<'a, BoundedJson> for Budget<'a> {
    fn lut(&self) -> &'a Lut<BoundedJson> {
        self.lut
    }
}

impl Budget<'_> {
    fn spend(self) -> Result<(), Error<Val>> {
        let left = self.steps.get().checked_sub(1);
        let left = left.ok_or_else(|| Error::str("the filter takes too many steps"))?;
        self.steps.set(left);
        Ok(())
    }
}

pub(super) fn prelude<'s>() -> impl Iterator<Item = Def<&'s str>> {
    let all = jaq_core::defs().chain(jaq_std::defs()).filter(|def| !is_left_out(def));
    all.chain(jaq_json::defs()).filter_map(|def| {
        let mut def: Def<&'s str> = def;
        count_steps(&mut def.body).is_ok().then_some(def)
    })
}

/// Removed library definitions: dates, mathematics, regular expressions, formats, and those that stop or write.
/// `combinations` grows without limit.
fn is_left_out(def: &Def<&str>) -> bool {
    match def.name {
        "stderr" | "debug" | "halt" | "halt_error" | "logb" | "significand" | "pow10" | "drem"
        | "nexttoward" | "scalb" | "gamma" | "capture_of_match" | "test" | "scan_" | "match"
        | "capture" | "splits" | "sub" | "gsub" | "scan" | "todate" | "fromdate" | "@html"
        | "@htmld" | "@uri" | "@urid" | "@base64" | "@base64d" | "combinations" => true,
        // Only the form with a regular expression has two arguments.
        name => name == "split" && def.args.len() == 2,
    }
}

pub(super) fn natives() -> impl Iterator<Item = Fun<BoundedJson>> {
    let library = jaq_core::funs().chain(jaq_std::base_funs()).chain(jaq_json::funs());
    let library = library.filter(|(name, ..)| !["range", "halt", "fromjson"].contains(name));
    let step = Native::<BoundedJson>::new(|cv| bome(cv.0.data().spend().map(|()| cv.1)))
        .with_paths(|cv| box_once(cv.0.data().spend().map(|()| cv.1).map_err(Exn::from)))
        .with_update(|cv, update| match cv.0.data().spend() {
            Ok(()) => update(cv.1),
            Err(error) => bome(Err(error)),
        });
    let own = [
        (STEP, v(0), step),
        (TIMES, v(2), Native::new(|cv| times(cv))),
        ("range", v(3), Native::new(|cv| range(cv))),
        ("fromjson", v(0), Native::new(|cv| bome(from_json(&cv.1)))),
    ];
    library.chain(own)
}

/// A body that counts as one step per call.
pub(super) fn counted(body: Term<&str>) -> Term<&str> {
    let step = Term::Call(STEP, Vec::new());
    Term::BinOp(Box::new(step), BinaryOp::Pipe(None), Box::new(body))
}

/// Counts the calls of definitions in `term`, and rejects operators that repeat a text.
pub(super) fn count_steps(term: &mut Term<&str>) -> Result<(), String> {
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) => {}
        Term::Str(_, parts) => {
            count_steps_in_all(parts.iter_mut().filter_map(|part| match part {
                StrPart::Term(term) => Some(term),
                _ => None,
            }))?;
        }
        Term::Arr(term) => count_steps_in_all(term.as_deref_mut())?,
        Term::Neg(term) | Term::Label(_, term) => count_steps(term)?,
        Term::Obj(entries) => {
            for (key, value) in entries {
                count_steps_in_all([key].into_iter().chain(value))?;
            }
        }
        Term::BinOp(left, operator, right) => {
            count_steps(left)?;
            count_steps(right)?;
            match operator {
                BinaryOp::UpdateMath(Math::Mul) => {
                    return Err("the operator *= is not supported".into());
                }
                BinaryOp::Math(Math::Mul) => {
                    let sides = [left, right].map(|side| std::mem::take(&mut **side));
                    *term = Term::Call(TIMES, sides.into());
                }
                BinaryOp::Pipe(Some(pattern)) => count_steps_in_pattern(pattern)?,
                _ => {}
            }
        }
        Term::Fold(_, over, pattern, terms) => {
            count_steps(over)?;
            count_steps_in_pattern(pattern)?;
            count_steps_in_all(terms)?;
        }
        Term::TryCatch(term, catch) => {
            count_steps_in_all([&mut **term].into_iter().chain(catch.as_deref_mut()))?;
        }
        Term::IfThenElse(branches, otherwise) => {
            count_steps_in_all(
                branches.iter_mut().flat_map(|(condition, term)| [condition, term]),
            )?;
            count_steps_in_all(otherwise.as_deref_mut())?;
        }
        Term::Def(definitions, term) => {
            for definition in definitions {
                count_steps(&mut definition.body)?;
                definition.body = counted(std::mem::take(&mut definition.body));
            }
            count_steps(term)?;
        }
        Term::Call(_, terms) => count_steps_in_all(terms)?,
        Term::Path(term, path) => {
            count_steps(term)?;
            for (part, _) in &mut path.0 {
                match part {
                    Part::Index(term) => count_steps(term)?,
                    Part::Range(from, to) => count_steps_in_all(from.iter_mut().chain(to))?,
                }
            }
        }
    }
    Ok(())
}

fn count_steps_in_all<'t, 's: 't>(
    terms: impl IntoIterator<Item = &'t mut Term<&'s str>>,
) -> Result<(), String> {
    terms.into_iter().try_for_each(count_steps)
}

fn count_steps_in_pattern(pattern: &mut Pattern<&str>) -> Result<(), String> {
    match pattern {
        Pattern::Var(_) => Ok(()),
        Pattern::Arr(patterns) => patterns.iter_mut().try_for_each(count_steps_in_pattern),
        Pattern::Obj(entries) => entries.iter_mut().try_for_each(|(key, pattern)| {
            count_steps(key)?;
            count_steps_in_pattern(pattern)
        }),
    }
}

/// Runs `work` on a large stack; `None` if the system cannot allocate it.
pub(super) fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.ok()?.join().ok()
    })
}

/// As `*`, but rejects a text times a number, because the agent can choose the number.
fn times<'a>(mut cv: Cv<'a, BoundedJson>) -> ValXs<'a, Val> {
    let (right, left) = (cv.0.pop_var(), cv.0.pop_var());
    let is_text = |value: &Val| matches!(value, Val::TStr(_) | Val::BStr(_));
    if is_text(&left) || is_text(&right) {
        return bome(Err(Error::str("a text cannot be multiplied")));
    }
    bome(left * right)
}

fn range<'a>(mut cv: Cv<'a, BoundedJson>) -> ValXs<'a, Val> {
    let (by, to, from) = (cv.0.pop_var(), cv.0.pop_var(), cv.0.pop_var());
    let (budget, mut next) = (*cv.0.data(), Some(from));
    Box::new(std::iter::from_fn(move || {
        let value = next.take()?;
        let zero = Val::from(0_isize);
        if (by > zero && value < to) || (by < zero && value > to) {
            if let Err(error) = budget.spend() {
                return Some(Err(Exn::from(error)));
            }
            next = (value.clone() + by.clone()).ok();
            return Some(Ok(value));
        }
        None
    }))
}

/// Rejects input that is nested too deep for the stack.
fn from_json(text: &Val) -> Result<Val, Error<Val>> {
    let bytes = match text {
        Val::TStr(bytes) | Val::BStr(bytes) => bytes,
        other => return Err(Error::typ(other.clone(), "string")),
    };
    serde_json::from_slice(bytes).map_err(Error::str)
}
