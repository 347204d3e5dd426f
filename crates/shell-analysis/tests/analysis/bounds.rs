//! Long or deeply nested texts are handled in bounded time.

use std::time::{Duration, Instant};

use shell_analysis::{Unanalyzed, analyze};

use crate::support::{read_text, read_with};

/// Long enough for a slow machine and an unoptimized build.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn repeated_parts_are_analyzed_or_reach_the_limit() {
    let pieces = [
        "(",
        "$(",
        "{ ",
        "{",
        "\"$(",
        "if ",
        "`",
        "${",
        "${x:-",
        "((",
        "$((",
        "\\`",
        "while ",
        "case x in x) ",
        "f(){ ",
        "{a,",
        "<(",
        "a=(",
        "@(",
        "<<a ",
        "<<a\n",
        "$[",
        "function f ",
        "coproc ",
        "! ",
        "a&",
        "a|",
        "a;",
        "a&&",
        "$a",
        "{a,b}",
        "{1..9}",
        "eval ",
        "sudo ",
        "xargs ",
        "for a in a b;do ",
        "cd a;",
        "a=$a$a;",
        "f(){ f;f; };f;",
        "echo a>>f;",
        "[[ ",
        "a[",
        "${a[",
        "~ ",
        ">a ",
        "\0",
        "é",
    ];
    for piece in pieces {
        let script: String = piece.repeat(100_000).chars().take(120_000).collect();
        let begun = Instant::now();
        let analysis = read_text(&script);
        assert!(begun.elapsed() < PATIENCE, "{piece}: {:?}", begun.elapsed());
        assert!(analysis.invocations.len() <= 5_000);
    }
}

#[test]
fn growing_texts_reach_the_limit() {
    let doubling = format!("x=a;{}eval $x", "x=\"$x$x\";".repeat(60));
    let calls: String = (0..15).map(|n| format!("f{n}(){{ f{};f{}; }};", n + 1, n + 1)).collect();
    let items = "a ".repeat(60);
    let loops = format!("{}ls;{}", format!("for a in {items};do ").repeat(8), "done;".repeat(8));
    let variables: String = (0..5_000).map(|n| format!("v{n}=1;(v{n}=2);")).collect();
    let files = format!("echo a>f;{}", "cat f f>g;cat g g>f;".repeat(3_000));
    for script in [
        doubling,
        calls + "f0",
        loops,
        "echo {a,b}".to_owned() + &"{a,b}".repeat(40),
        variables,
        files,
    ] {
        let begun = Instant::now();
        assert_eq!(read_text(&script).unanalyzed, [Unanalyzed::TooMuch]);
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    }
}

#[test]
fn a_text_that_reads_itself_reaches_the_limit() {
    let analysis = read_text("x='eval \"$x\"'; eval \"$x\"");
    assert_eq!(analysis.unanalyzed, [Unanalyzed::TooDeep]);
}

#[test]
fn texts_above_the_size_limit_are_not_analyzed() {
    let script = "a".repeat(1_000_000);
    assert_eq!(read_text(&script).unanalyzed, [Unanalyzed::TooLong { bytes: 1_000_000 }]);
    // The script counts as any other program.
    let long = "ls\n".repeat(100_000);
    let analysis = read_with("sh x.sh; rm y", &[("/project/x.sh", &long)]);
    assert_eq!(analysis.unanalyzed, []);
    assert_eq!(analysis.invocations.last().unwrap().program().as_deref(), Some("rm"));
}

#[test]
fn depth_has_a_bound() {
    for (open, close) in
        [("( ", ")"), ("$(", ")"), ("{ ", ";}"), ("\"$(", ")\""), ("if a; then ", "; fi")]
    {
        let nested = |levels: usize| format!("{}ls{}", open.repeat(levels), close.repeat(levels));
        assert_eq!(read_text(&nested(10)).unanalyzed, [], "{open}");
        assert!(read_text(&nested(1_000)).unanalyzed.contains(&Unanalyzed::TooDeep), "{open}");
    }
}

#[test]
fn a_start_without_anything_is_enough() {
    let start =
        shell_analysis::InitialState { folder: "/".into(), variables: [].into(), file: &|_| None };
    assert_eq!(analyze("", &start), shell_analysis::Analysis::default());
    assert_eq!(analyze("cd; ls ~", &start).invocations.len(), 2);
}
