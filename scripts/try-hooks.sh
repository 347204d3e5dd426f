#!/usr/bin/env bash
# Runs the hooks by hand in a temporary project and prints their answers. Needs a build
# (cargo build --release) and git; no account, no network, no Claude Code.
set -euo pipefail

# Removes the influence of a surrounding git hook, git settings or loop.
for variable in $(git rev-parse --local-env-vars) ${!RALPH_*} ${!CLAUDE_*}; do unset "$variable"; done
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

bin=$(cd "$(dirname "${BASH_SOURCE[0]}")/../bin" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
project=$work/project
mkdir -p "$project/ralph" && cd "$project"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
commit() { git add -A && git -c user.name=demo -c user.email=demo@localhost commit -qm "$1"; }
hook() { # hook PROGRAM EVENT [TOOL [TOOL-INPUT]]
    printf '{"session_id":"demo-session","hook_event_name":"%s","tool_name":"%s","tool_input":%s,"transcript_path":"%s","cwd":"%s"}' \
        "$2" "${3:-}" "${4:-null}" "$work/transcript.jsonl" "$project" |
        CLAUDE_PROJECT_DIR=$project CLAUDE_PLUGIN_DATA=$work/data "$bin/$1"
}
expect() { # expect TEXT ANSWER
    case $2 in
        *"$1"*) printf '%s\n' "$2" ;;
        *) printf 'unexpected answer: %s\n' "$2" >&2; exit 1 ;;
    esac
}
silence() { # silence CALL
    local answer
    answer=$("$@")
    [ -z "$answer" ] || { printf 'unexpected answer: %s\n' "$answer" >&2; exit 1; }
}
denied() { # denied TEXT CALL
    local answer
    answer=$("${@:2}")
    expect '"permissionDecision":"deny"' "$answer" >/dev/null
    expect "$1" "$answer" | sed 's/\\n/\n/g'
}
run() { hook command-guard PreToolUse Bash "{\"command\":\"$1\"}"; }
write() { hook command-guard PreToolUse Write "{\"file_path\":\"$project/$1\"}"; }
tasks() { # tasks PASSES REVIEW-STATUS REVIEW-COUNT
    cat >ralph/tasks.json <<END
{
  "project": "demo", "branchName": "ralph/demo", "description": "a demo",
  "userStories": [{
    "id": "US-001", "title": "Say hello", "acceptanceCriteria": ["hello.txt says hello"],
    "priority": 1, "passes": $1, "reviewStatus": $2, "reviewCount": $3, "reviewFeedback": "",
    "notes": "wrote hello.txt"
  }]
}
END
}

git init -q && echo .ralph-active >.gitignore && tasks false null 0 && commit start

say "1. No loop is running: the hooks allow everything."
silence hook stop-guard Stop
silence run 'rm -rf ~'

say "2. A loop starts: the runner records session, mode and the state of every story."
cat >.ralph-active <<END
{
  "version": 1, "sessionId": "demo-session", "iterationMode": "implement", "storyId": "US-001",
  "preIterationSnapshot": {"US-001": {"passes": false, "reviewStatus": null, "reviewCount": 0}}
}
END
cat .ralph-active

say "3. The agent runs its tests, then tries to delete the home folder."
silence run 'cargo test 2>&1 | tail -40'
denied "(recursive-delete)" run 'rm -rf ~'

say "4. It hides the delete behind a variable, then tries to change .ralph-active. It may write other files."
# shellcheck disable=SC2016
denied "(recursive-delete)" run 'place=~; sh -c \"rm -rf $place\"'
denied "(loop-tampering)" write .ralph-active
silence write src/main.rs

say "5. The agent writes code, approves its own story, forgets to commit, and tries to stop."
echo hello >hello.txt
tasks true '"approved"' 1
answer=$(hook stop-guard Stop)
expect '"decision":"block"' "$answer" >/dev/null
expect "cannot approve" "$answer" | sed 's/\\n/\n/g'

say "6. It returns its structured output, which would end the session without a Stop hook."
silence hook stop-guard PreToolUse Bash
denied "cannot approve" hook stop-guard PreToolUse StructuredOutput

say "7. It submits the story for review, commits, and may stop."
tasks false '"needs_review"' 0
commit "feat: US-001"
silence hook stop-guard PreToolUse StructuredOutput
silence hook stop-guard Stop

say "8. Its context is 72 % full: it gets one warning."
cat >"$work/transcript.jsonl" <<'END'
{"type":"assistant","isSidechain":false,"message":{"model":"claude-sonnet-4-6","usage":{"input_tokens":4000,"cache_read_input_tokens":138000,"cache_creation_input_tokens":1500,"output_tokens":900}}}
END
expect "Context WARNING: 72 %" "$(hook context-monitor PostToolUse)"
silence hook context-monitor PostToolUse
