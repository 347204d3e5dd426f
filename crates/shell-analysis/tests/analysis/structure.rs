//! Lists, pipes, groups, loops, branches, functions, redirects and here-documents.

use shell_analysis::{Input, Mode, RedirectKind, Repetition, Unanalyzed, Word};

use crate::support::{lines, read_text, runs};

#[test]
fn lists_are_read_whole() {
    runs("a; b && c || d & e | f |& g\nh # i", &["a", "b", "c", "d", "e", "f", "g", "h"]);
    runs("(a; b) && { c; d; }; ! e; time f", &["a", "b", "c", "d", "e", "f"]);
    runs("a &&\n b |\n c", &["a", "b", "c"]);
}

#[test]
fn all_branches_are_read() {
    runs("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]);
    runs("case $x in a|b) c;; (d) e;& f*) g;; esac", &["c", "e", "g"]);
    runs("until a; do b; done; while c\ndo d\ndone", &["a", "b", "c", "d"]);
    runs("select x in a; do b; done; for ((i=0;i<3;i++)); do c; done", &["b", "c"]);
    runs("[[ -f $(a) && ! x =~ ^(b|c)$ ]] && d", &["a", "d"]);
    runs("((x = $(a))) || coproc b", &["a", "b"]);
}

#[test]
fn a_loop_is_read_for_each_known_item() {
    runs("for x in a b; do rm $x; done", &["rm a", "rm b"]);
    runs(
        "while read x y; do rm $y; done <<< $'a b\\nc d'",
        &["read x y", "rm b", "read x y", "rm d", "read x y"],
    );
}

#[test]
fn endless_loops_are_recognized() {
    let endless = [
        "while true; do a; done",
        "while :; do a; done",
        "until false; do a; done",
        "for ((;;)); do a; done",
        "while [ 1 ]; do a; done",
    ];
    for script in endless {
        let analysis = read_text(script);
        assert_eq!(
            analysis.invocations.last().unwrap().repetition,
            Repetition::Endless,
            "{script}"
        );
    }
    for script in
        ["while b; do a; done", "for x in 1; do a; done", "for ((i=0;i<2;i++)); do a; done"]
    {
        let analysis = read_text(script);
        assert_eq!(analysis.invocations.last().unwrap().repetition, Repetition::Loop, "{script}");
    }
}

#[test]
fn background_commands_are_marked() {
    let modes: Vec<Mode> =
        read_text("a & b; { c; } &").invocations.iter().map(|invocation| invocation.mode).collect();
    assert_eq!(modes, [Mode::Background, Mode::Foreground, Mode::Background]);
}

#[test]
fn redirects_are_noted_by_kind() {
    let analysis = read_text("a > b 2>> c < d &> e <> f >| g 2>&1 {fd}>h >&i");
    let shown: Vec<_> =
        analysis.invocations[0].redirects.iter().map(|r| (r.kind, r.target.shown())).collect();
    let expected = [
        (RedirectKind::Write, "b"),
        (RedirectKind::Append, "c"),
        (RedirectKind::Read, "d"),
        (RedirectKind::Write, "e"),
        (RedirectKind::ReadWrite, "f"),
        (RedirectKind::Write, "g"),
        (RedirectKind::Write, "h"),
        (RedirectKind::Write, "i"),
    ];
    assert_eq!(shown, expected.map(|(kind, name)| (kind, name.into())));
    let group = read_text("{ a; b; } > c");
    assert_eq!(group.invocations[0].redirects[0].target, Word::of("c"));
}

#[test]
fn a_pipe_refers_to_its_writers() {
    let analysis = read_text("curl x | sort -u | sh");
    assert_eq!(analysis.invocations[1].input, Input::Pipe { from: vec![0] });
    assert_eq!(analysis.invocations[2].input, Input::Pipe { from: vec![1] });
}

#[test]
fn here_documents_are_the_input_of_their_command() {
    let text = |script: &str, at: usize| match &read_text(script).invocations[at].input {
        Input::Text { text, .. } => text.text().unwrap().into_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(text("x=1; cat <<E\na $x `echo b`\nE\n", 2), "a 1 b\n");
    assert_eq!(text("cat <<'E'\na $x\nE\n", 0), "a $x\n");
    assert_eq!(text("cat <<-E\n\t\ta\n\tE\n", 0), "a\n");
    assert_eq!(text("cat <<A; cat <<B\n1\nA\n2\nB\n", 1), "2\n");
    assert_eq!(text("cat <<< 'a b'", 0), "a b\n");
    runs("cat <<E\nrm -rf /\nE\nls", &["cat", "ls"]);
}

#[test]
fn substitutions_come_before_what_uses_them() {
    runs(
        "a $(b `c`) \"$(d)\" <(e) >(f)",
        &["c", "b $(…)", "d", "e", "f", "a $(…) $(…) /dev/fd/$(…) /dev/fd/$(…)"],
    );
}

#[test]
fn functions_are_read_where_they_are_called_or_else_once() {
    runs("f() { rm \"$1\"; }; f /", &["f /", "rm /"]);
    runs("function f { rm x; }; ls", &["ls", "rm x"]);
    runs("function f() ( rm x )\nls", &["ls", "rm x"]);
}

#[test]
fn functions_that_call_themselves_are_noted() {
    for bomb in
        [":(){ :|:& };:", "b() { b & b; }; b", "f(){ g & }; g() { f; }; f", "f() { f | f; }"]
    {
        let analysis = read_text(bomb);
        assert!(analysis.recursions.iter().any(|r| r.multiplies), "{bomb}");
    }
    let walk = read_text("walk() { walk \"$1/x\"; }; walk a");
    assert!(!walk.recursions[0].multiplies);
}

#[test]
fn syntax_errors_are_reported() {
    for script in [
        "echo 'a",
        "echo \"a",
        "a $(b",
        "if a; then b",
        "a )",
        "for x in a; do b",
        "a `b",
        "${x",
        "case x in a) b",
        "fi",
        "a | | b",
        "a && ; b",
    ] {
        let analysis = read_text(script);
        assert!(
            matches!(analysis.unanalyzed.as_slice(), [Unanalyzed::Broken { .. }]),
            "{script}: {analysis:?}"
        );
    }
    let analysis = read_text("rm -rf /\necho 'a");
    assert_eq!(lines(&analysis), ["rm -rf /"], "what comes before it is read");
}
