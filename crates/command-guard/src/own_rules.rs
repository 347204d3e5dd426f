//! The rules of the user's own: commands that pass and commands that do not.

use shell_analysis::{Act, Piece, RedirectKind, Through, Word};

use crate::CommandContext;
use crate::pattern::{self, Swallows, UNKNOWN};
use crate::place::{Place, Whose, whose};
use crate::view::View;

/// The words as a rule of the user's sees them.
fn as_rule(act: &Act) -> String {
    let word = |word: &Word| -> String {
        word.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Glob(text) => text.clone(),
                Piece::Unknown(_) => UNKNOWN.to_string(),
            })
            .collect()
    };
    act.words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Programs that change what a rule about the command behind them means.
const WEIGHTY: &[&str] = &[
    "sudo", "doas", "su", "pkexec", "runas", "gosu", "su-exec", "run0", "chroot", "nsenter",
    "unshare",
];

fn prefix(act: &Act) -> String {
    let weighty = act.through.iter().filter_map(|through| match through {
        Through::Wrapper(name) if WEIGHTY.contains(&name.as_str()) => Some(format!("{name} ")),
        _ => None,
    });
    weighty.collect()
}

/// The rule that refuses an act, also where something else has it run.
pub(crate) fn denied<'s>(act: &Act, context: &'s CommandContext) -> Option<&'s String> {
    if context.rules.deny.is_empty() || act.words.is_empty() {
        return None;
    }
    let words = as_rule(act);
    let whole = format!("{}{words}", prefix(act));
    let name = act.program().unwrap_or_default();
    let bare = match words.split_once(' ') {
        Some((_, rest)) => format!("{name} {rest}"),
        None => name,
    };
    let fits = |rule: &&String| {
        [&words, &whole, &bare].iter().any(|text| pattern::fits(rule, text, Swallows::Anything))
    };
    context.rules.deny.iter().find(fits)
}

/// Whether a rule lets an act pass: all of it, as it was read.
pub(crate) fn allowed(view: &View<'_>, context: &CommandContext) -> bool {
    let text = format!("{}{}", prefix(view.act), as_rule(view.act));
    let writes_away = view.act.redirects.iter().any(|redirect| redirect.kind != RedirectKind::Read)
        && view.effects.iter().any(|effect| {
            matches!(&effect.place, Place::At(path) if effect.deed.changes() && whose(path, context) == Whose::Outside)
        });
    let fits = |rule: &String| pattern::fits(rule, &text, Swallows::KnownText);
    !view.act.words.is_empty() && !writes_away && context.rules.allow.iter().any(fits)
}
