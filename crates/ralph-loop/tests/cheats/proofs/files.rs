//! A working session changes the tests of the proof, the proof file, or what decides which tests run.

use events::ProofPhase;
use serde_json::json;
use simulator::{Act, Mode, When};

use super::{
    EASY, FILE, PROOF, RIGHT, TEST, WRONG, assert_runs, cheat, next_session, refused,
    review_prompt, specified, target, working,
};

/// A script writes it between quotation marks.
fn easy() -> String {
    format!("cat > {FILE} <<'EOF'\n{EASY}EOF\n")
}

#[test]
fn changes_of_the_tests_and_of_the_proof_file_are_undone() {
    let second = "printf '\\n\\nclass SumTest(unittest.TestCase):\\n    def test_empty(self): pass\\n    def test_two(self): pass\\n'";
    let skip = "sed -i 's/^class/@unittest.skip(\"later\")\\nclass/'";
    let easy = easy();
    let cases = [
        ("edit", easy.clone(), FILE),
        ("delete", format!("git rm -q {FILE}"), FILE),
        ("rename", format!("git mv {FILE} tests/test_totals.py"), FILE),
        ("empty", format!(": > {FILE}"), FILE),
        ("skip", format!("{skip} {FILE}"), FILE),
        ("second definition", format!("{second} >> {FILE}"), FILE),
        ("ignored", format!("echo {FILE} >> .gitignore; git rm -q --cached {FILE}; {easy}"), FILE),
        ("hidden", format!("git update-index --assume-unchanged {FILE}; {easy}"), FILE),
        ("unseen", format!("git update-index --skip-worktree {FILE}; {easy}"), FILE),
        ("link", format!("{}ln -sf easy.py {FILE}", easy.replace(FILE, "tests/easy.py")), FILE),
        ("folder", format!("rm {FILE}; mkdir {FILE}; touch {FILE}/a.py"), FILE),
        (
            "package",
            "echo 'import unittest; unittest.TestCase.assertEqual = print' > tests/__init__.py"
                .into(),
            "tests/__init__.py",
        ),
        (
            "load_tests",
            "echo 'def load_tests(a, b, c): return a.suiteClass()' > tests/__init__.py".into(),
            "tests/__init__.py",
        ),
        ("proof file", format!("sed -i 's/test_two/test_empty/' {PROOF}"), PROOF),
        ("no proof file", format!("git rm -q {PROOF}"), PROOF),
        (
            "manual",
            format!("sed -i 's/\"tests\": .*/\"manual\": \"see the code\",/' {PROOF}"),
            PROOF,
        ),
    ];
    let project = specified();
    for (name, script, path) in cases {
        let run = refused(&project, cheat(&script), "ChangesReverted");
        assert!(run.findings().contains(path), "{name}: {}", run.findings());
        assert_eq!(project.read(FILE), TEST, "{name}");
    }
}

#[test]
fn tests_are_not_run_outside_of_the_project() {
    let acts = cheat("mv tests ..; ln -s ../tests tests");
    refused(&specified(), acts, "is a link out of the project");
}

#[test]
fn a_fix_after_a_review_may_not_change_them_either() {
    let right = vec![Act::write("sums.py", RIGHT), Act::submit("done"), Act::commit("feat: sums")];
    let reject = vec![Act::request_changes("total(None) fails"), Act::commit("review: changes")];
    let honest = working(right).rule(When::mode(Mode::Review), reject);
    let project = target(&honest);
    for assignment in ["specify US-001", "implement US-001", "review US-001"] {
        assert_eq!(next_session(&project).assignments(), [assignment]);
    }
    for (script, path) in [
        (easy(), FILE),
        (format!("git rm -q {FILE} {PROOF}"), PROOF),
        (format!("chmod 000 {FILE}"), ""),
    ] {
        let wrong = [Act::write("sums.py", WRONG), Act::bash(&script), Act::Resubmit];
        let acts = [&wrong[..], &[Act::commit("fix: sums")]].concat();
        let run = refused(&project, acts, "ReviewFix");
        assert!(run.findings().contains(path), "{script}: {}", run.findings());
    }
}

#[test]
fn files_that_come_before_the_tests_are_seen() {
    let package = "mkdir tests/test_sums; cat > tests/test_sums/__init__.py <<'EOF'\n";
    let cases = [
        ("a compiled test", compiled(FILE, EASY)),
        ("compiled work", compiled("sums.py", RIGHT)),
        ("the package of the tests", format!("{package}{EASY}EOF\n")),
    ];
    let project = specified();
    for (name, script) in cases {
        let run = refused(&project, cheat(&script), "accepted: false");
        assert_runs(&run, ProofPhase::Green, name);
    }
}

/// Python believes a compiled file whose source it is not asked to compare, and git ignores its folder.
fn compiled(path: &str, source: &str) -> String {
    format!(
        "cat > other.py <<'EOF'\n{source}EOF\npython3 -c \"import importlib.util as u, py_compile as c; \
         c.compile('other.py', u.cache_from_source('{path}'), invalidation_mode=c.PycInvalidationMode.UNCHECKED_HASH)\"\n\
         rm other.py\n"
    )
}

#[test]
fn files_that_replace_the_framework_are_refused() {
    let fake = "class TestCase:\n    def run(self, result): pass\n";
    let project = specified();
    for path in ["unittest.py", "unittest/__init__.py", "sitecustomize.py", "usercustomize.py"] {
        let script = format!(
            "rm -rf unittest unittest.py *customize.py; mkdir unittest; cat > {path} <<'EOF'\n{fake}EOF\n\
             rmdir unittest 2>/dev/null; true"
        );
        let reported = format!("{path} decides which tests run or how");
        let run = refused(&project, cheat(&script), &reported);
        assert_runs(&run, ProofPhase::Green, path);
    }
    // Which git ignores.
    let script = format!(
        "rm usercustomize.py; echo unittest.py >> .gitignore; cat > unittest.py <<'EOF'\n{fake}EOF\n"
    );
    refused(&project, cheat(&script), "accepted: false");
}

/// It counts for nothing that the tests pass with files that no commit has.
#[test]
fn work_that_git_ignores_is_reported_to_the_review() {
    let acts = vec![
        Act::bash("echo sums.py >> .gitignore"),
        Act::write("sums.py", RIGHT),
        Act::submit("done"),
        Act::commit("feat: sums"),
    ];
    let project = target(&working(acts));
    let run = project.run(["-n", "3"]);
    let prompt = review_prompt(&run);
    assert!(prompt.contains("git ignores and no commit contains"), "{prompt}");
    assert!(prompt.contains("do not prove their criterion: `SumTest.test_empty"), "{prompt}");
}

#[test]
fn the_task_list_does_not_switch_the_proof_off() {
    let off = [("proof", json!("off"))];
    let acts = [vec![Act::set_story(off)], cheat("true")].concat();
    let project = specified();
    let run = refused(&project, acts, "ChangesReverted");
    assert!(run.findings().contains("proof"), "{}", run.findings());
}

#[test]
fn the_runners_records_are_not_believed() {
    let forge_state = "python3 - <<'EOF'
import json
state = json.load(open('.ralph/state.json'))
proof = state['stories']['US-001']['proof']
proof['greenAt'] = proof['redAt']
for criterion in proof['criteria']:
    criterion['evidence'] = {'manual': 'see the code'}
json.dump(state, open('.ralph/state.json', 'w'))
EOF";
    let forge_note = "for folder in .ralph/runs/*/*/; do echo '{\"base\":\"HEAD\",\"takenAway\":[\"tests/test_sums.py\",\"../x\"],\"added\":[\"mine.txt\"]}' > $folder/proof-files.json; done";
    let project = specified();
    for script in [forge_state, forge_note] {
        refused(&project, cheat(script), "accepted: false");
        assert_eq!(project.read("mine.txt"), "committed\n");
    }
}
