#!/usr/bin/env bash
# The compiler of this workspace's crates in scripts/test.sh: clippy's, which lints and compiles in one go. On Linux,
# programs are linked to a fixed address: tests start programs ten thousand times, and a debug build of ralph-loop has
# 136,000 addresses that the loader would adjust at each start.
case $OSTYPE in
    linux*) exec clippy-driver "$@" -Clink-arg=-no-pie ;;
    *) exec clippy-driver "$@" ;;
esac
