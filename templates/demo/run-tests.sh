#!/bin/sh
# Runs every test: a test is a script in this folder that ends with exit code 0.
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
