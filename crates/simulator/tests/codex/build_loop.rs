//! `ralph-loop build --agent codex`: from a plan to code.

use simulator::{Script, Turn};

use crate::workshop::{COMPLAINT, Workshop};

const COMPLETE: &str = "All of the plan is built. <promise>COMPLETE</promise>";

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn the_plan_is_built_once_the_guardrail_agrees() {
    let workshop = Workshop::new();
    workshop.write(".ralph/settings.json", r#"{"guardrails": [{"command": "sh check.sh"}]}"#);
    workshop.write("implementation_plan.md", "- [ ] greet by name\n");
    workshop.commit();
    let build = |greeting: &str| {
        Turn::bash(format!(
            "echo '{greeting}' >greet.sh; echo '- [x] greet by name' >implementation_plan.md; \
             git add -A; git commit -qm work"
        ))
    };
    let model = workshop.model(
        Script::new([])
            .session(COMPLAINT, [build("echo Hello $1"), Turn::text(COMPLETE)])
            .session("implementation_plan.md", [build("echo Hello"), Turn::text(COMPLETE)]),
    );
    let told = workshop.run("build", &[]);

    assert_eq!(told.exit_code, Some(0), "{told}");
    assert_eq!(told.each("run-started", "loop"), ["build"], "{told}");
    assert_eq!(told.each("run-started", "agent"), ["codex"], "{told}");
    assert_eq!(told.each("agent-ended", "outcome"), ["answered"; 2], "{told}");
    assert_eq!(told.each("checks-judged", "outcome"), ["failed", "passed"], "{told}");
    assert_eq!(told.each("run-ended", "end"), ["complete"], "{told}");
    assert_eq!(workshop.checks(), 2, "the runner checks by itself");
    assert_eq!(workshop.read("greet.sh"), "echo Hello $1\n");
    let requests = model.requests();
    let complained: Vec<_> = requests.iter().map(|request| request.mentions(COMPLAINT)).collect();
    assert_eq!(complained, [0, 0, 1, 1], "the second session hears why the first was not enough");
}
