//! The user's own rules: commands to allow and to deny.

use shell_analysis::{Invocation, Launcher, Piece, RedirectKind, Word};

use crate::CommandContext;
use crate::invocation_view::InvocationView;
use crate::pattern::{self, UNKNOWN};
use crate::place::{PathOwner, Place, owner_of};
use crate::words::words;

/// The command as text for rules.
fn as_rule(invocation: &Invocation) -> String {
    let word = |word: &Word| -> String {
        word.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Glob(text) => text.clone(),
                Piece::Unknown(_) => UNKNOWN.to_string(),
            })
            .collect()
    };
    invocation.words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Wrappers that change the meaning of the command after them.
const SIGNIFICANT_WRAPPERS: &[&str] =
    words!("sudo doas su pkexec runas gosu su-exec run0 chroot nsenter unshare");

fn prefix(invocation: &Invocation) -> String {
    let weighty = invocation.launchers.iter().filter_map(|launcher| match launcher {
        Launcher::Wrapper(name) if SIGNIFICANT_WRAPPERS.contains(&name.as_str()) => {
            Some(format!("{name} "))
        }
        _ => None,
    });
    weighty.collect()
}

/// The rule that denies a command, also if another program runs it.
pub(crate) fn denied<'s>(
    invocation: &Invocation,
    context: &'s CommandContext,
) -> Option<&'s String> {
    if context.rules.deny.is_empty() || invocation.words.is_empty() {
        return None;
    }
    let words = as_rule(invocation);
    let whole = format!("{}{words}", prefix(invocation));
    let name = invocation.program().unwrap_or_default();
    let bare = match words.split_once(' ') {
        Some((_, rest)) => format!("{name} {rest}"),
        None => name,
    };
    let fits =
        |rule: &&String| [&words, &whole, &bare].iter().any(|text| pattern::fits(rule, text));
    context.rules.deny.iter().find(fits)
}

/// Whether a rule allows the whole command.
pub(crate) fn allowed(view: &InvocationView<'_>, context: &CommandContext) -> bool {
    let text = format!("{}{}", prefix(view.invocation), as_rule(view.invocation));
    let writes_away = view.invocation.redirects.iter().any(|redirect| redirect.kind != RedirectKind::Read)
        && view.effects.iter().any(|effect| {
            matches!(&effect.place, Place::At(path) if effect.action.changes() && owner_of(path, context) == PathOwner::Outside)
        });
    let fits = |rule: &String| !text.contains(UNKNOWN) && pattern::fits(rule, &text);
    !view.invocation.words.is_empty() && !writes_away && context.rules.allow.iter().any(fits)
}
