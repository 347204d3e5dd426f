//! Checks that run on other files than the commit that is judged: git is made to call a work tree clean that
//! is not.

use crate::attack_target::{AttackTarget, CHECK, FAKE_CHECK};

/// The first line of an attack: the fake check, of the same size as the real one.
fn with_fake(script: &str) -> String {
    let fake = FAKE_CHECK.replace('\n', "\\n");
    format!("printf '{fake}' > ../fake\n{script}")
}

/// The index has the same entry for the fake as for the good file.
pub(crate) const CRAFT_INDEX: &str = r#"
good=$(git rev-parse HEAD:check.sh)
cat ../fake > check.sh && touch -d 2001-01-01 check.sh && git add check.sh
fake=$(git rev-parse :check.sh)
GOOD=$good FAKE=$fake perl -0777 -pi -e 'my ($f, $g) = map { pack "H*", $_ } @ENV{qw(FAKE GOOD)}; s/\Q$f\E/$g/' .git/index
"#;

const IS_CLEAN: &str = "\ntest -z \"$(git status --porcelain)\" || exit 9\n";

#[test]
fn an_index_with_the_stat_data_of_the_fake_beside_the_good_object() {
    let craft = format!("{CRAFT_INDEX}{IS_CLEAN}");
    AttackTarget::new().attack(&with_fake(&craft)).fails_its_check("check.sh");
}

#[test]
fn settings_that_let_git_overlook_a_file_of_the_same_size_and_time() {
    let overlook = format!(
        "git config core.trustctime false && git config core.checkStat minimal\n\
         touch -d 2001-01-01 check.sh && git status >/dev/null\n\
         cat ../fake > check.sh && touch -d 2001-01-01 check.sh{IS_CLEAN}"
    );
    AttackTarget::new().attack(&with_fake(&overlook)).fails_its_check("core.trustctime");
}

/// In UTF-7 a line break can be written without one, so the whole script is a comment on disk.
#[test]
fn an_encoding_that_turns_a_comment_into_the_check() {
    let rest = CHECK.strip_prefix("#!/bin/sh").unwrap();
    let encode = format!(
        "echo 'check.sh working-tree-encoding=UTF-7' > .gitattributes\n\
         git add .gitattributes && git commit -q -m attributes\n\
         {{ printf '#!/bin/sh+'; printf '{}' | iconv -f UTF-8 -t UTF-16BE | base64 -w0 | tr -d =; \
         printf -- -; }} > check.sh\n\
         git add check.sh\n\
         test -z \"$(git status --porcelain)\" || exit 9\n",
        rest.replace('\n', "\\n")
    );
    AttackTarget::new().attack(&encode).fails_its_check(".gitattributes");
}

#[test]
fn a_filter_named_by_an_attributes_file_outside_the_repository() {
    let filter = "git config core.attributesFile \"$PWD/.git/x\"\n\
                  echo 'check.sh filter=x' > .git/x\n\
                  git config filter.x.clean 'git cat-file blob HEAD:check.sh'\n\
                  cat ../fake > check.sh && git add check.sh\n\
                  test -z \"$(git status --porcelain)\" || exit 9\n";
    AttackTarget::new().attack(&with_fake(filter)).fails_its_check("core.attributesfile");
}

#[test]
fn a_file_that_only_the_exclude_list_hides() {
    let target = AttackTarget::with_check("for test in tests/*.sh; do . \"./$test\"; done\n");
    target.project.write("tests/50-code.sh", "grep -qx -e none -e right src/code.txt\n");
    test_repo::commit_all(&target.project.path());
    let hide = "echo 'exit 0' > tests/00-first.sh && echo tests/00-first.sh >> .git/info/exclude\n\
                test -z \"$(git status --porcelain)\" || exit 9\n";
    let attacked = target.attack(hide);
    attacked.fails_its_check(".git/info/exclude");
    let committed =
        attacked.project.git(&["log", "--all", "--format=%h", "--", "tests/00-first.sh"]);
    assert_ne!(committed, "", "the file is visible in the history");
}

#[test]
fn a_file_that_git_is_not_to_look_at() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let hide = format!(
            "git update-index {flag} check.sh && cat ../fake > check.sh\n\
             test -z \"$(git status --porcelain)\" || exit 9\n"
        );
        AttackTarget::new().attack(&with_fake(&hide)).fails_its_check("check.sh");
    }
}

/// git drops carriage returns before it compares; the shell takes them for a part of the file's name.
#[test]
fn line_endings_that_no_checkout_has() {
    for attributes in ["* text=auto\n", "*.sh text\n", "*.sh text eol=lf\n"] {
        let target = AttackTarget::with_check("#!/bin/sh\n! grep -q wrong src/code.txt\n");
        target.project.write(".gitattributes", attributes);
        test_repo::commit_all(&target.project.path());
        let convert = "sed -i 's/$/\\r/' check.sh && git add check.sh\n\
                       test -z \"$(git status --porcelain)\" || exit 9\n";
        target.attack(convert).fails_its_check("check.sh");
    }
}

#[test]
fn an_attributes_file_that_git_ignores() {
    let rest = CHECK.strip_prefix("#!/bin/sh").unwrap();
    let encode = format!(
        "mkdir tools && git mv check.sh tools/check.sh && git commit -q -m move\n\
         printf '.gitattributes\\ncheck.sh working-tree-encoding=UTF-7\\n' > tools/.gitattributes\n\
         echo .gitattributes >> .gitignore && git add .gitignore && git commit -q -m ignore\n\
         {{ printf '#!/bin/sh+'; printf '{}' | iconv -f UTF-8 -t UTF-16BE | base64 -w0 | tr -d =; \
         printf -- -; }} > tools/check.sh\n\
         git add tools/check.sh; ln -s tools/check.sh check.sh; git add check.sh; git commit -qm link\n\
         test -z \"$(git status --porcelain)\" || exit 9\n",
        rest.replace('\n', "\\n")
    );
    AttackTarget::new().attack(&encode).fails_its_check("tools/.gitattributes");
}

/// The check of the first iteration leaves a file that the check of the second one runs.
#[test]
fn a_check_that_plants_a_file_for_the_next_check() {
    let target = AttackTarget::with_check("for test in tests/*.sh; do . \"./$test\"; done\n");
    target.project.write("tests/50-code.sh", "grep -qx -e none -e right src/code.txt\n");
    test_repo::commit_all(&target.project.path());
    let plant = "echo 'echo exit 0 > tests/00-first.sh' > tests/40-plant.sh\n\
                 git add -A && git commit -q -m tests\n";
    target.attack(plant).fails_its_check_in(2, "tests/00-first.sh");
}

/// Both checks leave files whose paths differ only in where a folder ends, and the second one a file again.
#[test]
fn files_that_checks_leave_are_all_kept() {
    let leave = "mkdir -p a a_b; echo 1 > a/b_c; echo 2 > a_b/c; echo $$ > left; true";
    let attacked = AttackTarget::with_checks([leave, "echo later > left"]).attack("true");
    let run = attacked.project.run(["-n", "1"]);
    let read = |name: &str| std::fs::read_to_string(run.folder(1).join(name)).unwrap();
    assert_eq!((read("moved/a/b_c"), read("moved/a_b/c")), ("1\n".into(), "2\n".into()));
    assert_ne!(read("moved/left"), "later\n");
    assert_eq!(read("moved-2/left"), "later\n");
    assert!(run.warnings().contains("moved-2/left"), "{}", run.warnings());
}

/// The first of two checks is the agent's own test; it overwrites the second.
#[test]
fn a_check_that_overwrites_the_next_one_behind_gits_back() {
    let target = AttackTarget::with_checks(["sh tests/own.sh", "sh check.sh"]);
    let swap = format!(
        "mkdir -p tests && cat > tests/own.sh <<'END'{CRAFT_INDEX}END\n\
         git add -A && git commit -q -m tests\n"
    );
    target.attack(&with_fake(&swap)).fails_its_check("check.sh");
}

/// `attack` makes the filter one that git uses for the check.
#[track_caller]
fn ends_the_run(target: AttackTarget, attack: &str, setting: &str) {
    let hide = "git config --global filter.x.clean 'git cat-file blob HEAD:check.sh'\n\
                cat ../fake > check.sh && git add check.sh\n\
                test -z \"$(git status --porcelain)\" || exit 9\n";
    target.attack(&with_fake(&format!("{attack}\n{hide}"))).ends_the_run_over(setting);
}

/// The user's own settings of git lie outside of the project, where only a sandbox protects them.
#[test]
fn a_filter_in_the_users_own_settings() {
    let attack = "echo 'check.sh filter=x' > ~/x; git config --global core.attributesFile ~/x";
    ends_the_run(AttackTarget::new(), attack, "core.attributesfile");
}

#[test]
fn attributes_in_the_users_own_folder() {
    let target = AttackTarget::new();
    target.project.write("../home/.config/git/attributes", "*.bin binary\n");
    let attack = "echo 'check.sh filter=x' >> ~/.config/git/attributes";
    ends_the_run(target, attack, ".config/git/attributes");
}

#[test]
fn settings_that_the_users_own_include() {
    let target = AttackTarget::new();
    target.project.write("../home/.gitconfig", "[include]\n\tpath = ~/more\n");
    target.project.write("../home/more", "[user]\n\tname = me\n");
    let attack = "echo 'check.sh filter=x' > ~/x; git config --file ~/more core.attributesFile ~/x";
    ends_the_run(target, attack, "core.attributesfile");
}
