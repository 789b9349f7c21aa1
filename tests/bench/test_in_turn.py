# SPDX-License-Identifier: Apache-2.0
"""How bench/clients and bench/psgemm measure: the wait for an idle machine on simulated clocks, the
order of turns, and times in two clusters. No real time is judged."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import in_turn  # noqa: E402


class Machine:
    """Threads keep polling until `polls_until`, on `cores` cores."""

    def __init__(self, polls_until=0, cores=1, no_turn=0):
        self.time = self.used = 0
        self.polls_until, self.cores, self.no_turn, self.pauses = polls_until, cores, no_turn, 0

    def sleep(self, seconds):
        polled = min(max(self.polls_until - self.time, 0), seconds)
        self.pauses += 1
        self.used += 0.01 * seconds + (self.pauses != self.no_turn) * polled * self.cores
        self.time += seconds

    def until_quiet(self, most):
        return in_turn.until_quiet(lambda: self.used, most, 0.1, lambda: self.time, self.sleep)


class Quiet(unittest.TestCase):
    def test_at_once(self):
        machine = Machine()
        self.assertEqual(machine.until_quiet(5), 0)
        self.assertEqual(machine.pauses, 2)

    def test_in_time(self):
        machine = Machine(polls_until=1)
        self.assertEqual(machine.until_quiet(5), 0)
        self.assertTrue(1 <= machine.time < 1.5)

    def test_not_by_chance(self):
        machine = Machine(polls_until=1, no_turn=3)
        self.assertEqual(machine.until_quiet(5), 0)
        self.assertTrue(machine.time >= 1)

    def test_never(self):
        machine = Machine(polls_until=1e9, cores=3)
        self.assertAlmostEqual(machine.until_quiet(5), 3, delta=0.1)
        self.assertTrue(5 <= machine.time < 5.2)

    def test_machine_time_grows(self):
        before = in_turn.machine_time()
        self.assertTrue(0 < before <= in_turn.machine_time())


class Turns(unittest.TestCase):
    def setUp(self):
        self.waits, self.order = [], []
        self.answers = iter([])
        self.kept = in_turn.until_quiet
        in_turn.until_quiet = self.wait
        in_turn.disturbed.clear()

    def tearDown(self):
        in_turn.until_quiet = self.kept
        in_turn.disturbed.clear()

    def wait(self, used, most, pause):
        self.waits.append(most)
        self.order.append("wait")
        return next(self.answers, 0)

    def measure(self, configuration):
        self.order.append(configuration)
        return len(self.order)

    def test_each_begins_quiet(self):
        taken = in_turn.rounds(2, ["a", "b"], self.measure)
        self.assertEqual(self.order, ["wait", "a", "wait", "b"] * 2)
        self.assertEqual(taken, [[2, 4], [6, 8]])
        self.assertEqual(in_turn.quiet_note(), "")

    def test_never_quiet(self):
        self.answers = iter([0, 1.5, 2.25, 0])
        in_turn.rounds(2, ["a", "b"], self.measure)
        self.assertEqual(self.waits, [5, 5, 0.5, 0.5])
        self.assertIn("2 processes had to start while other work kept up to 2.2 cores busy",
                      in_turn.quiet_note())


class Heaps(unittest.TestCase):
    def test_two(self):
        found = in_turn.heaps([2.66, 1.43, 1.45, 2.70, 1.41, 2.64, 1.44, 1.42, 2.68], 2)
        self.assertEqual(found, ([1.41, 1.42, 1.43, 1.44, 1.45], [2.64, 2.66, 2.68, 2.70]))
        self.assertEqual(in_turn.heaps([1, 1.01, 1.02, 1.9, 1.91, 1.92, 4], 2)[0], [1, 1.01, 1.02])

    def test_one(self):
        for values in ([1.43, 1.45, 1.41, 1.44, 1.42], [1.43, 1.45, 1.41, 1.44, 2.8],
                       [2.8, 2.81, 2.79, 2.8, 1.4], [1, 2], [1, 1, 5, 5], [0, 0, 0, 0],
                       [1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.4, 2.6], [1, 1.3, 1.7, 2.2, 2.9]):
            self.assertIsNone(in_turn.heaps(values, 2), values)
        self.assertIsNone(in_turn.heaps([1, 1, 2, 2], 16))
        self.assertIsNone(in_turn.heaps([1, 1, 1, 1], 1))

    def test_note(self):
        cores = len(os.sched_getaffinity(0))
        taken = [[1, 1], [1, cores], [1, 1], [1, cores]]
        told = list(in_turn.notes(["even", "odd"], taken))
        self.assertEqual(len(told), 1 if cores > 1 else 0)
        if told:
            self.assertRegex(told[0], r"^odd: .* two clusters, .* The faster 2 have a median of 1\.00 ms\.$")


unittest.main()
