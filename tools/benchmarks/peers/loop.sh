#!/usr/bin/env bash
# A loop of the classic kind in bash and jq, for comparison: selects a story, pipes a prompt to the
# agent, runs the checks, again. It believes whatever the agent writes: no snapshot, no judgement, no
# guard, no time limits, no recovery.
# Usage: loop.sh iterations agent
set -euo pipefail

iterations=$1
agent=$2
list=ralph/tasks.json
log=.ralph/runs/loop
mkdir -p "$log"

# The first story by priority that is not done and waits for nobody, and what is to be done with it.
# shellcheck disable=SC2016
select_story='
  (.userStories | map(select(.passes) | {(.id): true}) | add // {}) as $done
  | .userStories
  | map(select(.passes | not) | select((.dependsOn // []) | all(.[]; $done[.])))
  | sort_by(.priority)
  | .[0] // empty
  | [.id, {"needs_review": "review", "changes_requested": "review-fix"}[.reviewStatus // ""]
          // "implement"]
  | @tsv'

for ((i = 1; i <= iterations; i++)); do
  IFS=$'\t' read -r story mode < <(jq -r "$select_story" "$list") || break
  # This is how the simulated agent is told what a model would read from the prompt.
  printf '{"iteration":%d,"iterationMode":"%s","storyId":"%s","ralphDir":"ralph"}' \
    "$i" "$mode" "$story" >.ralph-active
  {
    printf 'Iteration %d. Work on story %s (%s) of %s:\n' "$i" "$story" "$mode" "$list"
    jq --arg id "$story" '.userStories[] | select(.id == $id)' "$list"
  } >"$log/prompt.md"
  "$agent" -p --output-format stream-json --verbose --dangerously-skip-permissions \
    --session-id "$(cat /proc/sys/kernel/random/uuid)" <"$log/prompt.md" >"$log/$i.jsonl"
  while IFS= read -r check; do
    sh -c "$check" >"$log/$i.check.log" 2>&1 || echo "iteration $i: $check failed"
  done < <(jq -r '.verifyCommands[]' "$list")
  left=$(jq '[.userStories[] | select(.passes | not)] | length' "$list")
  echo "iteration $i: $mode $story, $left stories left"
  ((left > 0)) || break
done
rm -f .ralph-active
