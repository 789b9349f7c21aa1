# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for the tests of pages, controlled by the DevTools protocol over a pipe."""
import json
import os
import select
import subprocess
import tempfile
import time


class Browser:
    """One page. `errors` has the errors on the console, exceptions, and requests for anything but the page's
    own file, so far."""

    def __init__(self, program, *flags):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.errors, self.number, self.buffer = [], 0, b""
        their_in, self.out = os.pipe()
        self.incoming, their_out = os.pipe()
        # Chromium reads commands from its descriptor 3 and answers on its descriptor 4.
        command = [
            program,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu-sandbox",
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
            "--remote-debugging-pipe",
            "--window-size=1200,900",
            f"--user-data-dir={self.profile.name}",
            *flags,
            "about:blank",
        ]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{their_in} 4>&{their_out}', "bash", *command],
            pass_fds=(their_in, their_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self.session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.out)
        os.close(self.incoming)
        self.profile.cleanup()

    def _message(self, limit):
        while b"\0" not in self.buffer:
            if not select.select([self.incoming], [], [], max(0, limit - time.monotonic()))[0]:
                raise TimeoutError("no answer from Chromium")
            data = os.read(self.incoming, 1 << 16)
            if not data:
                raise RuntimeError("Chromium ended")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, message):
        about = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif message.get("method") == "Runtime.consoleAPICalled" and about["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(arg.get("value", arg.get("description"))) for arg in about["args"]))
        elif message.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"]["text"] + " " + about["entry"].get("url", ""))
        elif message.get("method") == "Network.requestWillBeSent":
            url = about["request"]["url"]
            if not url.startswith(("data:", "blob:")) and about.get("type") != "Document":
                self.errors.append(f"the page requests {url}")

    def call(self, method, seconds=30, **params):
        """One command of the protocol; returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        limit = time.monotonic() + seconds
        while True:
            answer = self._message(limit)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def open(self, path):
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.run(
            "new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', () => done()))"
        )

    def run(self, script, seconds=30):
        """The value of a JavaScript expression, awaited if it is a promise."""
        answer = self.call(
            "Runtime.evaluate", seconds, expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def press(self, key):
        """Presses a key: "Tab", "ArrowRight", "Enter" ..."""
        text = {"text": "\r"} if key == "Enter" else {}
        code = {
            "Enter": 13,
            "Tab": 9,
            "Escape": 27,
            "Home": 36,
            "End": 35,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        }[key]
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **(text if kind == "keyDown" else {}),
            )
