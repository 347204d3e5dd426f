"""The context monitor as a Python script, for comparison: says once how full the context is.

Reads the transcript backwards from its end, so that its size does not matter.
"""

import json
import os
import sys

LEVELS = [(90, "CRITICAL"), (80, "WARNING"), (70, "WARNING"), (60, "NOTICE"), (50, "NOTICE")]
ADVICE = {
    "NOTICE": "Plan to finish your current task within this session.",
    "WARNING": "Finish your current task and commit soon. Do not start additional tasks.",
    "CRITICAL": "Wrap up immediately: write handoff notes, commit, stop.",
}
CHUNK = 64 * 1024


def lines_backwards(path):
    with open(path, "rb") as file:
        position = file.seek(0, os.SEEK_END)
        rest = b""
        while position > 0:
            size = min(CHUNK, position)
            position -= size
            file.seek(position)
            first, *lines = (file.read(size) + rest).split(b"\n")
            yield from reversed(lines)
            rest = first
        yield rest


def tokens_used(path):
    for line in lines_backwards(path):
        if b'"assistant"' not in line:
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry.get("type") != "assistant" or entry.get("isSidechain"):
            continue
        usage = entry.get("message", {}).get("usage")
        if usage:
            return sum(
                usage.get(field) or 0
                for field in (
                    "input_tokens",
                    "cache_read_input_tokens",
                    "cache_creation_input_tokens",
                    "output_tokens",
                )
            )
    return 0


def claim(session, threshold):
    """Whether this threshold speaks for the first time in this session."""
    folder = os.path.join(os.environ.get("CLAUDE_PLUGIN_DATA", "/tmp"), "context-alerts")
    os.makedirs(folder, exist_ok=True)
    name = "".join(c if c.isalnum() or c == "-" else "_" for c in session)
    path = os.path.join(folder, name)
    try:
        with open(path) as file:
            told = max(int(word) for word in file.read().split())
    except (OSError, ValueError):
        told = 0
    if told >= threshold:
        return False
    with open(path, "a") as file:
        file.write(f"{threshold}\n")
    return True


def main():
    event = json.load(sys.stdin)
    window = int(os.environ.get("CLAUDE_CONTEXT_WINDOW") or 200_000)
    try:
        percent = tokens_used(event["transcript_path"]) * 100 // window
    except OSError:
        return
    reached = next((level for level in LEVELS if percent >= level[0]), None)
    if reached is None or not claim(event["session_id"], reached[0]):
        return
    word = reached[1]
    output = {
        "hookEventName": event["hook_event_name"],
        "additionalContext": f"{word}: the context is {percent} % full. {ADVICE[word]}",
    }
    json.dump({"hookSpecificOutput": output}, sys.stdout)


main()
