#!/usr/bin/env bash
# The context monitor in bash and jq, for comparison: says once how full the context is. Looks only
# at the end of the transcript, so that its size does not matter.
set -euo pipefail

IFS=$'\t' read -r session transcript event < <(
  jq -r '[.session_id, .transcript_path, .hook_event_name] | @tsv'
)
[[ -r $transcript ]] || exit 0
window=${CLAUDE_CONTEXT_WINDOW:-200000}

used=$(tail -n 50 -- "$transcript" | { grep -F '"assistant"' || true; } | jq -nR '
  last(
    inputs | fromjson?
    | select(.type == "assistant" and (.isSidechain | not)) | .message.usage | values
    | .input_tokens + .cache_read_input_tokens + .cache_creation_input_tokens + .output_tokens
  ) // 0')
percent=$((used * 100 / window))

if ((percent >= 90)); then
  level=90 word=CRITICAL advice='Wrap up immediately: write handoff notes, commit, stop.'
elif ((percent >= 70)); then
  level=$((percent / 10 * 10)) word=WARNING
  advice='Finish your current task and commit soon. Do not start additional tasks.'
elif ((percent >= 50)); then
  level=$((percent / 10 * 10)) word=NOTICE
  advice='Plan to finish your current task within this session.'
else
  exit 0
fi

folder=${CLAUDE_PLUGIN_DATA:-/tmp}/context-alerts
mkdir -p "$folder"
told=$folder/${session//[^A-Za-z0-9-]/_}
if [[ -f $told ]] && (($(tail -n 1 "$told") >= level)); then
  exit 0
fi
echo "$level" >>"$told"

jq -n --arg event "$event" --arg text "$word: the context is $percent % full. $advice" \
  '{hookSpecificOutput: {hookEventName: $event, additionalContext: $text}}'
