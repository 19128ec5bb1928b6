"""What the scripts that run suites of tasks share: the program, the tasks of a suite, and what `verify` says of one.

A suite is a folder with a tasks.jsonl, one task a line: its id, files, property, integers, data_model and expected.
"""
import json, os, subprocess, time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PROPERTIES = ("termination", "unreach-call", "memsafety", "no-overflow")


def built(package="loopscope", example=None):
    """Builds a program of the repository (release), and gives its path."""
    more = ["--example", example] if example else []
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", package, *more], cwd=REPOSITORY, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"), "release")
    return str(target / "examples" / example if example else target / "loopscope")


def program():
    """The program to run: BINARY, or a new build."""
    return os.environ.get("BINARY") or built()


def tasks_of(folder):
    """The tasks of a suite."""
    return [json.loads(line) for line in (folder / "tasks.jsonl").read_text().splitlines() if line.strip()]


def files_of(folder, task):
    """The files of a task."""
    return [str(folder / name) for name in task.get("files", [task["file"]])]


def spread(tasks, limit):
    """So many of the tasks, evenly spread; all of them without a limit."""
    if not limit or len(tasks) <= limit:
        return tasks
    return [tasks[place * len(tasks) // limit] for place in range(limit)]


def query(task):
    """The words that tell a command what is asked of a task."""
    return ["--property", task["property"], "--integers", task.get("integers", "machine"),
            "--data-model", task.get("data_model", "LP64")]


def verified(tool, folder, task, limit):
    """What `loopscope verify --json` says of a task, how the process ended, and after how many seconds."""
    command = [tool, "verify", "--json", *query(task), "--time-limit", str(limit), *files_of(folder, task)]
    start = time.monotonic()
    try:
        # A little slack, so that the verifier ends by itself; a session of its own, so that Ctrl-C is not for it.
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit + 5,
                                start_new_session=True)
    except subprocess.TimeoutExpired:
        return {}, "killed", time.monotonic() - start
    seconds = time.monotonic() - start
    try:
        answer = json.loads(result.stdout)
    except json.JSONDecodeError:
        return {}, f"exit {result.returncode}", seconds
    return answer, "ok", seconds
