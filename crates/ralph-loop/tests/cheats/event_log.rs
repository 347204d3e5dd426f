//! A session or another process rewrites the event log, to hide a failed attempt or between two
//! starts of a run. The run continues correctly, and every display names the changed line.

use events::{Follow, LoopEvent, RunEnd};
use predicates::str::contains;
use project::Layout;
use serde_json::Value;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::attack_target::{AttackTarget, Attacked, rejection, wrong_work};
use crate::harness::Project;

/// The log, for a shell in the project.
const LOG: &str = ".ralph/runs/*/events.jsonl";

/// Numbers and digests of all lines are made anew, so that the file by itself shows nothing.
const CHAIN_ANEW: &str = r#"
n=0; prev=
while IFS= read -r line; do
    n=$((n + 1))
    line=$(printf %s "$line" | sed "s/\"seq\":[0-9]*/\"seq\":$n/; s/\"prev\":\"[0-9a-f]*\"/\"prev\":\"$prev\"/")
    printf '%s\n' "$line"
    prev=$(printf %s "$line" | sha256sum | cut -d' ' -f1)
done < kept > new
cat new > "$log"; rm kept new
"#;

/// The script runs in the second session, whose run knows of a failed attempt already.
fn attacked(script: &str) -> Attacked {
    let script = format!("log=$(echo {LOG}); {script}");
    let second = wrong_work().into_iter().chain([Act::bash(script)]);
    AttackTarget::new().scenario(
        Scenario::new()
            .rule(When::mode(Mode::Implement).visit(2), second)
            .rule(When::mode(Mode::Review), rejection())
            .otherwise(wrong_work()),
    )
}

fn log_of(project: &Project) -> std::path::PathBuf {
    let runs = std::fs::read_dir(project.path().join(".ralph/runs")).unwrap();
    runs.flatten().map(|run| run.path().join("events.jsonl")).next().unwrap()
}

fn text(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The finding about the log, which must be the same in every display. For `watch` and `serve` the
/// reader itself is called.
#[track_caller]
fn finding_in_all_displays(project: &Project) -> String {
    let status: Value = serde_json::from_str(&text(project, &["status", "--json"])).unwrap();
    let log = &status["run"]["log"];
    let report = text(project, &["report", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&report).unwrap()["log"], *log);
    let run = status["run"]["id"].as_str().unwrap();
    let mut follow = Follow::open(&Layout::new(project.path()), run).unwrap().unwrap();
    follow.poll(|_| {}).unwrap();
    assert_eq!(serde_json::to_value(follow.check()).unwrap(), *log);
    let printed = log["text"].as_str().unwrap();
    let figures = follow.check().figures();
    let shown = match follow.check().altered() {
        Some(_) => vec![printed, &figures],
        None => vec![&*figures],
    };
    for args in [&["status"][..], &["report"], &["report", "--format", "html"]] {
        let output = text(project, args);
        for shown in &shown {
            assert!(output.contains(shown), "{args:?} does not say {shown:?}: {output}");
        }
    }
    printed.to_owned()
}

#[track_caller]
fn assert_altered(project: &Project, how: &str) {
    let printed = finding_in_all_displays(project);
    assert!(printed.starts_with("the event log was altered: "), "{printed}");
    assert_text(&printed, contains(how));
}

/// The run ends as it would have and reports it, and so does every display.
#[track_caller]
fn is_reported(attacked: &Attacked, how: &str) {
    let run = attacked.is_refused("LogAltered");
    let is_warning = |event: &&LoopEvent| matches!(event, LoopEvent::Warning { .. });
    assert_eq!(run.events.iter().filter(is_warning).count(), 0, "{:#?}", run.events);
    assert!(matches!(
        run.events.last(),
        Some(LoopEvent::RunEnded(events::RunEnded { end: RunEnd::IterationsUsed, .. }))
    ));
    assert_altered(&attacked.project, how);
}

#[test]
fn a_failed_attempt_that_was_cut_out_is_missed() {
    let cut_out = attacked("sed -i '/attempt-failed/d; /gate-ended/d' $log");
    is_reported(&cut_out, "does not follow line");
}

#[test]
fn a_failed_attempt_that_was_cut_out_with_new_digests_is_missed() {
    let script = format!("grep -v 'attempt-failed\\|gate-ended' $log > kept; {CHAIN_ANEW}");
    is_reported(&attacked(&script), "does not follow line");
}

#[test]
fn text_changed_in_place_is_detected() {
    let script = r#"sed 's/"checks-failed"/"accepted"    /' $log > new; cat new > $log; rm new"#;
    is_reported(&attacked(script), "does not follow line");
}

#[test]
fn a_log_that_was_emptied_is_noticed() {
    is_reported(&attacked(": > $log"), "it begins with event");
}

#[test]
fn a_step_that_the_agent_wrote_into_the_log_is_no_event_of_the_runner() {
    let forged = r#"{"v":1,"at":"2026-11-15T01:02:03.004Z","run":"r","type":"story-status-changed","story":"US-001","from":"needs_review","to":"approved","reviews":1,"feedback":"","passes":true}"#;
    is_reported(&attacked(&format!("echo '{forged}' >> $log")), "has no sequence number");
}

#[test]
fn an_end_that_the_agent_wrote_with_the_right_digest_is_no_event_of_the_runner() {
    let forged = r#"{"v":1,"at":"2026-11-15T01:02:03.004Z","run":"r","seq":%s,"prev":"%s","type":"run-ended","end":"complete","exitCode":0,"text":"every story is done","iterations":1,"accepted":1,"failed":0,"seconds":1.0,"costUsd":0.0,"stories":[],"blocked":[]}\n"#;
    let script = format!(
        "n=$(wc -l < $log); prev=$(tail -n 1 $log | tr -d '\\n' | sha256sum | cut -d' ' -f1)
         printf '{forged}' $((n + 1)) $prev >> $log"
    );
    is_reported(&attacked(&script), "does not follow line");
}

#[test]
fn a_file_in_place_of_the_log_is_moved_away() {
    for script in [
        "rm $log",
        "mkfifo pipe; mv pipe $log",
        "rm $log; mkdir $log; echo x > $log/y",
        "mv $log elsewhere; ln -s $PWD/elsewhere $log",
        "echo mine > elsewhere; ln -f elsewhere $log",
        "rm -rf .ralph/runs",
    ] {
        let attacked = attacked(script);
        is_reported(&attacked, "it begins with event");
        let log = log_of(&attacked.project);
        assert!(log.symlink_metadata().unwrap().is_file(), "{script}");
        if script.contains("mine") {
            assert_eq!(attacked.project.read("elsewhere"), "mine\n", "{script}");
        }
    }
}

/// Between two starts of one run, `spoil` gets its log.
fn resumed_after(spoil: impl Fn(&std::path::Path)) -> Attacked {
    let attacked = attacked("true");
    let run = attacked.project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    spoil(&log_of(&attacked.project));
    let run = attacked.project.run(["-n", "2", "--resume"]);
    run.assert_end(RunEnd::IterationsUsed);
    attacked
}

fn alterations(project: &Project) -> usize {
    let log = std::fs::read_to_string(log_of(project)).unwrap();
    log.lines().filter(|line| line.contains(r#""type":"log-altered""#)).count()
}

#[test]
fn a_log_rewritten_between_runs_is_detected_on_resume() {
    let attacked = resumed_after(|log| {
        let text = std::fs::read_to_string(log).unwrap();
        let kept: Vec<&str> =
            text.lines().filter(|line| !line.contains("attempt-failed")).collect();
        std::fs::write(log, kept.join("\n") + "\n").unwrap();
    });
    assert_eq!(alterations(&attacked.project), 1);
    assert_altered(&attacked.project, "does not follow line");
}

#[test]
fn a_log_truncated_between_runs_is_detected_on_resume() {
    let attacked = resumed_after(|log| {
        let text = std::fs::read_to_string(log).unwrap();
        let kept: Vec<&str> = text.lines().take(5).collect();
        std::fs::write(log, kept.join("\n") + "\n").unwrap();
    });
    assert_eq!(alterations(&attacked.project), 1);
    assert_altered(&attacked.project, "line 6 (event ");
}

#[test]
fn a_log_whose_end_was_cut_after_the_run_is_known_by_the_state() {
    let attacked = attacked("true");
    attacked.is_not_counted();
    let log = log_of(&attacked.project);
    let text = std::fs::read_to_string(&log).unwrap();
    let kept: Vec<&str> = text.lines().take(5).collect();
    std::fs::write(&log, kept.join("\n") + "\n").unwrap();
    assert_altered(&attacked.project, "it ends at line 5, before event");
}

#[test]
fn half_a_last_line_is_a_runner_that_was_killed() {
    let attacked = resumed_after(|log| {
        let text = std::fs::read_to_string(log).unwrap();
        std::fs::write(log, &text[..text.len() - 20]).unwrap();
    });
    assert_eq!(alterations(&attacked.project), 0);
    assert_eq!(finding_in_all_displays(&attacked.project), "the event log is intact");
}

#[test]
fn an_honest_resumed_run_has_one_chain() {
    let attacked = resumed_after(|_| {});
    assert_eq!(alterations(&attacked.project), 0);
    assert_eq!(finding_in_all_displays(&attacked.project), "the event log is intact");
}
