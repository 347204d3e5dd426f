#!/usr/bin/env bash
# The compiler for this workspace in scripts/test.sh: clippy-driver, which lints and compiles in one pass. On Linux,
# -no-pie saves relocations: tests start programs ten thousand times, and a debug build of ralph-loop has 136,000.
case $OSTYPE in
    linux*) exec clippy-driver "$@" -Clink-arg=-no-pie ;;
    *) exec clippy-driver "$@" ;;
esac
