"""The Stop guard as a Python script, for comparison: may this iteration of the loop end?

Schema, invariants, transitions against the snapshot, protected files, git: one after the other.
"""

import hashlib
import json
import os
import subprocess
import sys

STATUSES = (None, "needs_review", "changes_requested", "approved")
ID_LETTERS = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
FIELDS = {
    "title": str,
    "acceptanceCriteria": list,
    "priority": (int, float),
    "passes": bool,
    "reviewCount": int,
    "reviewFeedback": str,
}
OPTIONAL = {
    "description": str,
    "notes": str,
    "dependsOn": list,
    "splitFrom": str,
    "model": str,
    "skills": list,
    "needsDocs": bool,
    "libraries": list,
    "maxTurns": int,
}
RUNTIME = (".ralph-active", ".ralph/lock", ".ralph/state.json", ".ralph/state.md", ".ralph/runs/")
MAX_BLOCKS = 6


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def check_schema(tasks):
    if not isinstance(tasks, dict):
        return ["tasks.json is not an object"]
    problems = []
    for field in ("project", "branchName", "description"):
        if not isinstance(tasks.get(field), str):
            problems.append(f"{field} must be a string")
    commands = tasks.get("verifyCommands", [])
    if not isinstance(commands, list) or not all(isinstance(c, str) for c in commands):
        problems.append("verifyCommands must be an array of strings")
    stories = tasks.get("userStories")
    if not isinstance(stories, list):
        return problems + ["userStories must be an array"]
    ids = set()
    for position, story in enumerate(stories, 1):
        problems += check_story(position, story, ids)
    return problems or check_dependencies(stories, ids)


def check_story(position, story, ids):
    if not isinstance(story, dict):
        return [f"story {position} is not an object"]
    name = story.get("id")
    if not isinstance(name, str) or not 1 <= len(name) <= 64 or not set(name) <= ID_LETTERS:
        return [f"story {position}: id must be 1 to 64 of A-Z a-z 0-9 . _ -, is {name!r}"]
    problems = []
    if name in ids:
        problems.append(f"story {name}: the id is there twice")
    ids.add(name)
    for field, kind in FIELDS.items():
        value = story.get(field)
        is_bool = isinstance(value, bool)
        if not isinstance(value, kind) or (is_bool and kind is not bool):
            problems.append(f"story {name}: {field} is missing or of the wrong type")
    for field, kind in OPTIONAL.items():
        value = story.get(field)
        if value is not None and not isinstance(value, kind):
            problems.append(f"story {name}: {field} is of the wrong type")
    if story.get("reviewStatus", "missing") not in STATUSES:
        problems.append(f"story {name}: reviewStatus is missing or unknown")
    if problems:
        return problems
    criteria = story["acceptanceCriteria"]
    if not criteria or not all(isinstance(c, str) and c.strip() for c in criteria):
        problems.append(f"story {name}: acceptanceCriteria must be non-empty sentences")
    if story["reviewCount"] < 0:
        problems.append(f"story {name}: reviewCount is negative")
    if story["passes"] and not (story.get("notes") or "").strip():
        problems.append(f"story {name}: passes needs notes")
    return problems


def check_dependencies(stories, ids):
    waits_for = {story["id"]: story.get("dependsOn") or [] for story in stories}
    unknown = [
        f"story {name}: dependsOn names {other}, which no story has"
        for name, others in waits_for.items()
        for other in others
        if other not in ids
    ]
    if unknown:
        return unknown
    done, on_path = set(), set()
    for start in waits_for:
        path = [(start, iter(waits_for[start]))]
        while path:
            name, others = path[-1]
            on_path.add(name)
            other = next((other for other in others if other not in done), None)
            if other is None:
                done.add(name)
                on_path.discard(name)
                path.pop()
            elif other in on_path:
                return [f"story {other} waits for itself"]
            else:
                path.append((other, iter(waits_for[other])))
    return []


def check_invariants(stories, cap):
    problems = []
    for story in stories:
        name, status = story["id"], story["reviewStatus"]
        if story["passes"] != (status == "approved"):
            problems.append(f"story {name}: passes and approved are out of sync")
        if status == "changes_requested" and not story["reviewFeedback"].strip():
            problems.append(f"story {name}: requested changes need feedback")
        if story["reviewCount"] > cap + 1:
            problems.append(f"story {name}: reviewCount is above the cap")
    return problems


def state(story):
    return story["passes"], story["reviewStatus"], story["reviewCount"]


def is_legal_move(mode, old, story, cap):
    new = state(story)
    passes, status, count = old
    if mode == "implement":
        return status is None and new == (passes, "needs_review", count)
    if mode == "review-fix":
        submitted = status == "changes_requested" and new == (passes, "needs_review", count)
        return submitted and not story["reviewFeedback"].strip()
    if status != "needs_review":
        return False
    approved = new == (True, "approved", count + 1)
    return approved or (new == (passes, "changes_requested", count + 1) and count + 1 < cap)


def check_transitions(tasks, marker, cap):
    snapshot = marker.get("preIterationSnapshot")
    if snapshot is None:
        return []
    problems, moved = [], []
    stories = tasks["userStories"]
    mode, digests = marker.get("iterationMode"), marker.get("acceptanceCriteria", {})
    for story in stories:
        name = story["id"]
        if name not in snapshot:
            if state(story) != (False, None, 0):
                problems.append(f"story {name} is new and has progress already")
            continue
        old = state(snapshot[name])
        if state(story) != old:
            moved.append(name)
            if not is_legal_move(mode, old, story, cap):
                problems.append(f"story {name}: illegal transition {old} -> {state(story)}")
        missing = list(digests.get(name, []))
        for criterion in story["acceptanceCriteria"]:
            digest = sha256(criterion.encode())
            if digest in missing:
                missing.remove(digest)
        if missing:
            problems.append(f"story {name}: {len(missing)} acceptance criteria dropped")
    selected = marker.get("storyId")
    if len(moved) > 1 or (selected and moved and moved != [selected]):
        problems.append(f"only one story may move in an iteration, not {', '.join(moved)}")
    present = {story["id"] for story in stories}
    split = {story.get("splitFrom") for story in stories if story["id"] not in snapshot}
    for name in snapshot:
        if name not in present and name not in split:
            problems.append(f"story {name} was removed")
    commands = marker.get("verifyCommands")
    if commands is not None and commands != tasks.get("verifyCommands", []):
        problems.append("verifyCommands were changed")
    return problems


def check_protected(root, marker):
    problems = []
    for path, digest in marker.get("protectedFiles", {}).items():
        try:
            with open(os.path.join(root, path), "rb") as file:
                same = sha256(file.read()) == digest
        except OSError:
            same = False
        if not same:
            problems.append(f"{path} is protected and was changed")
    return problems


def git(root, *arguments):
    command = ["git", "-C", root, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def dirty_paths(root):
    entries = iter(git(root, "status", "--porcelain", "-z").split("\0"))
    for entry in entries:
        if entry:
            yield entry[3:]
            if entry[0] in "RC":
                yield next(entries)


def check_git(root, marker):
    before = set(marker.get("dirtyBefore", []))
    dirty = [
        path for path in dirty_paths(root) if path not in before and not path.startswith(RUNTIME)
    ]
    problems = [f"not committed: {', '.join(dirty[:10])}"] if dirty else []
    if marker.get("iterationMode") == "review" and marker.get("checkpoint"):
        folder = marker.get("ralphDir", "ralph").rstrip("/") + "/"
        changed = git(root, "diff", "--name-only", "-z", marker["checkpoint"], "HEAD").split("\0")
        beyond = [
            path
            for path in changed
            if path and path != "CLAUDE.md" and not path.startswith((folder, ".claude/"))
        ]
        if beyond:
            problems.append(f"a review judges, it does not fix: {', '.join(beyond[:10])}")
    return problems


def is_ours(marker, session):
    if marker.get("sessionId") and marker["sessionId"] == session:
        return True
    if marker.get("runId") and marker["runId"] == os.environ.get("RALPH_RUN_ID"):
        return True
    if marker.get("sessionId") or not marker.get("pid"):
        return False
    try:
        os.kill(marker["pid"], 0)
    except OSError:
        return False
    return True


def block(session, problems):
    folder = os.path.join(os.environ.get("CLAUDE_PLUGIN_DATA", "/tmp"), "stop-blocks")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, sha256(session.encode()))
    with open(path, "a+") as file:
        file.seek(0)
        if len(file.read()) >= MAX_BLOCKS:
            json.dump({"systemMessage": "blocked often enough: " + problems[0]}, sys.stdout)
            return
        file.write(".")
    json.dump({"decision": "block", "reason": "\n".join(problems)}, sys.stdout)


def judge(root, marker, raw_marker):
    written = os.environ.get("RALPH_MARKER_SHA256")
    if written and sha256(raw_marker) != written:
        return ["the marker was tampered with"]
    tasks_path = os.path.join(root, marker.get("ralphDir", "ralph"), "tasks.json")
    try:
        with open(tasks_path, "rb") as file:
            tasks = json.load(file)
    except (OSError, ValueError) as error:
        return [f"tasks.json: {error}"]
    problems = check_schema(tasks)
    if not marker.get("skipReview") and not problems:
        cap = marker.get("reviewCap", 5)
        problems += check_invariants(tasks["userStories"], cap)
        problems += check_transitions(tasks, marker, cap)
        problems += check_protected(root, marker)
    return problems + check_git(root, marker)


def main():
    event = json.load(sys.stdin)
    if event.get("background_tasks"):
        return
    root = os.environ.get("CLAUDE_PROJECT_DIR") or event["cwd"]
    try:
        with open(os.path.join(root, ".ralph-active"), "rb") as file:
            raw_marker = file.read()
    except OSError:
        return
    marker = json.loads(raw_marker)
    if not is_ours(marker, event["session_id"]):
        return
    problems = judge(root, marker, raw_marker)
    if problems:
        block(event["session_id"], problems)


main()
