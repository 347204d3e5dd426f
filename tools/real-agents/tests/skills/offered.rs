//! The skills of a session, and their cost if they are unused.

use simulator::Turn;

use crate::skill_test::{SKILLS, SkillTest};

/// Every session pays for the descriptions: about 30 tokens each.
const MOST_CHARACTERS: usize = 360;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_model_is_offered_planning_and_status_briefly() {
    let log = SkillTest::new().run("Good morning.", [Turn::text("Good morning.")]);
    assert_eq!(log.skills(), SKILLS);

    let listing = log.text_for_model(0, "- ralph:");
    let ours: Vec<_> = listing.lines().filter(|line| line.starts_with("- ralph:")).collect();
    assert_eq!(ours.len(), 2, "{ours:?}");
    assert!(ours[0].starts_with("- ralph:ralph-plan: "), "{ours:?}");
    assert!(ours[1].starts_with("- ralph:ralph-status: "), "{ours:?}");
    for phrase in ["plan this feature for ralph", "create a ralph prd", "generate tasks for ralph"]
    {
        assert!(ours[0].contains(phrase), "{ours:?}");
    }
    let characters: usize = ours.iter().map(|line| line.len()).sum();
    assert!(characters <= MOST_CHARACTERS, "{characters}: {ours:?}");
}

/// The runner's own plugin has the same name and no skills.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_session_of_the_loop_gets_no_skills() {
    let skill_test = SkillTest::new();
    let of_the_runner = tempfile::tempdir().unwrap();
    let manifest = of_the_runner.path().join(".claude-plugin/plugin.json");
    std::fs::create_dir(manifest.parent().unwrap()).unwrap();
    std::fs::write(manifest, r#"{ "name": "ralph", "version": "0.1.0" }"#).unwrap();

    // Installing copies the whole folder.
    std::fs::remove_dir_all(skill_test.plugin.path().join("target")).unwrap();
    skill_test.home.install_plugin(skill_test.plugin.path()).unwrap();
    let log = skill_test
        .run_with("Go on.", [], |session| session.plugin_dir(of_the_runner.path().as_os_str()));
    assert_eq!(log.skills(), [""; 0]);
    assert_eq!(log.requests[0].mentions("- ralph:"), 0);
}
