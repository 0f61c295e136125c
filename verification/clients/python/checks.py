"""What the scripts share: `python3 with_NAME.py URL` runs the script's steps, and exits with 1 if one has failed."""

import random
import sys
import threading
import time
import traceback


def same(actual, expected):
    """Fails unless two values are equal, and of one type: 1 is not True."""
    if isinstance(expected, tuple):
        actual = tuple(actual)
    if actual != expected or isinstance(actual, bool) != isinstance(expected, bool):
        raise AssertionError(f"got {actual!r}, expected {expected!r}")


def fails(error, action, *arguments):
    """The error of a class that an action must end with."""
    try:
        result = action(*arguments)
    except error as e:
        return e
    raise AssertionError(f"no {error.__name__}, but {result!r}")


def retried(transaction, is_conflict):
    """Runs a transaction until it is not a conflict, and returns the number of its conflicts."""
    conflicts = 0
    while True:
        try:
            transaction()
            return conflicts
        except Exception as e:
            if not is_conflict(e):
                raise
            conflicts += 1
            time.sleep(random.random() * 0.002 * min(conflicts, 20))


def together(*actions):
    """Runs actions in a thread each, and fails if one of them does."""
    failures = []

    def run(action):
        try:
            action()
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=run, args=[action]) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def main(*steps):
    """Runs steps with the URL of the command line; exits with 1 if one has failed."""
    failures = 0
    for step in steps:
        try:
            step(sys.argv[1])
            print("passed:", step.__name__, flush=True)
        except BaseException:
            failures += 1
            traceback.print_exc(file=sys.stdout)
            print("FAILED:", step.__name__, flush=True)
    sys.exit(1 if failures else 0)
