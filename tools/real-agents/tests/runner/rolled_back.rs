//! `--rollback`: a failed iteration leaves no changes for the next one.

use simulator::{Request, Turn};

use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::submitted;

/// All files except those of the runner, as an agent sees them.
const LOOK: &str = "echo SEEN; git rev-parse HEAD; git status --porcelain --ignored -- . ':!.ralph*'; \
                    find . -name '.git' -prune -o -name '.ralph*' -prune -o -type f -exec cksum {} + \
                    | sort; find . -name '.git' -prune -o -type f -perm -100 -print";

/// A failing test, a moved file, an ignored file, another mode.
const VANDALISM: &str = "mkdir -p tests made; echo 'echo \"FAIL no name\"; exit 1' >tests/greet.sh; \
                         git mv old.txt made/old.txt; chmod +x check.sh; \
                         echo '*.log' >>.gitignore; echo noise >run.log";

/// Uncommitted changes, staged and unstaged.
const LITTER: &str = "echo staged >made/staged; git add made/staged; echo new >made/new";

fn seen(request: &Request) -> &str {
    request.user_texts().into_iter().rfind(|text| text.starts_with("SEEN")).unwrap()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_next_attempt_starts_from_the_restored_files_and_becomes_one_commit() {
    let setup = RunSetup::with_plugin();
    setup.put("old.txt", "old");
    // The guard asks once to commit the rest.
    setup.put(".ralph/settings.json", r#"{"guard": {"maxBlocks": 1}}"#);
    let fail = setup.stories().work(VANDALISM, 0, submitted());
    let greet =
        "mkdir -p tests; echo 'echo Hello $1' >greet.sh; echo 'sh greet.sh' >tests/greet.sh";
    let succeed = setup.stories().work(greet, 0, submitted());
    let model = model([
        vec![
            Turn::bash(LOOK),
            fail,
            Turn::bash(LITTER),
            Turn::text("Submitted."),
            Turn::text("It stays."),
        ],
        vec![Turn::bash(LOOK), succeed, Turn::text("Submitted.")],
    ]);
    let output = setup.run(&model, &["--rollback", "-n", "2"]);

    assert_eq!(output.each("iteration-ended", "status"), ["checks-failed", "accepted"], "{output}");
    let rolled_back = output.all("rolled-back");
    assert_eq!(rolled_back.len(), 1, "{output}");
    assert_eq!(rolled_back[0]["left"], serde_json::json!([]));
    let requests = model.requests();
    assert_eq!(requests.len(), 8, "{output}");
    assert_eq!(seen(&requests[1]), seen(&requests[6]));
    assert!(requests[5].mentions("FAIL no name") > 0, "it is output what failed");

    let project = setup.project();
    let git = |args: &[&str]| test_repo::git(&project, args);
    let backup = rolled_back[0]["backup"].as_str().unwrap();
    assert_eq!(git(&["show", &format!("{backup}:made/new")]), "new");
    let to = rolled_back[0]["to"].as_str().unwrap();
    let commits = git(&["log", "--format=%s", &format!("{to}..HEAD")]);
    assert_eq!(commits, "ralph[2]: US-001 — Greet by name");
    assert_eq!(git(&["status", "--porcelain"]), "");
}
