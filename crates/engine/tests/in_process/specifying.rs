//! What a lane makes of a session that writes the tests of a story.

use serde_json::json;
use tasks::Mode;

use crate::control::Step;
use crate::in_process::project::Project;

#[test]
fn tests_stay_and_every_other_change_is_restored() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Specify, 1, None, || {
        project.write("tests/test_x.py", "def test_x(): assert x() == 1");
        project.write("src/lib.rs", "// changed");
        project.write("src/new.rs", "// new");
        project.set("US-1", &[("notes", json!("a test")), ("reviewStatus", json!("needs_review"))]);
    });
    assert_eq!(played.step(), Some(Step::Undone));
    let findings = played.findings();
    for path in ["src/lib.rs", "src/new.rs"] {
        assert!(findings.contains(&format!("but changed {path}")), "{findings}");
    }
    assert!(!findings.contains("test_x.py"), "{findings}");
    assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n");
    assert!(!project.root().join("src/new.rs").exists());
    assert!(project.root().join("tests/test_x.py").exists());
    assert_eq!(project.story("US-1")["reviewStatus"], json!(null));
}
