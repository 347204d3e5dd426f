//! `ralph-loop build --agent codex`: from a plan to code.

use simulator::{Script, Turn};

use crate::run_setup::{COMPLAINT, RunSetup};

const COMPLETE: &str = "All of the plan is built. <promise>COMPLETE</promise>";

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn the_plan_is_built_once_the_guardrail_agrees() {
    let setup = RunSetup::new();
    setup.write(".ralph/settings.json", r#"{"guardrails": [{"command": "sh check.sh"}]}"#);
    setup.write("implementation_plan.md", "- [ ] greet by name\n");
    setup.commit();
    let build = |greeting: &str| {
        Turn::bash(format!(
            "echo '{greeting}' >greet.sh; echo '- [x] greet by name' >implementation_plan.md; \
             git add -A; git commit -qm work"
        ))
    };
    let model = setup.model(
        Script::new([])
            .session(COMPLAINT, [build("echo Hello $1"), Turn::text(COMPLETE)])
            .session("implementation_plan.md", [build("echo Hello"), Turn::text(COMPLETE)]),
    );
    let output = setup.run("build", &[]);

    assert_eq!(output.exit_code, Some(0), "{output}");
    assert_eq!(output.each("run-started", "loop"), ["build"], "{output}");
    assert_eq!(output.each("run-started", "agent"), ["codex"], "{output}");
    assert_eq!(output.each("agent-ended", "outcome"), ["answered"; 2], "{output}");
    assert_eq!(output.each("checks-judged", "outcome"), ["failed", "passed"], "{output}");
    assert_eq!(output.each("run-ended", "end"), ["complete"], "{output}");
    assert_eq!(setup.checks(), 2, "the runner checks by itself");
    assert_eq!(setup.read("greet.sh"), "echo Hello $1\n");
    let requests = model.requests();
    let complained: Vec<_> = requests.iter().map(|request| request.mentions(COMPLAINT)).collect();
    assert_eq!(complained, [0, 0, 1, 1], "the second session hears why the first was not enough");
}
