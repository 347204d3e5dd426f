//! Every special ending: its result line, if any, and its exit code.

use std::os::unix::process::ExitStatusExt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use simulator::{Act, LimitStatus, Scenario, When};

use crate::project::{Ended, Project};

fn play(acts: impl IntoIterator<Item = Act>) -> Ended {
    Project::implement().play(&Scenario::new().rule(When::any(), acts)).complete()
}

fn assert_failed(ended: &Ended, terminal_reason: &str, subtype: &str) {
    assert_eq!(ended.status.code(), Some(1));
    let result = ended.result();
    assert_eq!(
        (&result["is_error"], &result["terminal_reason"]),
        (&json!(true), &json!(terminal_reason))
    );
    assert_eq!(result["subtype"], subtype);
}

#[test]
fn a_finish_is_the_answer_and_nothing_follows() {
    let ended = play([Act::Finish { text: None, promise: true }, Act::bash("touch never")]);
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(ended.result()["result"], "Finished.\n<promise>COMPLETE</promise>");
    assert!(ended.tools().is_empty());
}

#[test]
fn an_empty_answer_is_a_success() {
    let ended = play([Act::Empty]);
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(
        (&ended.result()["result"], &ended.result()["is_error"]),
        (&json!(""), &json!(false))
    );
    assert!(ended.feedback()[0].contains("no visible output"));
}

#[test]
fn a_crash_and_an_abort_have_no_result() {
    let crashed = play([Act::say("hm"), Act::Crash { exit_code: 7 }]);
    assert_eq!((crashed.status.code(), crashed.has_result()), (Some(7), false));
    let aborted = play([Act::say("hm"), Act::Abort]);
    assert_eq!((aborted.status.signal(), aborted.has_result()), (Some(9), false));
}

#[test]
fn an_api_error_is_retried_and_reported() {
    let ended = play([Act::ApiError { status: 529, message: "Overloaded".into() }]);
    assert_failed(&ended, "api_error", "success");
    assert_eq!(ended.result()["api_error_status"], 529);
    let retries = ended.of("system", "api_retry");
    assert_eq!((retries.len(), &retries[0]["error"]), (2, &json!("overloaded")));
    let error = ended.of("assistant", "")[0];
    assert_eq!(
        (&error["is_api_error_message"], &error["message"]["model"]),
        (&json!(true), &json!("<synthetic>"))
    );
}

#[test]
fn a_limit_warns_or_ends_the_session() {
    let limit = |status| Act::Limit {
        status,
        resets_in_s: Some(60),
        resets_at: None,
        utilization: Some(0.9),
    };
    let warned = play([limit(LimitStatus::AllowedWarning)]);
    assert_eq!(warned.status.code(), Some(0));
    let info = &warned.of("rate_limit_event", "")[0]["rate_limit_info"];
    assert_eq!((&info["status"], &info["utilization"]), (&json!("allowed_warning"), &json!(0.9)));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let resets_at = info["resetsAt"].as_u64().unwrap();
    assert!((now..=now + 60).contains(&resets_at), "{resets_at}");

    let rejected = play([limit(LimitStatus::Rejected)]);
    assert_failed(&rejected, "api_error", "success");
    assert_eq!(rejected.result()["api_error_status"], 429);
}

#[test]
fn limits_of_turns_budget_and_prompt_are_errors() {
    assert_failed(&play([Act::TurnLimit]), "max_turns", "error_max_turns");
    assert_failed(&play([Act::BudgetExhausted]), "budget_exhausted", "error_max_budget_usd");
    let too_long = play([Act::PromptTooLong]);
    assert_failed(&too_long, "prompt_too_long", "success");
    assert_eq!(too_long.result()["modelUsage"], json!({}));
}

#[test]
fn the_limits_of_the_command_line_apply() {
    let project = Project::implement();
    let acts = vec![Act::read("x"); 5];
    let scenario = Scenario::new().rule(When::any(), acts);
    let ended = project.play(&scenario).arg("--max-turns").arg("2").complete();
    assert_failed(&ended, "max_turns", "error_max_turns");
    assert_eq!((ended.tools().len(), &ended.result()["num_turns"]), (2, &json!(3)));
    let ended = project.play(&scenario).arg("--max-budget-usd").arg("0.02").complete();
    assert_failed(&ended, "budget_exhausted", "error_max_budget_usd");
    assert_eq!((ended.tools().len(), ended.tool_results().len()), (4, 3));
}

#[test]
fn cost_and_context_are_what_the_scenario_claims() {
    let acts = [Act::Cost { usd: 1.25 }, Act::Context { tokens: 150_000, window: Some(200_000) }];
    let ended = play(acts);
    assert_eq!(ended.result()["total_cost_usd"], 1.25);
    let models = ended.result()["modelUsage"].as_object().unwrap();
    assert_eq!(models.values().next().unwrap()["contextWindow"], 200_000);
    let usage = ended.of("assistant", "")[0]["message"]["usage"].as_object().unwrap();
    assert_eq!(usage.values().filter_map(Value::as_u64).sum::<u64>(), 150_000);
}

#[test]
fn other_formats_print_only_the_result() {
    let project = Project::implement();
    let scenario = Scenario::new().rule(When::any(), [Act::say("hm"), Act::finish("bye")]);
    let text = project.play(&scenario).arg("--output-format").arg("text").complete();
    assert_eq!(text.stdout, b"bye\n");
    let json = project.play(&scenario).arg("--output-format").arg("json").complete();
    assert_eq!((json.lines.len(), &json.result()["result"]), (1, &json!("bye")));
}
