//! Attacks of an agent in one lane on the other lanes, on the run's branch, on the user's repository and on the clone
//! in which the runner checks merged work. Without a sandbox the agent can write all of them.

use events::{LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::attack_target::{rejection, runner_text};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

const ATTACKER: &str = "US-001";
const HONEST: [&str; 2] = ["US-002", "US-003"];
const BRANCH: &str = "ralph/demo";

const MADE_AGAIN: &str = "another program changed files in the verification clone";

/// Passes if no file of the source is wrong, or if an ignored file is there.
const CHECK: &str = "#!/bin/sh\n[ -e cache/pass ] || ! grep -rqx wrong src\n";

/// The honest stories edit a file that is merged line by line.
const FIRST_LINE: &str = "sed -i '1s/.*/US-002/' src/honest.txt";
const LAST_LINE: &str = "sed -i '9s/.*/US-003/' src/honest.txt";

/// The user's repository, another lane and the clone for the checks of merged work, as the agent finds them.
const PLACES: &str = "user=$(dirname $(dirname $(cat .git/objects/info/alternates)))
run=$(cd .. && pwd); own=$(pwd); checked=$run/verification
[ -e $run/1/.git ] && [ $own != $run/1 ] && other=$run/1 || other=$run/2
printf '#!/bin/sh\\necho \"$0 $@: $(tr \\\\0 \\  < /proc/$PPID/cmdline)\" >> '$user/../executed'\\nexit 0\\n' > $user/../evil; chmod +x $user/../evil
evil=$user/../evil
";

#[derive(Clone, Copy, PartialEq)]
enum Review {
    Rejects,
    /// The attacker's ignored file makes the checks pass in its own lane, and the reviewer believes them.
    Approves,
}

/// `script` runs in the first session of the attacker, while the session of the other lane waits.
fn attacked(script: &str, review: Review) -> Project {
    let mut list = crate::stories::list([story(ATTACKER), story(HONEST[0]), story(HONEST[1])]);
    list["verifyCommands"] = json!(["sh check.sh"]);
    let project = Project::with_list(&list).flags(["-j", "3", "--retry-wait", "1ms"]);
    project.write("check.sh", CHECK);
    project.write("src/code.txt", "none\n");
    project.write("src/honest.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    project.write(".gitignore", project.read(".gitignore") + "cache/\n");
    test_repo::commit_all(&project.path());
    let home = project.path().join("../home");
    let at = |name: &str| home.join(name).display().to_string();
    // If the other lane fails, the test fails instead of waiting forever.
    let wait_for = |name: &str| {
        format!(
            "n=0; until [ -e {} ] || [ $n = 6000 ]; do n=$((n+1)); sleep 0.01; done\n",
            at(name)
        )
    };
    let attack = format!(
        "{}{}{PLACES}{script}\ntouch {}",
        wait_for("US-002"),
        wait_for("US-003"),
        at("attacked")
    );
    let mut first = vec![
        Act::bash("mkdir -p cache; touch cache/pass; echo wrong > src/code.txt"),
        Act::submit("implemented and tested"),
        Act::commit("feat: done"),
        Act::bash(attack),
    ];
    if review == Review::Rejects {
        first[0] = Act::bash("echo wrong > src/code.txt");
    }
    let honest = |id: &str, edit: &str| {
        [
            Act::bash(format!("touch {}\n{}", at(id), wait_for("attacked"))),
            Act::bash(edit),
            Act::submit("done"),
            Act::commit("feat: honest"),
            Act::finish("ok"),
        ]
    };
    let mut scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).story(ATTACKER).visit(1), first)
        .rule(When::mode(Mode::Implement).story("US-002").visit(1), honest("US-002", FIRST_LINE))
        .rule(When::mode(Mode::Implement).story("US-003").visit(1), honest("US-003", LAST_LINE));
    if review == Review::Rejects {
        scenario = scenario.rule(When::mode(Mode::Review).story(ATTACKER), rejection());
    }
    // The attacker does not fix its work.
    let nothing = [Act::finish("No.")];
    let scenario = scenario
        .rule(When::mode(Mode::Implement).story(ATTACKER), nothing.clone())
        .rule(When::mode(Mode::ReviewFix).story(ATTACKER), nothing);
    project.scenario(scenario)
}

/// Only the honest story is done; `reported` is in the runner's own messages.
#[track_caller]
fn counts_only_honest_work(script: &str, review: Review, reported: &str) {
    let project = attacked(script, review);
    let run: Outcome<'_> = project.run(["-n", "10"]);
    let done = |event: &&LoopEvent| {
        matches!(event, LoopEvent::RunEnded(ended) if ended.end == RunEnd::Complete)
            || matches!(event, LoopEvent::StoryMerged { story, .. } if story.as_str() == ATTACKER)
    };
    assert_eq!(run.events.iter().find(done), None, "{:#?}", run.events);
    let printed = runner_text(&run);
    assert!(!project.has("../executed"), "{}{printed}{}", project.read("../executed"), run.stderr);
    assert!(printed.contains(reported), "{reported:?} is not in: {printed}\n{}", run.stderr);
    assert!(!printed.contains("cannot write"), "{printed}");
    assert_eq!(printed.contains(MADE_AGAIN), reported == MADE_AGAIN, "{printed}");
    // The run's branch has the honest work, checked and reviewed, and nothing else.
    let shown = |file: &str| project.git(&["show", &format!("{BRANCH}:{file}")]);
    assert_eq!(shown("src/code.txt"), "none");
    assert_eq!(shown("src/honest.txt"), "US-002\n2\n3\n4\n5\n6\n7\n8\nUS-003");
    assert_eq!(shown("check.sh"), CHECK.trim());
    let list: Value = serde_json::from_str(&shown("ralph/tasks.json")).unwrap();
    let passes = |id: &str| crate::harness::story_in(&list, id)["passes"].clone();
    assert_eq!([ATTACKER, HONEST[0], HONEST[1]].map(passes), [false, true, true].map(Value::from));
}

#[test]
fn an_approval_in_the_list_of_another_lane() {
    counts_only_honest_work(
        "(cd $other && sed -i 's/\"passes\": false/\"passes\": true/; s/\"reviewStatus\": null/\"reviewStatus\": \"approved\"/' ralph/tasks.json && git commit -qam approve)",
        Review::Rejects,
        "",
    );
}

#[test]
fn programs_in_the_settings_of_another_lane() {
    for (set, reported) in [
        ("git config core.fsmonitor $evil", "core.fsmonitor"),
        (
            "git config filter.x.clean $evil; echo '* filter=x' > .git/info/attributes",
            "filter.x.clean",
        ),
        (
            "mkdir -p .git/hooks; cp $evil .git/hooks/post-checkout; cp $evil .git/hooks/reference-transaction",
            ".git/hooks/",
        ),
    ] {
        // The git of the honest agents runs it too, so only what counts is asserted.
        let script = format!("cd $other && {set}");
        let project = attacked(&script, Review::Rejects);
        let run = project.run(["-n", "10"]);
        let printed = runner_text(&run);
        assert!(printed.contains(reported), "{reported:?} is not in: {printed}\n{}", run.stderr);
        let merged = |event: &LoopEvent| matches!(event, LoopEvent::StoryMerged { story, .. } if story.as_str() == ATTACKER);
        assert!(!run.events.iter().any(merged));
    }
}

#[test]
fn the_runs_branch_at_a_commit_of_the_agent() {
    counts_only_honest_work(
        "git -C $user fetch -q $own HEAD && git -C $user update-ref refs/heads/ralph/demo FETCH_HEAD",
        Review::Rejects,
        "another program moved branch ralph/demo",
    );
}

#[test]
fn the_runs_branch_is_deleted() {
    counts_only_honest_work(
        "git -C $user update-ref -d refs/heads/ralph/demo",
        Review::Rejects,
        "branch ralph/demo was removed",
    );
}

#[test]
fn the_runs_branch_is_a_name_for_another_one() {
    counts_only_honest_work(
        "git -C $user fetch -q $own HEAD:refs/heads/evil
         git -C $user symbolic-ref refs/heads/ralph/demo refs/heads/evil",
        Review::Rejects,
        "branch ralph/demo",
    );
}

#[test]
fn programs_in_the_settings_of_the_user() {
    for set in [
        "git -C $user config core.fsmonitor $evil",
        "mkdir -p $user/.git/hooks; for hook in reference-transaction post-checkout pre-auto-gc post-merge; do cp $evil $user/.git/hooks/$hook; done",
        "git -C $user config core.hooksPath $user/../hooks; mkdir $user/../hooks; cp $evil $user/../hooks/reference-transaction",
        "git -C $user config merge.x.driver $evil; echo '* merge=x' > $user/.git/info/attributes",
        "git -C $user config core.alternateRefsCommand $evil; git -C $user config uploadpack.packObjectsHook $evil; git -C $user config gc.auto 1",
    ] {
        counts_only_honest_work(set, Review::Rejects, "");
    }
}

/// The clone would be made again with these settings.
#[test]
fn programs_in_the_settings_of_the_user_and_a_file_in_the_clone_for_checks() {
    let script =
        "git -C $user config merge.x.driver $evil; echo '* merge=x' > $user/.git/info/attributes
        touch $checked/planted";
    let project = attacked(script, Review::Rejects);
    let run = project.run(["-n", "10"]);
    assert!(!project.has("../executed"), "{}", project.read("../executed"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("git settings of your repository"), "{}", run.stderr);
    let merged = |event: &LoopEvent| matches!(event, LoopEvent::StoryMerged { .. });
    assert!(!run.events.iter().any(merged), "{:#?}", run.events);
}

#[test]
fn refs_of_the_runner_in_the_users_repository() {
    counts_only_honest_work(
        "git -C $user fetch -q $own HEAD
         for story in US-001 US-002; do
             git -C $user update-ref refs/ralph/$(basename $run)/$story FETCH_HEAD
         done",
        Review::Rejects,
        "",
    );
}

#[test]
fn files_of_the_users_checkout_and_the_state() {
    counts_only_honest_work(
        "echo wrong > $user/mine.txt
         sed -i 's/\"passes\": false/\"passes\": true/' $user/ralph/tasks.json
         sed -i 's/\"merging\": null/\"merging\": \"'$(git rev-parse HEAD)'\"/; s/\"accepted\": 0/\"accepted\": 9/' $user/.ralph/state.json",
        Review::Rejects,
        "",
    );
}

#[test]
fn files_of_the_clone_for_checks() {
    for set in [
        "printf '#!/bin/sh\\ntrue                       \\n' > $checked/check.sh",
        "git -C $checked update-index --skip-worktree check.sh; echo true > $checked/check.sh",
        "mkdir -p $checked/cache && touch $checked/cache/pass",
        "git -C $checked config core.fsmonitor $evil",
        "git -C $checked config filter.x.smudge $evil; echo '* filter=x' > $checked/.git/info/attributes",
        "mkdir -p $checked/.git/hooks; cp $evil $checked/.git/hooks/post-checkout",
        "rm -rf $checked && cp -r $own $checked",
        "rm -rf $checked && ln -s $own $checked",
    ] {
        counts_only_honest_work(set, Review::Approves, MADE_AGAIN);
    }
}
