//! What an entry refuses if the kernel supports it.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use landlock::{CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};
use sandbox_network::entry::Entry;

use crate::harness::{PROGRAM, command, entered, finish};

/// Older kernels refuse nothing, so the tests are skipped there.
fn kernel_has_scopes() -> bool {
    let strict = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    strict.scope(Scope::AbstractUnixSocket | Scope::Signal).is_ok()
}

#[test]
fn abstract_sockets_of_the_outside_are_refused() {
    let name = format!("sandbox-network-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let outside = finish(command(PROGRAM, &["abstract".into(), name.clone().into()]), "");
    assert_eq!(outside.code, Some(0), "{outside:?}");
    if kernel_has_scopes() {
        let inside = finish(entered(&Entry::default(), PROGRAM, &["abstract", &name]), "");
        assert_eq!(inside.code, Some(1), "{inside:?}");
        assert!(inside.stderr.contains("Operation not permitted"), "{inside:?}");
    }
}

#[test]
fn processes_outside_get_no_signals_and_those_inside_do() {
    let own = std::process::id().to_string();
    let script = "kill -0 $$ && kill -0 \"$0\"";
    let outside = finish(command("sh", &["-c".into(), script.into(), own.clone().into()]), "");
    assert_eq!(outside.code, Some(0), "{outside:?}");
    if kernel_has_scopes() {
        let inside = finish(entered(&Entry::default(), "sh", &["-c", script, &own]), "");
        assert_eq!(inside.code, Some(1), "{inside:?}");
        assert!(inside.stderr.contains("not permitted"), "{inside:?}");
    }
}

#[test]
fn no_user_namespace_is_made_where_that_is_forbidden() {
    let forbids = Entry { forbids_namespaces: true, ..Entry::default() };
    let made = |entry: &Entry| finish(entered(entry, "unshare", &["--user", "true"]), "");
    let outside = finish(command("unshare", &["--user".into(), "true".into()]), "");
    assert_eq!(made(&Entry::default()).code, outside.code);
    let refused = made(&forbids);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("Operation not permitted"), "{refused:?}");
    // Threads and processes still start.
    let works = entered(&forbids, "sh", &["-c", "git --version | cat"]);
    assert_eq!(finish(works, "").code, Some(0));
}
