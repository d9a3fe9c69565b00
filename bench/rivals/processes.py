# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""Children of run.py: the servers, and processes that keep the cores busy."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Kinds of load: busy processes for each core.
LOADS = {"none": 0, "one": 1, "three": 3, "work": 1}
# They end with the driver, however it ends.
SPIN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n  for _ in range(100000): pass"
# Takes vector units and caches as well.
WORK = "import numpy\na = numpy.ones((512, 512), numpy.float32)\n" + SPIN.replace("for _ in range(100000): pass", "a @ a")


class Refused(Exception):
    """A child cannot run what it was asked to."""


class Child:
    """A long-lived process that answers each line with a line of JSON."""

    def __init__(self, command, folder):
        self._log = tempfile.TemporaryFile(dir=folder)
        self._process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self._log, text=True, bufsize=1, cwd=HERE)
        try:
            self.about = self._answer()
        except Refused:
            self.close()
            raise

    def ask(self, line):
        try:
            self._process.stdin.write(line + "\n")
        except BrokenPipeError:
            pass  # the answer below says why
        return self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": self._last_words()}
        if "error" in answer:
            raise Refused(answer["error"])
        return answer

    def _last_words(self):
        code = self._process.wait()
        self._log.seek(0)
        words = self._log.read().decode(errors="replace").strip().splitlines()
        return words[-1] if words else f"ended with code {code}"

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._log.close()


class Busy:
    """Processes pinned to the cores, standing still but between start and stop."""

    def __init__(self, load):
        program = WORK if load == "work" else SPIN
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._processes = []
        for core in sorted(os.sched_getaffinity(0)):
            for _ in range(LOADS[load]):
                process = subprocess.Popen([sys.executable, "-c", program], env=environment)
                os.sched_setaffinity(process.pid, {core})
                self._processes.append(process)
        self.stop()

    def start(self):
        for process in self._processes:
            process.send_signal(signal.SIGCONT)

    def stop(self):
        for process in self._processes:
            process.send_signal(signal.SIGSTOP)

    def close(self):
        for process in self._processes:
            process.kill()
            process.wait()
