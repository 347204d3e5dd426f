//! One rule per category of harm. Each checks one command in its context and gives the reason to refuse it.

mod build_files;
mod cloud;
mod code;
mod containers;
mod credentials;
mod databases;
mod deletes;
mod destroyers;
mod disks;
mod environment;
mod exfiltration;
mod exhaustion;
mod git_history;
mod git_settings;
mod hidden;
mod inner;
mod inner_git;
mod inner_options;
mod inner_scripts;
mod loaded;
mod makefile;
mod outside;
mod permissions;
mod persistence;
mod privilege;
mod publishing;
mod remote_code;
mod reverse_shell;
mod secret_stores;
mod services;
mod tampering;
mod uploads;

use crate::Refusal;
use crate::invocation_view::InvocationView;

pub(crate) use code::{CodeToRead, code_of};
pub(crate) use exhaustion::has_huge_range;
pub(crate) use persistence::persists;
pub(crate) use remote_code::{Downloads, run_files};
pub(crate) use tampering::tampers_with;

pub(crate) type Rule = fn(&InvocationView<'_>) -> Option<Refusal>;

pub(crate) const ALL: &[Rule] = &[
    deletes::judge,
    disks::judge,
    permissions::judge,
    privilege::judge,
    git_history::judge,
    remote_code::judge,
    exfiltration::judge,
    reverse_shell::judge,
    credentials::judge,
    environment::judge,
    publishing::judge,
    containers::judge,
    cloud::judge,
    services::judge,
    persistence::judge,
    exhaustion::judge,
    outside::judge,
    tampering::judge,
    hidden::judge,
];

/// The rules that only check effects on files, for code of other languages.
pub(crate) const FILE_RULES: &[Rule] = &[
    permissions::judge,
    deletes::judge,
    disks::judge,
    credentials::judge,
    persistence::judge,
    outside::judge,
    tampering::judge,
];
