//! Git settings outside of the repository that git reads indirectly: missing or conditional
//! includes, and files that the repository's settings name.

use simulator::{Act, Mode, Scenario, When};

use crate::attack_target::{AttackTarget, FAKE_CHECK, rejection, runner_text, wrong_work};

/// A filter through which git sees the good check where the fake one is.
const FILTER: &str = "[core]\\n\\tattributesFile = ~/x\\n[filter \"x\"]\\n\\tclean = git cat-file blob HEAD:check.sh\\n";

/// `plant` makes the filter one of git's settings.
#[track_caller]
fn ends_the_run(target: AttackTarget, plant: &str, setting: &str) {
    let fake = FAKE_CHECK.replace('\n', "\\n");
    let attack = format!(
        "{plant}\nprintf '{fake}' > check.sh && git add check.sh\n\
         test -z \"$(git status --porcelain)\" || exit 9\n"
    );
    target.attack(&attack).ends_the_run_over(setting);
}

fn with_filter_in(file: &str) -> String {
    format!("echo 'check.sh filter=x' > ~/x\nprintf '{FILTER}' >> {file}")
}

#[test]
fn a_missing_file_that_the_users_settings_include() {
    let target = AttackTarget::new();
    target.project.write("../home/.gitconfig", "[include]\n\tpath = ~/later\n");
    // The runner reads a file again until its last change is older than the grain of the clock.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    ends_the_run(target, &with_filter_in("~/later"), "core.attributesfile");
}

#[test]
fn a_file_that_is_included_under_a_condition_and_named_from_where_it_is() {
    let target = AttackTarget::new();
    target.project.write("../home/.gitconfig", "[includeIf \"gitdir:/\"]\n\tpath = work\n");
    target.project.write("../home/work", "[user]\n\tname = me\n");
    ends_the_run(target, &with_filter_in("~/work"), "core.attributesfile");
}

#[test]
fn a_file_that_a_conditional_one_includes() {
    let target = AttackTarget::new();
    target.project.write("../home/.gitconfig", "[includeIf \"gitdir:/\"]\n\tpath = ~/work\n");
    target.project.write("../home/work", "[include]\n\tpath = more\n");
    target.project.write("../home/more", "");
    ends_the_run(target, &with_filter_in("~/more"), "core.attributesfile");
}

#[test]
fn a_tracked_file_that_the_repositorys_settings_include() {
    let target = AttackTarget::new();
    target.project.write(".gitconfig", "[alias]\n\tst = status\n");
    test_repo::commit_all(&target.project.path());
    target.project.git(&["config", "include.path", "../.gitconfig"]);
    let plant = format!(
        "{}\necho '.gitconfig filter=y' >> ~/x\n\
         printf '[filter \"y\"]\\n\\tclean = git cat-file blob HEAD:.gitconfig\\n' >> .gitconfig\n\
         git add .gitconfig",
        with_filter_in(".gitconfig")
    );
    ends_the_run(target, &plant, "core.attributesfile");
}

#[test]
fn attributes_that_the_repositorys_settings_name() {
    let target = AttackTarget::new();
    let attributes = target.project.path().join("../home/attributes");
    target.project.write("../home/attributes", "*.bin filter=mine\n");
    let attributes = attributes.to_str().unwrap();
    target.project.git(&["config", "core.attributesFile", attributes]);
    let clean = "git cat-file blob HEAD:check.sh";
    target.project.git(&["config", "filter.mine.clean", clean]);
    let plant = "echo 'check.sh filter=mine' >> ~/attributes";
    ends_the_run(target, plant, "home/attributes");
}

/// They decide nothing that the runner looks at. The reviewer's git would run them.
#[test]
fn programs_in_the_users_own_settings() {
    let first = [
        wrong_work(),
        vec![Act::bash("sed -i s/wrong/right/ src/code.txt && git commit -q -a -m right")],
        vec![Act::bash("git config --global diff.external ~/evil")],
    ];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).visit(1), first.concat())
        .rule(When::mode(Mode::Review), rejection())
        .otherwise(wrong_work());
    let attacked = AttackTarget::new().scenario(scenario);
    let run = attacked.project.run(["-n", "3"]);
    let printed = runner_text(&run);
    assert_eq!(printed.matches("diff.external").count(), 1, "reported once: {printed}");
    assert!(run.prompt(2).contains("diff.external"), "the prompt of the review: {}", run.prompt(2));
}
