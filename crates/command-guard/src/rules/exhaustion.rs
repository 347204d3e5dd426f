//! Unlimited processes, memory or disk space.

use std::collections::BTreeMap;

use shell_analysis::{Input, Mode, Repetition};

use super::facts::size;
use crate::code::{CodeFrom, code_from, is_endless};
use crate::effects::FileAction;
use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, owner_of};
use crate::{Category, Refusal};

const INSTEAD: &str = "Add a limit: a count, a size or a time limit";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let why = why(view)?;
    view.refuse(Category::ResourceExhaustion, why, INSTEAD)
}

fn why(view: &InvocationView<'_>) -> Option<&'static str> {
    let words = view.shown_words();
    let grows = view.effects.iter().any(|effect| {
        matches!(effect.action, FileAction::Write | FileAction::Append)
            && matches!(&effect.place, Place::At(path) if owner_of(path, view.context) != PathOwner::Stream)
    });
    if view.invocation.repetition == Repetition::Endless && !waits(view) {
        if view.invocation.mode == Mode::Background {
            return Some("an endless loop starts processes without limit");
        }
        let appends = view.effects.iter().any(|effect| {
            effect.action == FileAction::Append && effect.place != Place::At("/dev/null".into())
        });
        if appends {
            return Some("an endless loop fills the disk");
        }
        let doubles = |(_, value): &(String, shell_analysis::Word)| {
            value.text().is_some_and(|text| {
                let half = text.len() / 2;
                half > 0 && text.is_char_boundary(half) && text[..half] == text[half..]
            })
        };
        if view.invocation.words.is_empty() && view.invocation.assignments.iter().any(doubles) {
            return Some("an endless loop fills the memory");
        }
        let names = |effect: &crate::effects::Effect| matches!(&effect.place, Place::At(path) if effect.action == FileAction::Write && path.to_string_lossy().contains(crate::pattern::UNKNOWN));
        if view.effects.iter().any(names) {
            return Some("an endless loop creates files without limit");
        }
    }
    let endless = |program: &str, words: &[String]| {
        program == "yes"
            || program == "seq" && words.iter().any(|word| word == "inf")
            || words.iter().any(|word| {
                matches!(
                    word.trim_start_matches("if="),
                    "/dev/zero" | "/dev/urandom" | "/dev/random"
                )
            }) && (program == "cat"
                || program == "dd" && !words.iter().any(|word| word.starts_with("count="))
                || program == "tr")
    };
    let reads_endless = |invocation: &shell_analysis::Invocation| {
        let words: Vec<String> =
            invocation.arguments().iter().map(shell_analysis::Word::shown).collect();
        let redirected = invocation.redirects.iter().any(|redirect| {
            matches!(redirect.target.shown().as_str(), "/dev/zero" | "/dev/urandom")
        });
        endless(&invocation.program().unwrap_or_default(), &words)
            || (redirected && invocation.program().as_deref() == Some("cat"))
    };
    if reads_endless(view.invocation) && grows {
        return Some("it writes without end");
    }
    let fed = matches!(view.invocation.input, Input::Pipe { .. })
        && view
            .input_sources()
            .iter()
            .any(|&index| view.analysis.invocations.get(index).is_some_and(reads_endless));
    let ends = view.is(&["head"])
        || view
            .input_sources()
            .iter()
            .any(|&index| view.other(index).is_some_and(|(program, _)| program == "head"));
    if fed && grows && !ends {
        return Some("it writes without end");
    }
    if fed
        && view.is(&["tail", "sort", "xargs", "tac"])
        && !ends
        && view
            .analysis
            .invocations
            .iter()
            .any(|invocation| invocation.program().as_deref() == Some("cat"))
    {
        return Some("it reads without end and stores everything");
    }
    let any_number = |word: &String| matches!(word.as_str(), "-P0" | "--max-procs=0");
    let all_at_once = words.iter().any(any_number)
        || words.windows(2).any(|pair| pair[0] == "-P" && pair[1] == "0");
    if fed && view.is(&["xargs"]) && all_at_once {
        return Some("it starts processes without limit");
    }
    if feeds_itself(view) {
        return Some("it reads what it writes, without end");
    }
    if let Some(CodeFrom::Word(code)) = code_from(view)
        && grows
        && is_endless(&code.shown())
    {
        return Some("it writes without end");
    }
    let keeps = view.is(&["tail", "sort", "tac", "less", "vim", "grep"]);
    if keeps
        && words
            .iter()
            .any(|word| matches!(word.as_str(), "/dev/zero" | "/dev/urandom" | "/dev/random"))
    {
        return Some("it reads without end and stores everything");
    }
    None
}

/// `tail -f file | tee -a file`
fn feeds_itself(view: &InvocationView<'_>) -> bool {
    let follows = |source: &InvocationView<'_>| {
        source.is(&["tail"]) && source.arguments(&["n", "c"]).has(&["f", "F", "follow"])
    };
    let appended: Vec<&Place> = view
        .effects
        .iter()
        .filter(|effect| effect.action == FileAction::Append)
        .map(|effect| &effect.place)
        .collect();
    !appended.is_empty()
        && view
            .input_sources()
            .into_iter()
            .filter_map(|source| InvocationView::of(source, view.whole))
            .filter(follows)
            .any(|source| source.effects.iter().any(|effect| appended.contains(&&effect.place)))
}

/// A loop that sleeps or reads has a bounded speed.
fn waits(view: &InvocationView<'_>) -> bool {
    let paces = |invocation: &shell_analysis::Invocation| {
        invocation.repetition == Repetition::Endless
            && invocation.mode == Mode::Foreground
            && matches!(
                invocation.program().as_deref(),
                Some(
                    "sleep" | "read" | "wait" | "inotifywait" | "nc" | "break" | "exit" | "return"
                )
            )
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
