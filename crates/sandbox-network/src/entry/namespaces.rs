//! No new user namespaces, in which a process would have rights over mounts and networks of its own, and no keys of the
//! kernel, which belong to the user in all containers.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

const CLONE_NEWUSER: u64 = 0x1000_0000;

/// For this process and all that it starts. Programs for another processor (32 bits) are ended.
pub(super) fn forbid() {
    // The sandbox stands without it: it is for engines that let a process make them.
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
    // Its flags lie in memory, where a filter cannot read them. Programs call clone where it does not exist.
    let missing = [(libc::SYS_clone3, Vec::new())];
    let filter = |calls: Vec<(libc::c_long, Vec<SeccompRule>)>, error: libc::c_int| {
        let rules: BTreeMap<_, _> = calls.into_iter().collect();
        let action = SeccompAction::Errno(error.unsigned_abs());
        SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()
    };
    Ok([filter(refused, libc::EPERM)?, filter(missing.into(), libc::ENOSYS)?])
}
