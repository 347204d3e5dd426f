//! What an entry takes from itself and its children: abstract Unix sockets and signals of processes outside, the
//! user's kernel keys (such as Kerberos tickets), and new user namespaces, which give rights over mounts and networks.

use std::collections::BTreeMap;

use landlock::{RulesetAttr, RulesetError, Scope};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

const CLONE_NEWUSER: u64 = 0x1000_0000;

/// Refuses abstract sockets and signals of processes outside, also where a sandbox shares the host's network or process
/// ids. Needs Landlock ABI 6 (Linux 6.12). Leaves access to files and the network unchanged.
pub(super) fn limit_scope() -> Result<(), RulesetError> {
    let scope = Scope::AbstractUnixSocket | Scope::Signal;
    landlock::Ruleset::default().scope(scope)?.create()?.restrict_self()?;
    Ok(())
}

/// A seccomp filter against new user namespaces and kernel keys, which belong to the user in all containers. Kills
/// 32-bit programs.
pub(super) fn forbid_namespaces() {
    // Optional: the sandbox works without it. It matters for engines that allow user namespaces.
    let arch = TargetArch::try_from(std::env::consts::ARCH);
    if let Ok(filters) = arch.and_then(filters) {
        for filter in filters {
            let _ = seccompiler::apply_filter(&filter);
        }
    }
}

fn filters(arch: TargetArch) -> Result<[BpfProgram; 2], BackendError> {
    let length = SeccompCmpArgLen::Qword;
    let masked = SeccompCmpOp::MaskedEq(CLONE_NEWUSER);
    let with_flag = || {
        let condition = SeccompCondition::new(0, length.clone(), masked.clone(), CLONE_NEWUSER)?;
        SeccompRule::new(vec![condition])
    };
    let with_flag = |call: libc::c_long| Ok((call, vec![with_flag()?]));
    let always = [libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key];
    let mut refused = vec![with_flag(libc::SYS_unshare)?, with_flag(libc::SYS_clone)?];
    refused.extend(always.map(|call| (call, Vec::new())));
    // A filter cannot read clone3's flags, which are in memory. Programs fall back to clone if it is missing.
    let missing = [(libc::SYS_clone3, Vec::new())];
    let filter = |calls: Vec<(libc::c_long, Vec<SeccompRule>)>, error: libc::c_int| {
        let rules: BTreeMap<_, _> = calls.into_iter().collect();
        let action = SeccompAction::Errno(error.unsigned_abs());
        SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()
    };
    Ok([filter(refused, libc::EPERM)?, filter(missing.into(), libc::ENOSYS)?])
}
