"""Runs a rankledger command for a workflow engine: the exit code decides what happens next, the JSON is the result."""

import json
import subprocess


class Again(Exception):
    """It may succeed later: the engine should run the command again. Nothing is bought twice."""


class Stop(Exception):
    """A person must act first: the config or the command line is wrong, credits are used up, or a key is refused."""


def rankledger(*arguments: str, program: tuple[str, ...] = ("rankledger",)) -> dict:
    """Returns the JSON of the command, with `partial`: something was deferred or failed, and `status` says what."""
    done = subprocess.run([*program, *arguments, "--json"], stdout=subprocess.PIPE, text=True)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    if done.returncode in (0, 3):
        return {**answer, "partial": done.returncode == 3}
    command = f"rankledger {' '.join(arguments)}"
    message = answer.get("error", {}).get("message", f"exit code {done.returncode}")
    if done.returncode in (2, 4):
        raise Stop(f"{command}: {message}")
    raise Again(f"{command}: {message}")
