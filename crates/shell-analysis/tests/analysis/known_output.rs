//! Output that follows from the text.

use shell_analysis::{Piece, Unknown};

use crate::support::{ends_with, read_text};

#[test]
fn names_may_come_from_a_substitution() {
    for script in [
        "$(echo rm) -rf /",
        "`echo rm` -rf /",
        "$(printf 'r%s' m) -rf /",
        "$(printf '\\x72\\x6d') -rf /",
        "$(echo -e '\\x72\\155') -rf /",
        "$(cat <<< rm) -rf /",
        "$(echo rxm | sed s/x//) -rf /",
        "$(which rm) -rf /",
        "$(command -v rm) -rf /",
        "$(if true; then echo rm; fi) -rf /",
        "$(false || echo rm) -rf /",
        "$(f() { echo rm; }; f) -rf /",
        "x=$(echo rm); $x -rf /",
        "$(env echo rm) -rf /",
    ] {
        ends_with(script, "rm -rf /");
    }
}

#[test]
fn texts_for_a_shell_may_come_through_a_pipe() {
    for script in [
        "printf '\\162\\155 -rf /' | sh",
        "printf '%s ' rm -rf / | sh",
        "echo rm -rf / | tee x | sh",
        "echo 'rm -rf /' | cat | cat - | bash -s",
        "cat <<E | sh\nrm -rf /\nE",
        "for w in rm -rf /; do printf '%s ' $w; done | sh",
        "echo rm -rf / > x; cat x | sh",
        "x='echo rm -rf /'; $x | sh",
    ] {
        ends_with(script, "rm -rf /");
    }
}

#[test]
fn unknown_output_refers_to_its_command() {
    let analysis = read_text("x=$(curl y); sh -c \"$x\"");
    let last = analysis.invocations.last().unwrap();
    assert_eq!(last.words[0].pieces, [Piece::Unknown(Unknown::Output(vec![0]))]);
}

#[test]
fn unknown_parts_keep_their_place_in_a_text() {
    ends_with("echo \"rm -rf $X/a\" | sh", "rm -rf ${X}/a");
    ends_with("eval \"rm '$X' b\"", "rm ${X} b");
    ends_with("sh -c \"rm $(date)\"", "rm $(…)");
}
