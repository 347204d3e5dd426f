//! A seccomp filter against new user namespaces, which give rights over mounts and networks, and against kernel
//! keys, which belong to the user in all containers.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

const CLONE_NEWUSER: u64 = 0x1000_0000;

/// Applies to this process and its children. Kills 32-bit programs.
pub(super) fn forbid() {
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
