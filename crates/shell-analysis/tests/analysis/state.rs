//! Working directories, written files, and values that differ by branch.

use std::path::PathBuf;

use shell_analysis::Launcher;

use crate::support::{ends_with, lines, read_text, read_with, runs};

#[track_caller]
fn last_folder(script: &str) -> Option<Option<PathBuf>> {
    read_text(script).invocations.pop().map(|invocation| invocation.folder)
}

#[test]
fn cd_changes_where_later_acts_run() {
    for (script, folder) in [
        ("cd a && x", "/project/a"),
        ("cd a/../b; x", "/project/b"),
        ("cd; x", "/home/me"),
        ("cd /; cd etc; x", "/etc"),
        ("pushd /tmp; x", "/tmp"),
        ("(cd /); x", "/project"),
        ("cd / | true; x", "/project"),
        ("sh -c 'cd /'; x", "/project"),
        ("eval 'cd /'; x", "/"),
        ("env -C /tmp x", "/tmp"),
    ] {
        assert_eq!(last_folder(script), Some(Some(folder.into())), "{script}");
    }
    for script in ["cd $X; x", "cd -; x", "cd a*; x", "popd; x"] {
        assert_eq!(last_folder(script), Some(None), "{script}");
    }
}

#[test]
fn the_stricter_folder_counts_where_a_branch_changes_it() {
    for (script, folder) in [
        ("a || cd /; x", Some("/")),
        ("if a; then cd /tmp; else cd b; fi; x", Some("/tmp")),
        ("if a; then cd b; fi; x", None),
        ("a && cd b; x", Some("/project/b")),
    ] {
        assert_eq!(last_folder(script), Some(folder.map(PathBuf::from)), "{script}");
    }
}

#[test]
fn of_values_that_differ_by_branch_the_common_start_is_known() {
    for (script, last) in [
        ("x=ls; if a; then x=rm; fi; $x -rf /", "-rf /"),
        ("if a; then x='rm -r'; else x='rm -f'; fi; $x /", "rm -${x} /"),
        ("case $y in a) x=a/b;; b) x=a/c;; esac; rm $x", "rm ${x}"),
        ("x=a/b; a && x=a/c; rm $x", "rm a/${x}"),
        ("x=a; true && x=b; rm $x", "rm b"),
        ("x=a; false && x=b; rm $x", "rm a"),
    ] {
        ends_with(script, last);
    }
    let analysis = read_text("x=ls; while a; do $x -rf /; x=rm; done");
    assert!(lines(&analysis).contains(&"rm -rf /".to_owned()));
}

#[test]
fn a_value_for_one_command_is_gone_after_it() {
    runs("x=ls; x=rm sh -c '$x a'; $x b", &["sh -c <$x a>", "rm a", "ls b"]);
    runs("x=ls; (x=rm); $x b", &["ls b"]);
}

#[test]
fn scripts_on_disk_are_read() {
    let files = [
        ("/project/a.sh", "#!/bin/bash\nrm -rf \"$1\"\n"),
        ("/project/b.py", "#!/usr/bin/env python3\nimport os\n"),
        ("/project/c", "rm -rf $1"),
        ("/project/d", "\u{7f}ELF\0rm -rf /"),
    ];
    for script in [
        "bash a.sh /",
        "./a.sh /",
        ". ./a.sh /",
        "source a.sh /",
        "sh -s / < a.sh",
        "/project/c /",
        "cd x; ../c /",
        "cat a.sh | sh -s /",
        "cp a.sh e; sh e /",
    ] {
        let analysis = read_with(script, &files);
        let last = analysis.invocations.last().unwrap();
        assert_eq!(lines(&analysis).last().unwrap(), "rm -rf /", "{script}");
        assert!(
            matches!(last.launchers.last(), Some(Launcher::Script(_) | Launcher::PipedText)),
            "{script}"
        );
    }
    for script in ["./b.py", "./d", "./missing", "python3 a.sh"] {
        assert_eq!(read_with(script, &files).invocations.len(), 1, "{script}");
    }
}

#[test]
fn scripts_that_the_text_has_just_written_are_read() {
    for script in [
        "echo 'rm -rf /' > x.sh; sh x.sh",
        "cat > x.sh <<'E'\nrm -rf /\nE\nchmod +x x.sh && ./x.sh",
        "echo 'rm -rf /' | tee x.sh >/dev/null; bash ./x.sh",
        "printf rm > x; printf ' -rf /' >> x; cat x > y; . ./y",
        "echo 'rm -rf /' > a; mv a b; sh b",
        "{ echo 'rm -rf /'; } > /tmp/z; cd /tmp; ./z",
    ] {
        ends_with(script, "rm -rf /");
    }
    let analysis = read_text("curl x > y; sh y");
    assert_eq!(analysis.invocations.last().unwrap().words[0].sources().collect::<Vec<_>>(), [0]);
}

#[test]
fn a_script_that_runs_itself_is_noted() {
    let analysis = read_with("./a.sh", &[("/project/a.sh", "./a.sh & ./a.sh &")]);
    assert_eq!(analysis.recursions.len(), 1);
}
