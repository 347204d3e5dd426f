//! The user's own rules: commands to allow and to deny.

use shell_analysis::{Invocation, Launcher, Redirect, RedirectKind, Word};

use crate::CommandContext;
use crate::effect::Effect;
use crate::invocation_view::InvocationView;
use crate::pattern;
use crate::place::{PathOwner, Place, owner_of};
use crate::words::words;

/// The command as text for rules.
fn as_rule(invocation: &Invocation) -> String {
    invocation.words.iter().map(Word::shown).collect::<Vec<_>>().join(" ")
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
    let bare = name.into_owned() + &words[words.find(' ').unwrap_or(words.len())..];
    let fits =
        |rule: &&String| [&words, &whole, &bare].iter().any(|text| pattern::fits(rule, text));
    context.rules.deny.iter().find(fits)
}

/// Whether a rule allows the whole command.
pub(crate) fn allowed(view: &InvocationView<'_>, context: &CommandContext) -> bool {
    let words = &view.invocation.words;
    if words.is_empty() || words.iter().any(|word| word.text().is_none()) {
        return false;
    }
    let text = format!("{}{}", prefix(view.invocation), as_rule(view.invocation));
    let is_write = |redirect: &Redirect| redirect.kind != RedirectKind::Read;
    let is_outside = |effect: &Effect| {
        effect.action.changes()
            && matches!(&effect.place, Place::At(path) if owner_of(path, context) == PathOwner::Outside)
    };
    let writes_away =
        view.invocation.redirects.iter().any(is_write) && view.effects.iter().any(is_outside);
    !writes_away && context.rules.allow.iter().any(|rule| pattern::fits(rule, &text))
}
