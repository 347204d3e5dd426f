#!/usr/bin/env bash
# The Stop guard in bash and jq, for comparison: may this iteration of the loop end? Schema,
# invariants, transitions against the snapshot, protected files, git: one after the other.
set -euo pipefail

max_blocks=6

# All about the list and the snapshot: one problem a line. jq cannot hash and a sha256sum for every
# criterion would take seconds, so criteria are compared with those of the list at the checkpoint,
# not with the digests in the marker.
# shellcheck disable=SC2016
judge_list='
def sentence: type == "string" and test("\\S");
def state: [.passes, .reviewStatus, .reviewCount];
def maybe($kind): . == null or type == $kind;

def story_problems:
  if type != "object" then "a story is not an object"
  elif (.id | type != "string" or (test("^[A-Za-z0-9._-]{1,64}$") | not)) then
    "story id \(.id) is not 1 to 64 of A-Z a-z 0-9 . _ -"
  else
    .id as $id
    | (select(.title | type != "string") | "title must be a string"),
      (select(.acceptanceCriteria
         | type != "array" or length == 0 or any(.[]; sentence | not))
       | "acceptanceCriteria must be non-empty sentences"),
      (select(.priority | type != "number") | "priority must be a number"),
      (select(.passes | type != "boolean") | "passes must be a boolean"),
      (select((has("reviewStatus") | not)
         or (.reviewStatus as $s
             | [null, "needs_review", "changes_requested", "approved"] | index([$s]) | not))
       | "reviewStatus is missing or unknown"),
      (select(.reviewCount | type != "number" or . < 0 or . != floor)
       | "reviewCount must be a whole number"),
      (select(.reviewFeedback | type != "string") | "reviewFeedback must be a string"),
      (select(.passes == true and (.notes | sentence | not)) | "passes needs notes"),
      (select([.description, .notes, .splitFrom, .model] | any(.[]; maybe("string") | not))
       | "an optional text is not a string"),
      (select([.dependsOn, .skills, .libraries] | any(.[]; maybe("array") | not))
       | "an optional list is not an array"),
      (select(.needsDocs | maybe("boolean") | not) | "needsDocs must be a boolean"),
      (select(.maxTurns | maybe("number") | not) | "maxTurns must be a number")
    | "story \($id): \(.)"
  end;

# Takes away the stories that wait for nothing, again and again; what stays waits for itself.
def waiting_for_itself:
  (map(select(.waits | length == 0) | {(.id): true}) | add // {}) as $free
  | if length == 0 or ($free | length == 0) then .
    else
      map(select($free[.id] | not) | .waits |= map(select($free[.] | not))) | waiting_for_itself
    end;

def dependency_problems:
  (map({(.id): true}) | add // {}) as $ids
  | (.[] | .id as $id | (.dependsOn // [])[] | select($ids[.] | not)
     | "story \($id): dependsOn names \(.), which no story has"),
    (map({id, waits: [(.dependsOn // [])[] | select($ids[.])]}) | waiting_for_itself | .[]
     | "story \(.id) waits for itself");

def schema_problems:
  if type != "object" then "tasks.json is not an object"
  else
    (select([.project, .branchName, .description] | any(.[]; type != "string"))
     | "project, branchName and description must be strings"),
    (select(.verifyCommands // []
       | if type == "array" then any(.[]; type != "string") else true end)
     | "verifyCommands must be an array of strings"),
    if .userStories | type != "array" then "userStories must be an array"
    else
      [.userStories[] | story_problems] as $problems
      | if $problems != [] then $problems[]
        else
          .userStories
          | (select((map(.id) | unique | length) != length) | "an id is there twice"),
            dependency_problems
        end
    end
  end;

def invariant_problems($cap):
  .userStories[]
  | .id as $id
  | (select(.passes != (.reviewStatus == "approved")) | "passes and approved are out of sync"),
    (select(.reviewStatus == "changes_requested" and (.reviewFeedback | sentence | not))
     | "requested changes need feedback"),
    (select(.reviewCount > $cap + 1) | "reviewCount is above the cap")
  | "story \($id): \(.)";

def is_legal($mode; $old; $cap):
  state as $new
  | ($old[2] + 1) as $next
  | if $mode == "implement" then
      $old[1] == null and $new == [$old[0], "needs_review", $old[2]]
    elif $mode == "review-fix" then
      $old[1] == "changes_requested" and $new == [$old[0], "needs_review", $old[2]]
      and (.reviewFeedback | sentence | not)
    else
      $old[1] == "needs_review"
      and ($new == [true, "approved", $next]
           or ($new == [$old[0], "changes_requested", $next] and $next < $cap))
    end;

def dropped_criteria($old):
  ($old.userStories // [] | map({(.id): .acceptanceCriteria}) | add // {}) as $before
  | .userStories[]
  | select(($before[.id] // []) - .acceptanceCriteria != [])
  | "story \(.id): an acceptance criterion was dropped";

def transition_problems($marker; $cap):
  $marker.preIterationSnapshot as $before
  | select($before != null)
  | (.userStories | map({(.id): true}) | add // {}) as $present
  | [.userStories[] | select($before[.id])] as $known
  | [.userStories[] | select($before[.id] | not)] as $new
  | [$known[] | select(state != ($before[.id] | state))] as $moved
  | ($new[] | select(state != [false, null, 0]) | "story \(.id) is new and has progress already"),
    ($moved[]
     | select(is_legal($marker.iterationMode; $before[.id] | state; $cap) | not)
     | "story \(.id): illegal transition to \(state)"),
    (select(($moved | length) > 1
       or ($marker.storyId != null and any($moved[]; .id != $marker.storyId)))
     | "only one story may move in an iteration"),
    (($new | map(.splitFrom)) as $split
     | $before | keys[] | select(($present[.] | not) and (. as $id | $split | index($id) | not))
     | "story \(.) was removed"),
    (select($marker.verifyCommands != null
       and $marker.verifyCommands != (.verifyCommands // []))
     | "verifyCommands were changed");

$markers[0] as $marker
| ($marker.reviewCap // 5) as $cap
| [schema_problems] as $schema
| if $schema != [] then $schema[]
  elif $marker.skipReview then empty
  else
    invariant_problems($cap), transition_problems($marker; $cap), dropped_criteria($old_lists[0])
  end'

old_list() {
  if [[ -n $checkpoint ]]; then
    git -C "$root" show "$checkpoint:${ralph_dir%/}/tasks.json" 2>/dev/null || echo null
  else
    echo null
  fi
}

changed_protected_files() {
  local path digest found
  while IFS=$'\t' read -r path digest; do
    found=$(sha256sum <"$root/$path" 2>/dev/null) || found=
    [[ ${found%% *} == "$digest" ]] || echo "$path is protected and was changed"
  done < <(jq -r '.protectedFiles // {} | to_entries[] | [.key, .value] | @tsv' "$marker")
}

uncommitted() {
  local entry dirty_before path
  dirty_before=$(jq -r '.dirtyBefore // [] | .[]' "$marker")
  while IFS= read -r -d '' entry; do
    path=${entry:3}
    if [[ $entry == [RC]* ]]; then IFS= read -r -d '' _; fi
    case $path in
      .ralph-active | .ralph/lock | .ralph/state.json | .ralph/state.md | .ralph/runs/*) continue ;;
    esac
    grep -qxF -- "$path" <<<"$dirty_before" || echo "not committed: $path"
  done < <(git -C "$root" status --porcelain -z)
}

beyond_a_review() {
  local path
  while IFS= read -r -d '' path; do
    case $path in
      "${ralph_dir%/}"/* | CLAUDE.md | .claude/*) ;;
      *) echo "a review judges, it does not fix: $path" ;;
    esac
  done < <(git -C "$root" diff --name-only -z "$checkpoint" HEAD)
}

IFS=$'\t' read -r session cwd background < <(
  jq -r '[.session_id, .cwd, (.background_tasks // [] | length)] | @tsv'
)
((background == 0)) || exit 0
root=${CLAUDE_PROJECT_DIR:-$cwd}
marker=$root/.ralph-active
[[ -e $marker ]] || exit 0

# Not a tab: read would swallow the empty fields between two of them.
IFS=$'\x1f' read -r named run pid mode ralph_dir checkpoint skip_review < <(
  jq -r '[.sessionId, .runId, .pid, .iterationMode, .ralphDir // "ralph", .checkpoint, .skipReview]
    | map(. // "" | tostring) | join("\u001f")' "$marker"
)
if [[ -n $named && $named == "$session" ]]; then
  :
elif [[ -n $run && $run == "${RALPH_RUN_ID:-}" ]]; then
  :
elif [[ -n $named || -z $pid ]] || ! kill -0 "$pid" 2>/dev/null; then
  exit 0
fi

tasks=$root/$ralph_dir/tasks.json
problems=
if [[ -n ${RALPH_MARKER_SHA256:-} && $(sha256sum <"$marker") != "$RALPH_MARKER_SHA256 "* ]]; then
  problems='the marker was tampered with'
elif ! problems=$(jq -r --slurpfile markers "$marker" --slurpfile old_lists <(old_list) \
  "$judge_list" "$tasks" 2>&1); then
  problems="tasks.json: $problems"
else
  if [[ -z $problems && $skip_review != true ]]; then problems=$(changed_protected_files); fi
  problems+=$(uncommitted)
  if [[ $mode == review && -n $checkpoint ]]; then problems+=$(beyond_a_review); fi
fi
[[ -n $problems ]] || exit 0

folder=${CLAUDE_PLUGIN_DATA:-/tmp}/stop-blocks
mkdir -p "$folder"
count=$folder/${session//[^A-Za-z0-9-]/_}
if [[ -f $count ]] && (($(wc -c <"$count") >= max_blocks)); then
  jq -n --arg text "blocked often enough: $problems" '{systemMessage: $text}'
else
  printf . >>"$count"
  jq -n --arg text "$problems" '{decision: "block", reason: $text}'
fi
