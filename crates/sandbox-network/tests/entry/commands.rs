//! The command that an entry becomes.

use sandbox_network::entry::{self, Entry};

use crate::harness::{PROGRAM, command, entered, finish};

#[test]
fn the_command_has_its_arguments_its_streams_and_its_exit_code() {
    let script = "cat; echo \"$1|$2\" >&2; exit 7";
    let command = entered(&Entry::default(), "sh", &["-c", script, "sh", "--", "a b"]);
    let done = finish(command, "input");
    assert_eq!((done.code, done.stdout.as_str()), (Some(7), "input"));
    assert_eq!(done.stderr, "--|a b\n");
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    for program in ["no-such-program-anywhere", "/no/such/program"] {
        let done = finish(entered(&Entry::default(), program, &[]), "");
        assert_eq!(done.code, Some(127), "{done:?}");
        assert!(done.stderr.starts_with(&format!("{program}: No such file")), "{done:?}");
    }
}

#[test]
fn a_command_that_cannot_be_started_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let program = file.path().to_str().unwrap();
    let done = finish(entered(&Entry::default(), program, &[]), "");
    assert_eq!(done.code, Some(126), "{done:?}");
    assert!(done.stderr.starts_with(&format!("{program}: Permission denied")), "{done:?}");
}

#[test]
fn an_entry_without_arguments_starts_nothing() {
    assert_eq!(finish(command(PROGRAM, &[entry::ARGUMENT.into()]), "").code, Some(64));
}
