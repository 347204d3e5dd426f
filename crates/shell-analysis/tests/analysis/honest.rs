//! Everyday commands are analyzed without errors.

use crate::support::read_text;

const SCRIPTS: &[&str] = &[
    "#!/usr/bin/env bash\nset -euo pipefail\nIFS=$'\\n\\t'\n\nmain() {\n  local dir=\"${1:-.}\"\n  if [[ ! -d \"$dir\" ]]; then\n    echo \"no: $dir\" >&2\n    return 1\n  fi\n  for f in \"$dir\"/*.{c,h}; do\n    [ -e \"$f\" ] || continue\n    clang-format -i \"$f\"\n  done\n}\n\nmain \"$@\"\n",
    "git commit -m \"$(cat <<'EOF'\nfix: it's done (really) `ok`\n\nLine \"two\" $5\nEOF\n)\"",
    "case \"$1\" in\n  start|stop) echo \"$1\" ;;\n  -h|--help)\n    usage\n    exit 0\n    ;;\n  [0-9]*) echo number ;;\n  ?(a|b)) echo ext ;;\n  *) echo other\nesac",
    "[[ \"$v\" =~ ^([0-9]+)\\.([0-9]+)(-[a-z]+)?$ ]] && echo \"${BASH_REMATCH[1]}\"",
    "shopt -s extglob; ls !(*.txt|*.md) @(a|b) +([0-9])",
    "awk '{ print $1, \"x\" }' file | sort -k1,1 -t$'\\t' | uniq -c | sort -rn | head -5",
    "find . -type f \\( -name '*.rs' -o -name '*.toml' \\) -not -path './target/*' -print0 | xargs -0 grep -l 'foo' || true",
    "for i in $(seq 1 3); do echo \"$i\"; done; for ((i = 0; i < 10; i++)); do ((total += i)); done",
    "diff <(sort a) <(sort b) > out 2>&1 || echo differs",
    "cargo test -p x -- --nocapture 2>&1 | tee log | tail -20; exit ${PIPESTATUS[0]}",
    "FOO=bar BAZ=\"a b\" npm run build -- --flag='x y' && cp -r dist/ ../out/",
    "while IFS= read -r line || [[ -n $line ]]; do\n  printf '%s\\n' \"$line\"\ndone < <(git ls-files)",
    "arr=(one \"two three\" $(ls) [5]=x); echo \"${#arr[@]} ${arr[@]:1:2} ${!arr[@]}\"; unset 'arr[1]'",
    "x=$((1 << 3 | 2)); y=$(( (x > 3) ? 1 : 0 )); let z=x+1; echo $((x++)) $((16#ff))",
    "trap 'rm -f \"$tmp\"' EXIT; tmp=$(mktemp); { echo a; echo b; } >\"$tmp\"",
    "echo \"a # b\" # comment with ' and \" and `\necho ${x#prefix} ${#x} a#b",
    "python3 - <<'PY'\nimport os\nprint(f\"{os.getcwd()!r} 'x\")\nPY",
    "if ! command -v jq >/dev/null 2>&1; then echo missing; fi",
    "sed -i.bak -e 's/a\\/b/c/g' -e '/^#/d' file && perl -pe 's/(\\w+)/<$1>/g' file",
    "docker run --rm -v \"$PWD\":/w -w /w -e A=1 image sh -c 'make && make test'",
    "printf '%-10s|%5.2f\\n' a 1.5; echo -e 'a\\tb' {a..e} {1..10..2}",
    "function f { local a b=1; a=${b:+x}; echo \"${a@Q}\" \"${b^^}\"; }; f & wait $!",
    "coproc P { cat; }; echo hi >&\"${P[1]}\"; exec 3<>/tmp/x 4>&1; exec 3>&-",
    "test -n \"$x\" -a \"$y\" = z && : \"${VAR:?must be set}\" \"${VAR:=default}\"",
    "curl -sS \"https://example.com/a?b=c&d=e\" -H 'Accept: */*' | jq -r '.items[] | select(.x == \"y\") | .name'",
    "until curl -f localhost:8080; do sleep 1; done; ls -la | grep -v '^d' | wc -l",
    "cat <<-EOF > f\n\tindented $(date) ${x:-y} \\$z \"q\" 'r'\n\tEOF\necho done",
    "a=1;b=2 ; (( a < b )) && { echo less; } || { echo more; }",
    "time -p sleep 1; time (make; make install)\n\n\n# end",
    "echo $'it\\'s' \"it's\" 'a'\\''b' \"$(echo \"nested \"quotes\"\")\"",
    "case x in (a) ;; (b) echo b;; esac; case $y in esac",
    "[ \"$a\" = b ] && [ ! -e c ] || exit 1\nif [[ $a == *.txt || ( $b < c && -z \"$d\" ) ]]; then :; fi",
    "kill %1; echo ${x/\\//-} ${y//\\'/} ${z%%[[:space:]]*} \"${w//\"/\\\\\"}\"",
    "2>/dev/null ls; >out echo hi; <in cat; ls -l>x",
    "$(( 1 + 1 )) && echo `echo \\`date\\``; echo $[1+1]",
];

#[test]
fn nothing_in_them_is_broken() {
    for script in SCRIPTS {
        let analysis = read_text(script);
        assert_eq!(analysis.unanalyzed, [], "{script}");
        assert!(!analysis.invocations.is_empty(), "{script}");
    }
}
