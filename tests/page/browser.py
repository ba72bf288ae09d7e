"""Headless Chromium, driven over the pipe of its DevTools protocol: no port, and no package beside the browser."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SECONDS = 60
_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio"),
    *("--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars", "--remote-debugging-pipe"),
)


def chromium() -> str | None:
    """Where Chromium is, None where it is not, and on Windows, where a child gets no pipes by number."""
    if os.name == "nt":
        return None
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One Chromium and one page in it; every event that the page sends is kept."""

    def __init__(self, program: str) -> None:
        self.events: list[dict[str, Any]] = []
        self._folder = tempfile.mkdtemp(prefix="biasvar-chromium-")
        to_child, self._write = os.pipe()
        self._read, from_child = os.pipe()

        def connect() -> None:
            kept = [os.dup(fd) for fd in (to_child, from_child)]
            kept = [fd if fd > 4 else os.dup(fd) for fd in kept]
            for fd, number in zip(kept, (3, 4), strict=True):
                os.dup2(fd, number)

        command = [program, *_FLAGS, f"--user-data-dir={self._folder}", "about:blank"]
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        self._process = subprocess.Popen(command, preexec_fn=connect, pass_fds=(3, 4), **streams)
        os.close(to_child)
        os.close(from_child)
        self._buffer = b""
        self._last = 0
        self._session: str | None = None
        self._window: tuple[int, int, bool] | None = None
        (target,) = [each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"]
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        with contextlib.suppress(OSError):
            shutil.rmtree(self._folder, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol and its answer."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + _SECONDS
        while True:
            answer = self._next(deadline)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _next(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("Chromium does not answer")
            held = os.read(self._read, 1 << 20)
            if not held:
                raise RuntimeError("Chromium has ended")
            self._buffer += held
        line, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(line)

    def open(self, path: Path) -> None:
        """Open a file and wait until the page is ready to be used."""
        self.visit(path.resolve().as_uri())

    def visit(self, address: str) -> None:
        """Open an address and wait until the page is ready to be used."""
        self.events.clear()
        started = time.monotonic()
        self.call("Page.navigate", url=address)
        while self.run("document.documentElement?.dataset.ready !== 'true' || document.readyState !== 'complete'"):
            if time.monotonic() - started > _SECONDS:
                raise TimeoutError(f"the page is not ready: {self.problems()}")
            time.sleep(0.01)
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @contextlib.contextmanager
    def without_scripts(self, path: Path) -> Iterator[None]:
        """A file, open and loaded while scripts are off."""
        self.events.clear()
        self.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.call("Page.navigate", url=path.resolve().as_uri())
            deadline = time.monotonic() + _SECONDS
            while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
                self.events.append(self._next(deadline))
            yield
        finally:
            self.call("Emulation.setScriptExecutionDisabled", value=False)

    def run(self, script: str) -> Any:
        """The value of a script in the page; a promise is waited for."""
        options = {"awaitPromise": True, "returnByValue": True, "userGesture": True}
        found = self.call("Runtime.evaluate", expression=script, **options)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"].get("exception", {}).get("description", str(found)))
        return found["result"].get("value")

    def press(self, key: str, code: int, *, shift: bool = False) -> None:
        """One key, as from a keyboard."""
        text = "\r" if key == "Enter" else " " if key == " " else ""
        pressed = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **pressed, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def click(self, selector: str, *, shift: bool = False) -> None:
        """A click with the mouse in the middle of what a selector finds."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
            "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); "
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        button = {"x": x, "y": y, "button": "left", "clickCount": 1, "modifiers": 8 if shift else 0}
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, **button)

    def problems(self) -> list[str]:
        """Errors, warnings and violated policies that the page reported."""
        self.run("0")
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
            if method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(str(parameters["args"]))
            if method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """The addresses that the page asked for, its own among them."""
        self.run("0")
        sent = [event for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def resize(self, width: int, height: int = 900, *, dark: bool = False) -> None:
        """Set the size of the window and the theme; a page that is open is drawn again, where it is not as before."""
        window = (width, height, dark)
        if window == self._window:
            return
        self._window = window
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **screen)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def pdf(self) -> bytes:
        """The page as it prints."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])


def choose(page: Browser, selector: str, value: object) -> None:
    """Choose a value of a list, or type it."""
    page.run(
        f"(() => {{ const s = document.querySelector({json.dumps(selector)}); s.value = {json.dumps(str(value))}; "
        "for (const kind of ['change', 'input']) s.dispatchEvent(new Event(kind, {bubbles: true})); })()"
    )
    page.run("new Promise(done => setTimeout(done, 20))")


def texts_of(page: Browser, selector: str) -> list[str]:
    """The text of every element that a selector finds."""
    return page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")
