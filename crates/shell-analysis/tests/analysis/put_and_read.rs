//! Data that a text stores and reads again.

use shell_analysis::Analysis;

use crate::support::{lines, read_text};

const BAD: &str = "rm -rf /x";

fn runs(analysis: &Analysis, line: &str) -> bool {
    lines(analysis).iter().any(|other| other == line)
}

fn is_found(script: &str) {
    let script = script.replace("BAD", BAD);
    assert!(runs(&read_text(&script), BAD), "{script}");
}

fn is_not_found(script: &str) {
    let script = script.replace("BAD", BAD);
    assert!(!runs(&read_text(&script), BAD), "{script}");
}

#[test]
fn numbered_descriptors_keep_what_was_put_into_them() {
    is_found("exec 3<<< 'BAD'; sh <&3");
    is_found("exec 3<<< 'BAD'; source /dev/fd/3");
    is_found("exec 3< <(echo BAD); sh <&3");
    is_found("coproc C { echo 'BAD'; }; sh <&\"${C[0]}\"");
    is_not_found("exec 3<<< 'BAD'; sh <&4");
}

#[test]
fn a_file_without_a_known_name_is_the_same_under_the_same_name() {
    is_found("f=$(mktemp); echo BAD > \"$f\"; sh \"$f\"");
    is_found("d=$(mktemp -d); echo BAD > \"$d/x\"; bash \"$d/x\"");
    is_not_found("d=$(mktemp -d); echo BAD > \"$d/x\"; bash \"$d/y\"");
}

#[test]
fn files_are_filled_by_more_than_redirections() {
    is_found("echo XX -rf /x > r.sh; sed -i s/XX/rm/ r.sh; sh r.sh");
    is_found("echo hi > r.sh; sed -i '1i BAD' r.sh; sh r.sh");
    is_found("echo BAD | install -m 755 /dev/stdin r.sh; ./r.sh");
}

#[test]
fn a_shell_reads_its_startup_files_and_its_own_programs_first() {
    is_found("echo BAD > e; ENV=e sh -i -c :");
    is_found("echo BAD > e; bash --rcfile e -i -c exit");
    is_found("echo BAD > ls; PATH=.:$PATH ls");
    is_not_found("echo BAD > ls; ls");
    is_not_found("echo BAD > x.sh; sh -n x.sh");
}

#[test]
fn texts_that_are_expanded_once_more_are_followed() {
    is_found("x='$(BAD)'; echo \"${x@P}\"");
    is_found("x='a[$(BAD)]'; (( x ))");
    is_found("[[ 'a[$(BAD)]' -eq 0 ]]");
    is_not_found("echo 'see $(BAD)'");
}

#[test]
fn a_function_that_hands_on_its_arguments_may_call_itself() {
    is_found("f() { \"$@\"; }; f f f BAD");
    is_found("cd() { builtin cd /; }; cd build; BAD");
}

#[test]
fn written_files_are_reported() {
    let read = read_text("echo one > a; echo two >> a; cp a b; cat <(echo three)");
    let content = |name: &str| read.files.get(std::path::Path::new(name)).cloned();
    assert_eq!(content("/project/a").as_deref(), Some("one\ntwo\n"));
    assert_eq!(content("/project/b").as_deref(), Some("one\ntwo\n"));
    assert_eq!(read.streams[0].1.text().as_deref(), Some("three\n"));
}

#[test]
fn a_search_path_of_folders_leads_to_each_of_them() {
    let read = read_text("CDPATH=/a:/b; cd x; rm -rf y");
    let folders: Vec<String> = read
        .invocations
        .iter()
        .filter(|invocation| invocation.program().as_deref() == Some("rm"))
        .map(|invocation| format!("{:?}", invocation.folder))
        .collect();
    assert!(folders.iter().any(|folder| folder.contains("/b/x")), "{folders:?}");
}
