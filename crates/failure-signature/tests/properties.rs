//! Properties for any text.

use failure_signature::{ErrorHash, examine, normalise};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn failure() -> impl Strategy<Value = String> {
    ("[a-z]{3,8}", 0..1000u32, 0..1000u32)
        .prop_map(|(name, left, right)| format!("{name} expected {left} but got {right}"))
}

proptest! {
    #[test]
    fn any_text_can_be_examined(text in any::<String>()) {
        let symptom = examine(&text);
        prop_assert_eq!(symptom.hash.as_str().len(), 8);
        prop_assert!(!symptom.error.is_empty() && symptom.error.chars().count() <= 200);
        prop_assert_eq!(symptom, examine(&text));
    }

    #[test]
    fn text_like_tool_output_can_be_examined(text in "([-_=>|0-9 a-zE:./\\\\\x1b\r\n\\[\\]()'`●✓⎯]|error|FAIL|panicked at ){0,200}") {
        prop_assert_eq!(examine(&text), examine(&text));
    }

    #[test]
    fn order_does_not_matter(lines in prop::collection::vec(failure(), 1..20).prop_flat_map(|lines| (Just(lines.clone()), Just(lines).prop_shuffle()))) {
        prop_assert_eq!(ErrorHash::of(&lines.0.join("\n")), ErrorHash::of(&lines.1.join("\n")));
    }

    #[test]
    fn one_more_failure_changes_the_hash(lines in prop::collection::vec(failure(), 1..20), more in failure()) {
        let all = format!("{}\n{more}", lines.join("\n"));
        prop_assert_ne!(ErrorHash::of(&lines.join("\n")), ErrorHash::of(&all));
    }

    #[test]
    fn a_clock_before_each_line_does_not_matter(line in failure(), hour in 0..24u32, second in 0..60u32) {
        prop_assert_eq!(normalise(&format!("2026-01-21T{hour:02}:30:{second:02}Z {line}")), normalise(&line));
        prop_assert_eq!(normalise(&format!("[{hour:02}:30:{second:02}] {line}")), normalise(&line));
    }

    #[test]
    fn colour_does_not_matter(line in failure(), at in any::<prop::sample::Index>(), colour in 0..108u32) {
        let at = at.index(line.len());
        let coloured = format!("{}\x1b[{colour}m{}\x1b[0m", &line[..at], &line[at..]);
        prop_assert_eq!(normalise(&coloured), normalise(&line));
    }

    #[test]
    fn a_temporary_folder_does_not_matter(folder in "[A-Za-z0-9]{6,10}", file in "[a-z]{1,8}\\.rs") {
        let there = format!("no /tmp/{folder}/shop/src/{file} here");
        prop_assert_eq!(normalise(&there), normalise(&format!("no src/{file} here")));
    }

    #[test]
    fn processes_do_not_matter(one in 1..99999u32, other in 1..99999u32, line in failure()) {
        let with = |pid: u32| normalise(&format!("{line} in process {pid} (node:{pid})"));
        prop_assert_eq!(with(one), with(other));
    }
}

#[test]
fn only_the_ends_of_huge_output_are_read() {
    let started = Instant::now();
    for text in ["x".repeat(10 << 20), "1 | x\n".repeat(2 << 20)] {
        assert_eq!(examine(&text).hash.as_str().len(), 8);
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}
