//! The real program on hostile texts: it always answers, in time and within 64 MB.

#![cfg(target_os = "linux")]

use std::time::Duration;

use assert_cmd::Command;
use assert_fs::TempDir;
use serde_json::json;

/// Of address space, which is more than the memory in use.
const MOST_KIB: u32 = 64 * 1024;

/// The timeout that the guard sets itself, with a debug build on a busy machine.
const LONGEST: Duration = Duration::from_secs(30);

/// Texts that make an analysis long, deep or large.
fn hostile() -> Vec<String> {
    let repeated = |part: &str, bytes: usize| part.repeat(bytes / part.len());
    let nested =
        |open: &str, close: &str, depth| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let doubling: String = (0..60).map(|n| format!("a{}=$a{n}$a{n};", n + 1)).collect();
    let branches: String =
        (0..400).map(|n| format!("if x; then v{n}=a; else v{n}=b; fi;")).collect();
    let functions: String =
        (0..300).map(|n| format!("f{n}() {{ f{}; f{}; }};", n + 1, n + 2)).collect();
    vec![
        repeated("rm a;", 100_000),
        repeated("git push x y z;", 100_000),
        format!("rm {}", repeated("x ", 100_000)),
        format!("git push {}", repeated("a ", 100_000)),
        format!("kubectl {}", repeated("delete ", 100_000)),
        format!("cat {}", repeated("/home/u/.s* ", 100_000)),
        repeated("$(", 100_000),
        repeated("((", 100_000),
        repeated("{", 100_000),
        repeated("`", 100_001),
        repeated("\"$(\"", 100_000),
        nested("(", ")", 40_000),
        nested("$(echo ", ")", 12_000),
        nested("{a,", "}", 20_000),
        format!("a0=xxxxxxxxxxxxxxxx;{doubling} eval \"$a60\""),
        format!("{branches} rm -r {}", (0..400).map(|n| format!("$v{n}")).collect::<String>()),
        format!("{functions} f0"),
        "echo {1..1000000000}".into(),
        format!("echo {}", "{a,b,c,d,e,f,g,h}".repeat(12)),
        format!("for a in {{1..60}}; do {}done", "for b in {1..60}; do rm $a$b; done; ".repeat(30)),
        format!("python3 -c '{}'", repeated("os.remove(\"/a\");", 100_000)),
        format!("python3 -c '{}'", repeated("eval(\"", 100_000)),
        format!(
            "python3 -c 'a=[{}];{}'",
            repeated("\"/x\",", 50_000),
            repeated("os.remove(a);", 50_000)
        ),
        format!("sed '{}' a", repeated("s/a/b/e;", 100_000)),
        format!("patch <<E\n{}E", repeated("+++ /etc/a\n", 100_000)),
        format!("x={}; echo ${{x//a*b*c*d/e}}", repeated("abc", 50_000)),
        format!("find . {}", repeated("-name a -o ", 100_000)),
        repeated("a|", 100_000),
        repeated("a&&", 100_000),
        repeated("cat<<E;", 100_000),
        repeated("\u{1f980}\u{0}\u{e000}*?[", 100_000),
        format!("xargs <<E rm\n{}E", repeated("/x y\n", 100_000)),
        format!("git -c {} x", repeated("alias.a=!b ", 100_000)),
    ]
}

#[test]
fn no_text_makes_it_fail_hang_or_need_more_memory() {
    let folder = TempDir::new().unwrap();
    let guard = assert_cmd::cargo::cargo_bin("command-guard");
    for text in hostile() {
        let shown: String = text.chars().take(60).collect();
        let input = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder.path(), "tool_name": "Bash",
            "tool_input": {"command": text},
        });
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -v {MOST_KIB} && exec \"$0\"")])
            .arg(&guard)
            .env_clear()
            .envs([("HOME", "/home/user"), ("RALPH_RUN_ID", "run-1")])
            .env("RALPH_PROJECT_DIR", folder.path())
            .write_stdin(input.to_string())
            .timeout(LONGEST)
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{shown}: {:?} {log}", output.status);
        assert!(log.contains("denied") || log.contains("allowed"), "{shown}: {log}");
        assert!(!log.contains("panicked"), "{shown}: {log}");
    }
}
