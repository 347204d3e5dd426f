#!/bin/sh
# Runs the named tests, or every test. A test is a script in this folder; it passes with exit code 0.
# REPORT names a file for the results as JUnit XML.
failed=0
cases=
[ $# -gt 0 ] || set -- tests/*.sh
for test in "$@"; do
    [ "$test" = tests/run.sh ] && continue
    if sh "$test"; then
        echo "ok   $test"
        cases="$cases<testcase name=\"$test\"/>"
    else
        echo "FAIL $test"
        cases="$cases<testcase name=\"$test\"><failure>expected exit code 0</failure></testcase>"
        failed=1
    fi
done
[ -z "$REPORT" ] || echo "<testsuite>$cases</testsuite>" >"$REPORT"
exit $failed
