//! The plugin as Claude Code sees it.

use real_agents::Home;
use serde_json::json;

use crate::staged_plugin::repository;
use crate::{claude, home_with_plugin, project_with_loop::model};

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_repository_is_a_valid_plugin_and_marketplace() {
    let home = Home::new(&claude()).unwrap();
    // The second is the catalogue for other hosts.
    for catalogue in [repository().to_owned(), repository().join("marketplace.json")] {
        let outcome = home.validate_plugin(&catalogue).unwrap();
        assert_eq!(outcome.exit_code, Some(0), "{outcome}");
        for complaint in ["⚠", "✘"] {
            assert!(!outcome.stdout.contains(complaint), "{outcome}");
        }
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn every_hook_runs_once_from_the_installed_plugin() {
    let (home, plugin) = home_with_plugin();
    let model = model([simulator::Turn::tool("StructuredOutput", json!({}))]);
    let session =
        home.session(&model).prompt("Go.").arg("--json-schema").arg(r#"{"type":"object"}"#);
    let outcome = session.run().unwrap();
    for event in ["SessionStart", "PreToolUse", "PostToolUse", "Stop"] {
        let mut responses = outcome.hook_responses(event);
        // provide.sh is silent if the programs exist.
        responses.retain(|response| !(event == "SessionStart" && response.stderr.is_empty()));
        assert_eq!(responses.len(), 1, "{event}: {responses:?}");
        assert_eq!(responses[0].exit_code, Some(0), "{responses:?}");
        assert!(!responses[0].stderr.is_empty(), "{responses:?}");
    }
    let init = outcome.events.iter().find(|event| event["subtype"] == "init").unwrap();
    let ours = init["plugins"].as_array().unwrap().iter().find(|found| found["name"] == "ralph");
    let path = ours.unwrap()["path"].as_str().unwrap();
    assert_eq!(std::path::Path::new(path), plugin.path());
}
