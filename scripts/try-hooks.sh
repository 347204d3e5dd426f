#!/usr/bin/env bash
# Both hooks by hand, in a throw-away project: what they are sent, and what they answer.
# Needs a build (cargo build --release) and git; no account, no network, no Claude Code.
set -euo pipefail

# The demo is about its own project, whatever surrounds it: a git hook, git settings, another loop.
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
hook() { # hook PROGRAM EVENT [TOOL]
    printf '{"session_id":"demo-session","hook_event_name":"%s","tool_name":"%s","transcript_path":"%s","cwd":"%s"}' \
        "$2" "${3:-}" "$work/transcript.jsonl" "$project" |
        CLAUDE_PROJECT_DIR=$project CLAUDE_PLUGIN_DATA=$work/data "$bin/$1"
}
expect() { # expect WORDS ANSWER
    case $2 in
        *"$1"*) printf '%s\n' "$2" ;;
        *) printf 'unexpected answer: %s\n' "$2" >&2; exit 1 ;;
    esac
}
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

say "1. No loop is running: the Stop hook stays out of the way."
hook stop-guard Stop

say "2. A loop begins: the runner notes session, mode and the state of every story."
cat >.ralph-active <<END
{
  "version": 1, "sessionId": "demo-session", "iterationMode": "implement", "storyId": "US-001",
  "preIterationSnapshot": {"US-001": {"passes": false, "reviewStatus": null, "reviewCount": 0}}
}
END
cat .ralph-active

say "3. The agent writes code, approves its own story, forgets to commit, and wants to stop."
echo hello >hello.txt
tasks true '"approved"' 1
answer=$(hook stop-guard Stop)
expect '"decision":"block"' "$answer" >/dev/null
expect "cannot approve" "$answer" | sed 's/\\n/\n/g'

say "4. It gives its structured answer instead, which would end the session past every Stop hook."
hook stop-guard PreToolUse Bash
answer=$(hook stop-guard PreToolUse StructuredOutput)
expect '"permissionDecision":"deny"' "$answer" >/dev/null
expect "cannot approve" "$answer" | sed 's/\\n/\n/g'

say "5. It submits the story for review instead, commits, and may stop."
tasks false '"needs_review"' 0
commit "feat: US-001"
hook stop-guard PreToolUse StructuredOutput
hook stop-guard Stop

say "6. Its context is 72 % full: it hears so once."
cat >"$work/transcript.jsonl" <<'END'
{"type":"assistant","isSidechain":false,"message":{"model":"claude-sonnet-4-6","usage":{"input_tokens":4000,"cache_read_input_tokens":138000,"cache_creation_input_tokens":1500,"output_tokens":900}}}
END
expect "Context WARNING: 72 %" "$(hook context-monitor PostToolUse)"
hook context-monitor PostToolUse
