//! Starting a child, and start errors.

use std::io::ErrorKind;

use assert_fs::TempDir;
use supervise::{
    EndReason, Exit, Keeper, Launch, Leftovers, Reaction, StopRequests, SuperviseError,
};

use crate::harness::{run, shell, try_run};

fn error(launch: Launch) -> SuperviseError {
    try_run(launch, &StopRequests::new(), |_| Reaction::Nothing).unwrap_err()
}

#[test]
fn the_exit_status_is_reported() {
    for (script, exit) in
        [("exit 0", Exit::Code(0)), ("exit 7", Exit::Code(7)), ("kill -9 $$", Exit::Signal(9))]
    {
        let done = run(shell(script));
        assert_eq!((done.ended.how, done.ended.exit), (EndReason::ByItself, Some(exit)));
        assert_eq!(done.ended.leftovers, Leftovers::default());
        assert_eq!(exit == Exit::Code(0), script == "exit 0");
    }
}

#[test]
fn a_missing_program_is_named() {
    let launch = Launch { program: "/no/such/agent".into(), ..shell("") };
    let error = error(launch);
    assert!(error.to_string().starts_with("cannot start /no/such/agent: "), "{error}");
    let SuperviseError::NotStarted { source, .. } = error else { unreachable!("{error}") };
    assert_eq!(source.kind(), ErrorKind::NotFound);
}

#[test]
fn a_file_that_is_no_program_is_named() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("agent"), "hello").unwrap();
    let error =
        error(Launch { program: "./agent".into(), folder: folder.path().into(), ..shell("") });
    let SuperviseError::NotStarted { program, source } = error else { unreachable!("{error}") };
    assert_eq!(program.to_str(), Some("./agent"));
    assert_eq!(source.kind(), ErrorKind::PermissionDenied);
}

#[test]
fn a_missing_folder_is_named() {
    let error = error(Launch { folder: "/no/such/folder".into(), ..shell("") });
    assert!(matches!(error, SuperviseError::NoFolder { .. }), "{error}");
    assert!(error.to_string().contains("/no/such/folder"));
}

#[test]
fn a_missing_keeper_is_distinguished_from_a_missing_program() {
    let error = error(Launch { keeper: Keeper::at("/no/such/keeper"), ..shell("") });
    assert!(matches!(error, SuperviseError::NoKeeper { .. }), "{error}");
}

#[test]
fn a_keeper_that_does_not_report_is_an_error() {
    let error = error(Launch { keeper: Keeper::at("/bin/false"), ..shell("") });
    assert!(matches!(error, SuperviseError::KeeperLost { .. }), "{error}");
}

#[test]
fn environment_folder_and_path_are_the_childs_own() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let mut launch = shell("echo \"$GREETING\"; echo \"${HOME-none}\"; pwd -P; echo $#: \"$@\"");
    launch.program = "sh".into();
    launch.args.extend(["--", "a b", ""].map(Into::into));
    launch.environment =
        vec![("GREETING".into(), Some("hello there".into())), ("HOME".into(), None)];
    launch.folder.clone_from(&folder);
    let done = run(launch);
    let expected = ["hello there", "none", folder.to_str().unwrap(), "2: a b "];
    assert_eq!(done.stdout, expected);
}
