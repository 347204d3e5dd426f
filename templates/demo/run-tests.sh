#!/bin/sh
# Runs every test. A test is a script in this folder; it passes with exit code 0.
failed=0
for test in tests/*.sh; do
    [ "$test" = tests/run.sh ] && continue
    if sh "$test"; then
        echo "ok   $test"
    else
        echo "FAIL $test"
        failed=1
    fi
done
exit $failed
