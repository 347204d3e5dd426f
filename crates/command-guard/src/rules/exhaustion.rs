//! Unlimited processes, memory or disk space: loops and streams without an end.

use std::collections::BTreeMap;

use shell_analysis::{Input, Invocation, Mode, Repetition, Word};

use super::facts::size;
use crate::code::{CodeFrom, code_from, is_endless};
use crate::effect::{Effect, FileAction};
use crate::invocation_view::InvocationView;
use crate::pattern::UNKNOWN;
use crate::place::{PathOwner, Place, owner_of};
use crate::words::words;
use crate::{Category, Refusal};

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let why = in_loop(view).or_else(|| by_stream(view))?;
    view.refuse(Category::ResourceExhaustion, why, "Add a limit: a count, a size or a time limit")
}

/// Processes that a loop may start in the background.
const MOST_AT_ONCE: u64 = 10_000;

fn in_loop(view: &InvocationView<'_>) -> Option<&'static str> {
    let counts_far = |invocation: &Invocation| {
        let far = |word: &Word| size(&word.shown()) > MOST_AT_ONCE;
        invocation.program().as_deref() == Some("seq") && invocation.arguments().iter().any(far)
    };
    if view.invocation.mode == Mode::Background
        && view.invocation.repetition != Repetition::Once
        && view.analysis.invocations.iter().any(counts_far)
    {
        return Some("a loop starts too many processes at once");
    }
    if view.invocation.repetition != Repetition::Endless || waits(view) {
        return None;
    }
    if view.invocation.mode == Mode::Background {
        return Some("an endless loop starts processes without limit");
    }
    let doubles = |(_, value): &(String, Word)| {
        value.text().is_some_and(|text| {
            let (first, second) = text.split_at_checked(text.len() / 2).unwrap_or_default();
            !first.is_empty() && first == second
        })
    };
    if view.invocation.words.is_empty() && view.invocation.assignments.iter().any(doubles) {
        return Some("an endless loop fills the memory");
    }
    let fills = |effect: &Effect| match (&effect.place, effect.action) {
        (place, FileAction::Append) => *place != Place::At("/dev/null".into()),
        (Place::At(path), FileAction::Write) => path.to_string_lossy().contains(UNKNOWN),
        _ => false,
    };
    view.effects.iter().any(fills).then_some("an endless loop fills the disk")
}

fn by_stream(view: &InvocationView<'_>) -> Option<&'static str> {
    let grows = view.effects.iter().any(|effect| {
        matches!(effect.action, FileAction::Write | FileAction::Append)
            && matches!(&effect.place, Place::At(path) if owner_of(path, view.context) != PathOwner::Stream)
    });
    let sources = || -> Vec<&Invocation> {
        let sources = view.input_sources().into_iter();
        sources.filter_map(|index| view.analysis.invocations.get(index)).collect()
    };
    let is_fed = || {
        let sources = sources();
        let ends = view.is(&["head"])
            || sources.iter().any(|source| source.program().as_deref() == Some("head"));
        let is_piped = matches!(view.invocation.input, Input::Pipe { .. });
        is_piped && !ends && sources.iter().any(|source| is_endless_source(source))
    };
    let code_is_endless =
        || matches!(code_from(view), Some(CodeFrom::Word(code)) if is_endless(&code.shown()));
    if grows && (is_fed() || is_endless_source(view.invocation) || code_is_endless()) {
        return Some("it writes without end");
    }
    let mut written = view.effects.iter().filter(|effect| effect.action == FileAction::Append);
    let feeds_itself = |written: &Effect| {
        let read = Effect { action: FileAction::Read, place: written.place.clone() };
        let reads = |word: &Word| view.place(word) == written.place;
        view.effects.contains(&read) && follows(view.words)
            || sources()
                .iter()
                .any(|source| follows(source.arguments()) && source.arguments().iter().any(reads))
    };
    if written.any(feeds_itself) {
        return Some("it reads what it writes, without end");
    }
    let keeps = view.is(words!("tail sort tac less vim grep xargs"));
    if keeps && (is_fed() || view.words.iter().any(is_endless_file)) {
        return Some("it reads without end and stores everything");
    }
    None
}

/// `tail -f`
fn follows(words: &[Word]) -> bool {
    words.iter().any(|word| matches!(word.shown().as_ref(), "-f" | "-F" | "--follow"))
}

fn is_endless_file(word: &Word) -> bool {
    words!("/dev/zero /dev/urandom /dev/random").contains(&word.shown().trim_start_matches("if="))
}

/// A program that prints without end.
fn is_endless_source(invocation: &Invocation) -> bool {
    let reads = || {
        let redirects = invocation.redirects.iter().map(|redirect| &redirect.target);
        invocation.arguments().iter().chain(redirects).any(is_endless_file)
    };
    let says =
        |start: &str| invocation.arguments().iter().any(|word| word.shown().starts_with(start));
    match invocation.program().unwrap_or_default().as_ref() {
        "yes" => true,
        "seq" => says("inf"),
        "cat" | "tr" => reads(),
        "dd" => reads() && !says("count="),
        _ => false,
    }
}

/// A loop that sleeps or reads has a bounded speed.
fn waits(view: &InvocationView<'_>) -> bool {
    let paces = |invocation: &Invocation| {
        let waits = words!("sleep read wait inotifywait nc break exit return");
        invocation.repetition == Repetition::Endless
            && invocation.mode == Mode::Foreground
            && waits.contains(&invocation.program().unwrap_or_default().as_ref())
    };
    *view.whole.paced.get_or_init(|| view.analysis.invocations.iter().any(paces))
}

/// `{1..1000000000}`, which a shell expands before anything runs.
pub(crate) fn has_huge_range(text: &str) -> bool {
    const MOST: u64 = 10_000_000;
    let range = |(at, _): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + 2..]);
        let open = before.rfind('{')?;
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        let is_number =
            |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit());
        let closes = after[digits.len()..].starts_with(['}', '.']);
        (is_number(&before[open + 1..]) && closes).then(|| (open, size(&digits)))
    };
    let mut words: BTreeMap<usize, u64> = BTreeMap::new();
    for (open, count) in text.match_indices("..").filter_map(range) {
        // Several ranges in one word multiply.
        let word = text[..open].rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let words = words.entry(word).or_insert(1);
        *words = words.saturating_mul(count);
    }
    words.values().any(|count| *count > MOST)
}
