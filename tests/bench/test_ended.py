# SPDX-License-Identifier: Apache-2.0
"""A measurement that is ended early writes what it has measured, and fails.
Usage: test_ended.py BENCH SCRATCH"""
import json
import os
import pty
import signal
import subprocess
import sys
import unittest

BENCH, SCRATCH = sys.argv[1:]
MANY = ",".join(f"{n}x{n + 1}x{n + 2}" for n in range(8, 408))


def ended(number, *options):
    """The exit code, the messages and the report after the signal, which comes while the third
    problem is measured."""
    out = os.path.join(SCRATCH, "report.json")
    terminal, end = pty.openpty()
    with subprocess.Popen([BENCH, "--shape", MANY, "-o", "json", "--out", out, *options],
                          stderr=end) as process:
        os.close(end)
        messages = b""
        while True:
            try:
                read = os.read(terminal, 1000)
            except OSError:  # the other end is closed
                break
            if b"[3/" not in messages and b"[3/" in messages + read:
                process.send_signal(number)
            messages += read
    os.close(terminal)
    if process.returncode == 77:  # no device
        os._exit(77)
    with open(out, encoding="utf-8") as file:
        return process.returncode, messages.decode(), json.load(file)


class Ended(unittest.TestCase):
    def check(self, number, *options):
        code, messages, report = ended(number, *options)
        self.assertEqual(code, 1, messages)
        self.assertIn("interrupted: the report has what was measured before", messages)
        self.assertGreaterEqual(len(report["results"]), 3)
        self.assertLess(len(report["results"]), 400)

    def test_by_ctrl_c(self):
        self.check(signal.SIGINT, "--samples", "1", "--peers", "none")

    def test_by_a_time_limit(self):
        self.check(signal.SIGTERM, "--overhead")


if __name__ == "__main__":
    os.makedirs(SCRATCH, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
