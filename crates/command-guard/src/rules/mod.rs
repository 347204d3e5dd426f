//! One rule per category of harm. Each checks one command in its context and gives the reason to refuse it.

mod command;
mod commands;
mod containers;
mod databases;
mod exfiltration;
mod exhaustion;
mod facts;
mod hidden;
mod kills;
mod places;
mod remote_code;
mod reverse_shell;
mod tampering;

use crate::Refusal;
use crate::invocation_view::InvocationView;

pub(crate) use commands::judge as judge_words;
pub(crate) use exhaustion::has_huge_range;
pub(crate) use kills::kills_each;
pub(crate) use places::{by_class, judge as judge_places};

pub(crate) type Rule = fn(&InvocationView<'_>) -> Option<Refusal>;

pub(crate) const ALL: &[Rule] = &[
    remote_code::judge,
    exfiltration::judge,
    reverse_shell::judge,
    exfiltration::judge_environment,
    containers::judge,
    exhaustion::judge,
    tampering::judge,
    hidden::judge,
];
