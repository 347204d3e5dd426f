//! Which skills a session knows, and what they cost one that does not use them.

use simulator::Turn;

use crate::desk::{Desk, SKILLS};

/// What a description costs, every session pays: about 30 tokens each.
const MOST_CHARACTERS: usize = 360;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_model_is_offered_planning_and_status_in_few_words() {
    let talk = Desk::new().talk("Good morning.", [Turn::text("Good morning.")]);
    assert_eq!(talk.skills(), SKILLS);

    let listing = talk.heard(0, "- ralph:");
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

/// The runner's own plugin has the name of the real one and no skills: an iteration plans nothing.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_session_of_the_loop_is_offered_none() {
    let desk = Desk::new();
    let of_the_runner = tempfile::tempdir().unwrap();
    let manifest = of_the_runner.path().join(".claude-plugin/plugin.json");
    std::fs::create_dir(manifest.parent().unwrap()).unwrap();
    std::fs::write(manifest, r#"{ "name": "ralph", "version": "0.1.0" }"#).unwrap();

    // Installing copies all there is.
    std::fs::remove_dir_all(desk.plugin.path().join("target")).unwrap();
    desk.home.install_plugin(desk.plugin.path()).unwrap();
    let talk = desk
        .talk_with("Go on.", [], |session| session.plugin_dir(of_the_runner.path().as_os_str()));
    assert_eq!(talk.skills(), [""; 0]);
    assert_eq!(talk.requests[0].mentions("- ralph:"), 0);
}
