#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/publish: what it keeps of reports, how files merge, and that a document which differs is found."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from results import data, pages  # noqa: E402


def series(ms, check="ok", outcome="ok"):
    return {"outcome": outcome, "check": check, "median_ms": ms, "min_ms": ms, "spread": 0.1, "error": 1e-7}


def report(shapes, command="clgemm-bench -d gpu --suite llm -o json", device="Device A (4 units)"):
    """Of clgemm-bench, with these series of each shape."""
    results = [{"shape": shape, "trans": "NN", "layout": "row", "alpha": 1, "beta": 0, "series": of}
               for shape, of in shapes.items()]
    return {"context": {"library": "libclgemm 0.2.0", "date": "2026-11-27T00:00:00Z", "device": device, "driver": "1",
                        "cpu": "CPU", "cores": "2", "type": "f32", "batch": "1", "command": command},
            "results": results}


OURS = {"8x8x8": {"clgemm_device": series(1.0), "cublas": series(1.5)},
        "9x9x9": {"clgemm_device": series(2.0), "cublas": series(1.0)}}


class Taken(unittest.TestCase):
    def test_rows(self):
        store = data.taken("suites", report(OURS))
        self.assertEqual(store["device"]["title"], "Device A")
        self.assertEqual(store["runs"][0]["command"], "clgemm-bench -d gpu --suite llm")
        row = store["rows"][0]
        self.assertEqual((row["list"], row["math"], row["verified"]), ("llm", "strict", "yes"))
        self.assertAlmostEqual(data.ratio(row, "clgemm_device/cublas"), 1.5)
        self.assertAlmostEqual(data.rate(row, "clgemm_device"), 1024 / 1e6)
        self.assertAlmostEqual(data.mean([1.5, 1 / 1.5, None]), 1)

    def test_unchecked_is_told(self):
        store = data.taken("suites", report({"8x8x8": {"clgemm_device": series(1, "none"), "cublas": series(1)}}))
        self.assertEqual(store["rows"][0]["verified"], "no")

    def test_wrong_results(self):
        peer = data.taken("suites", report({"8x8x8": {"clgemm_device": series(1), "cublas": series(1, "wrong")}}))
        self.assertEqual(list(peer["rows"][0]["series"]), ["clgemm_device"])
        for bad in series(1, "wrong"), series(1, outcome="failed"):
            with self.assertRaises(data.Refused):
                data.taken("suites", report({"8x8x8": {"clgemm_device": bad}}))


class Merge(unittest.TestCase):
    def test_newer_rows_replace_older_ones(self):
        old = data.merge(None, data.taken("suites", report(OURS)))
        new = data.taken("suites", report({"8x8x8": {"clgemm_device": series(0.5)}}))
        merged = data.merge(old, new)
        self.assertEqual(len(merged["rows"]), 2)
        self.assertEqual([row["series"]["clgemm_device"]["ms"] for row in merged["rows"]], [2.0, 0.5])
        self.assertEqual([run["id"] for run in merged["runs"]], [1, 2])
        self.assertEqual(sorted(row["run"] for row in merged["rows"]), [1, 2])
        again = data.merge(merged, data.taken("suites", report(OURS)))
        self.assertEqual(([run["id"] for run in again["runs"]], len(again["rows"])), ([1], 2))

    def test_saved_and_loaded(self):
        store = data.taken("suites", report(OURS))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.json"
            data.save(store, path)
            self.assertEqual(data.load(path), store)

    def test_other_devices_are_refused(self):
        with self.assertRaises(data.Refused):
            data.merge(data.taken("suites", report(OURS)), data.taken("suites", report(OURS, device="Device B")))


class Documents(unittest.TestCase):
    def test_what_differs_is_found(self):
        made = {path: text for path, text in pages.files(ROOT)}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copytree(ROOT / "bench", root / "bench")
            shutil.copytree(ROOT / "docs/results", root / "docs/results")
            for path, text in made.items():
                (root / path.relative_to(ROOT)).write_text(text, encoding="utf-8")
            check = [sys.executable, root / "bench/publish", "pages", "--check"]
            self.assertEqual(subprocess.run(check, check=False).returncode, 0)
            readme = root / "README.md"
            readme.write_text(readme.read_text(encoding="utf-8").replace("<!--suites-->", "<!--suites-->9"),
                              encoding="utf-8")
            (root / "docs/results/h200.md").write_text("old", encoding="utf-8")
            done = subprocess.run(check, check=False, stdout=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stdout.count("does not show its data")), (1, 2))


unittest.main()
