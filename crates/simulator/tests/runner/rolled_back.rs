//! `--rollback`: an iteration that failed leaves no trace, as the next one sees.

use simulator::{Request, Turn};

use crate::model;
use crate::stories::submitted;
use crate::workshop::Workshop;

/// Everything that there is besides the runner's own, the way an agent finds it.
const LOOK: &str = "echo SEEN; git rev-parse HEAD; git status --porcelain --ignored -- . ':!.ralph*'; \
                    find . -name '.git' -prune -o -name '.ralph*' -prune -o -type f -exec cksum {} + \
                    | sort; find . -name '.git' -prune -o -type f -perm -100 -print";

/// Beside a test that fails: something moved, something ignored, another mode.
const VANDALISM: &str = "mkdir -p tests made; echo 'echo \"FAIL no name\"; exit 1' >tests/greet.sh; \
                         git mv old.txt made/old.txt; chmod +x check.sh; \
                         echo '*.log' >>.gitignore; echo noise >run.log";

/// What it does not commit, staged and not.
const LITTER: &str = "echo staged >made/staged; git add made/staged; echo new >made/new";

fn seen(request: &Request) -> &str {
    request.user_texts().into_iter().rfind(|text| text.starts_with("SEEN")).unwrap()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_next_attempt_finds_everything_as_it_was_and_becomes_one_commit() {
    let workshop = Workshop::with_plugin();
    workshop.put("old.txt", "old");
    // It asks once to commit the litter.
    workshop.put(".ralph/settings.json", r#"{"guard": {"maxBlocks": 1}}"#);
    let fail = workshop.stories().work(VANDALISM, 0, submitted());
    let greet =
        "mkdir -p tests; echo 'echo Hello $1' >greet.sh; echo 'sh greet.sh' >tests/greet.sh";
    let succeed = workshop.stories().work(greet, 0, submitted());
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
    let told = workshop.run(&model, &["--rollback", "-n", "2"]);

    assert_eq!(told.each("iteration-ended", "status"), ["checks-failed", "accepted"], "{told}");
    let rolled_back = told.all("rolled-back");
    assert_eq!(rolled_back.len(), 1, "{told}");
    assert_eq!(rolled_back[0]["left"], serde_json::json!([]));
    let requests = model.requests();
    assert_eq!(requests.len(), 8, "{told}");
    assert_eq!(seen(&requests[1]), seen(&requests[6]));
    assert!(requests[5].mentions("FAIL no name") > 0, "it is told what failed");

    let project = workshop.project();
    let git = |args: &[&str]| test_repo::git(&project, args);
    let backup = rolled_back[0]["backup"].as_str().unwrap();
    assert_eq!(git(&["show", &format!("{backup}:made/new")]), "new");
    let to = rolled_back[0]["to"].as_str().unwrap();
    let commits = git(&["log", "--format=%s", &format!("{to}..HEAD")]);
    assert_eq!(commits, "ralph[2]: US-001 — Greet by name");
    assert_eq!(git(&["status", "--porcelain"]), "");
}
