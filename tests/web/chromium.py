"""A real Chromium, driven by its own protocol: go to a page, press keys, click, mark text, take a picture."""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 240.0
_connect = partial(connect, max_size=None, open_timeout=PATIENCE, ping_interval=None)

IN_SIGHT = """(({ top, bottom }) => top < innerHeight && bottom > 0)(
    document.querySelector('%s').getBoundingClientRect())"""


class Tab:
    """One tab."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._next, self.asked = socket, 0, 0
        for domain in ("Page", "Runtime", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Do one thing, and wait until it is done."""
        number = self._send(method, params)
        while True:
            found: dict[str, Any] = json.loads(self._socket.recv(timeout=PATIENCE))
            if found.get("method") == "Page.javascriptDialogOpening":  # whether to leave a page: yes
                self.asked += 1
                self._send("Page.handleJavaScriptDialog", {"accept": True})
            if found.get("id") == number:
                assert "error" not in found, (method, found)
                result: dict[str, Any] = found["result"]
                return result

    def _send(self, method: str, params: dict[str, Any]) -> int:
        self._next += 1
        self._socket.send(json.dumps({"id": self._next, "method": method, "params": params}))
        return self._next

    def run(self, script: str) -> Any:
        """The value of some JavaScript in the page."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, (script[:200], found["exceptionDetails"])
        return found["result"].get("value")

    def wait(self, script: str) -> Any:
        """Wait until some JavaScript is true; a page that is being left knows nothing."""
        until, last = time.monotonic() + PATIENCE, None
        while time.monotonic() < until:
            try:
                if last := self.run(script):
                    return last
            except AssertionError:
                pass
            time.sleep(0.02)
        raise AssertionError((script, last, self.run("document.body.innerText.slice(0, 2000)")))

    def go(self, url: str) -> None:
        """Open a page, whole."""
        self.run("window.left = true")
        self.ask("Page.navigate", url=url)
        self.ready()

    def reload(self) -> None:
        """As a person does."""
        self.run("window.left = true")
        self.ask("Page.reload")
        self.ready()

    def back(self) -> None:
        """To the page before."""
        self.run("window.left = true; history.back()")
        self.ready()

    def ready(self) -> None:
        """The page that comes next is there, with its script."""
        self.wait("!window.left && document.readyState === 'complete' && !!document.getElementById('main')")

    def settled(self) -> None:
        """Nothing is being sent."""
        self.wait("typeof busy !== 'undefined' && !busy && document.readyState === 'complete'")

    def size(self, width: int, height: int, *, dark: bool = False, media: str = "screen") -> None:
        """The size of the window, the person's choice of light or dark, and whether it is for paper."""
        window = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.ask("Emulation.setDeviceMetricsOverride", **window)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme, media=media)

    def press(self, key: str) -> None:
        """Press a key, as the system sends it."""
        text = {"Enter": "\r", "Escape": "", "Tab": ""}.get(key, key)
        code = f"Key{key.upper()}" if key.isascii() and key.isalpha() and len(key) == 1 else ""
        shared = {"key": key, "code": code, "modifiers": 8 if key.isupper() and len(key) == 1 else 0}
        self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **shared)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **shared)

    def type(self, text: str) -> None:
        """Write into what has the focus."""
        self.ask("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Press the mouse on the middle of an element."""
        find = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{find}.scrollIntoView({{block: 'center'}})")
        at = self.run(
            f"(() => {{ const box = {find}.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        self._mouse("mousePressed", at)
        self._mouse("mouseReleased", at)

    def drag(self, text: str, part: str) -> None:
        """Mark a text with the mouse."""
        ends = self.run(f"""(() => {{
            const inside = document.querySelector("[data-part='{part}']");
            const walk = document.createTreeWalker(inside, NodeFilter.SHOW_TEXT), wanted = {json.dumps(text)};
            while (walk.nextNode()) {{
                const at = walk.currentNode.data.indexOf(wanted);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walk.currentNode, at); range.setEnd(walk.currentNode, at + wanted.length);
                inside.scrollIntoView({{block: "center"}});
                const box = range.getBoundingClientRect(), y = box.y + box.height / 2;
                return [[box.x + 1, y], [box.right - 1, y]];
            }}
        }})()""")
        assert ends, text
        self._mouse("mousePressed", ends[0])
        self._mouse("mouseMoved", ends[1])
        self._mouse("mouseReleased", ends[1])

    def _mouse(self, kind: str, at: list[float]) -> None:
        pressed = {"button": "left", "buttons": 1, "clickCount": 1}
        self.ask("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], **pressed)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """What is in the window, or the whole page."""
        found = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[str]:
    """A Chromium with a profile of its own: the address at which it is told what to do."""
    assert PROGRAM is not None
    arguments = (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
        f"--user-data-dir={folder}", "about:blank",
    )  # fmt: skip
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        said, until = folder / "DevToolsActivePort", time.monotonic() + PATIENCE
        while not (said.exists() and len(said.read_text().split()) == 2):
            assert process.poll() is None, "Chromium has ended"
            assert time.monotonic() < until, "Chromium does not answer"
            time.sleep(0.05)
        yield "ws://127.0.0.1:{}{}".format(*said.read_text().split())
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def new_tab(address: str) -> Iterator[Tab]:
    """A tab with cookies of its own, as in a private window."""
    with _connect(address) as root:

        def ask(method: str, **params: Any) -> Any:
            root.send(json.dumps({"id": 1, "method": method, "params": params}))
            while "id" not in (found := json.loads(root.recv(timeout=PATIENCE))):
                pass
            return found["result"]

        window = ask("Target.createBrowserContext", disposeOnDetach=True)["browserContextId"]
        page = ask("Target.createTarget", url="about:blank", browserContextId=window)["targetId"]
        with _connect(f"{address.split('/devtools')[0]}/devtools/page/{page}") as socket:
            yield Tab(socket)
        ask("Target.disposeBrowserContext", browserContextId=window)
