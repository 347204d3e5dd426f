//! Shell commands of an agent: honest ones of any size, and some that are expensive to analyse. The
//! benchmark never runs them.

/// A text written to a file: long, but without effects.
pub(crate) fn note(bytes: usize) -> String {
    let line = "- The parser keeps the order of the fields; see `src/parse.rs` and its tests.\n";
    format!("cat > notes.md <<'END'\n{}END\n", line.repeat(bytes / line.len()))
}

/// A shell script written to a file and run, so that the guard analyses all of it.
pub(crate) fn script_that_is_run(bytes: usize) -> String {
    let part = "\
# Every sample must give the expected result.
for sample in tests/samples/*.json; do
  expected=\"${sample%.json}.expected\"
  if [ -f \"$expected\" ] && ! diff -u \"$expected\" <(target/debug/convert \"$sample\"); then
    echo \"FAILED: $sample\" >&2
    failed=$((failed + 1))
  fi
done
cargo test --quiet --package convert 2>&1 | grep -v '^running' | tail -n 20
git status --short | awk '{print $2}' | sort -u > target/changed.txt
";
    let body = part.repeat(bytes.div_ceil(part.len()));
    let head = "#!/usr/bin/env bash\nset -euo pipefail\nfailed=0\n";
    format!("cat > check.sh <<'END'\n{head}{body}END\nchmod +x check.sh && ./check.sh\n")
}

/// The shell would expand every number.
pub(crate) fn huge_range() -> String {
    "echo {1..1000000000}".into()
}

/// Each level is known only after the one around it is analysed.
pub(crate) fn nested_evals(depth: usize) -> String {
    let inner = |level: usize| format!("a{}='eval \"$a{level}\"'\n", level + 1);
    let levels: String = (0..depth - 1).map(inner).collect();
    format!("a0='rm -rf ~'\n{levels}eval \"$a{}\"\n", depth - 1)
}

/// Nested loops with many commands to check: the most expensive short text known.
pub(crate) fn nested_loops() -> String {
    let rounds = "for a in {1..60}; do ".repeat(3);
    format!("{rounds}rm -r b{{1..20}}; {}\n", "done; ".repeat(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_long_as_they_are_said_to_be() {
        for bytes in [4_000, 100_000, 1_000_000] {
            for text in [note(bytes), script_that_is_run(bytes)] {
                assert!(text.len().abs_diff(bytes) < 800, "{} for {bytes}", text.len());
            }
        }
    }

    #[test]
    fn evals_are_as_deep_as_they_are_said_to_be() {
        assert_eq!(nested_evals(2), "a0='rm -rf ~'\na1='eval \"$a0\"'\neval \"$a1\"\n");
        assert_eq!(nested_evals(64).matches("eval").count(), 64);
    }
}
