"""The guide about browsers, followed in Chromium; with packages of npm also its fixtures for Playwright, Vitest, Jest.

``CONFSIM_NODE_MODULES`` names the directory into which these were installed; elsewhere that test is left out.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from confsim import guides
from kit.documented import BLOCK, command, shown
from kit.processes.commands import run_script, serving

from .conftest import CHROMIUM

PAGE, API = "localhost:5173", "localhost:8080"
MODULES = os.environ.get("CONFSIM_NODE_MODULES", "")


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that prints nothing."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def page_host(tmp_path: Path) -> Iterator[str]:
    """The host and port of a server of the files in the directory of the test."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"localhost:{server.server_port}"
        server.shutdown()
        thread.join()


def write_files(directory: Path, page: str, api: str) -> None:
    """Write the files of the guide, for a page and an API at other ports."""
    for _, text in BLOCK.findall(guides.get("browsers").text):
        named = re.match(r"(?:#|//|<!--) (\S+\.\w+)", text)
        if named is not None:
            (directory / named[1]).write_text(text.replace(PAGE, page).replace(API, api))


@pytest.mark.parametrize("allowed", [True, False])
def test_the_first_commands_of_the_guide_show_the_rooms(chromium, tmp_path, page_host, allowed):
    """With the option that the guide gives; without it the journal says what to do, in the words of the guide."""
    options = command("browsers", "confsim/bin/confsim serve")[:2]
    assert options == ["--allow-origin", f"http://{PAGE}"]
    assert len([line for line in shown("browsers") if line.startswith(("python3", "/tmp/confsim"))]) == 5
    with serving(*([options[0], f"http://{page_host}"] if allowed else [])) as server:
        write_files(tmp_path, page_host, server.root.partition("://")[2].replace("127.0.0.1", "localhost"))
        page = chromium.new_page()
        failed = []
        page.on("console", lambda message: failed.append(message.text))
        page.goto(f"http://{page_host}/rooms.html", wait_until="networkidle")
        assert page.locator("li").all_inner_texts() == (["Demo Event Room", "Demo Room"] if allowed else [])
        assert bool([text for text in failed if "CORS" in text]) is not allowed
        page.goto(f"{server.root}/_confsim/inspector/requests/r1")
        (said,) = [line for line in shown("browsers") if line.startswith("No client allows")]
        assert (said.replace(PAGE, page_host) in page.inner_text("body")) is not allowed
        page.close()


if MODULES:

    def test_the_fixtures_of_the_guide_run(tmp_path, page_host, monkeypatch):
        """Playwright's in Chromium, those of Vitest and Jest in Node."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "node_modules").symlink_to(MODULES)
        with serving("--allow-origin", f"http://{page_host}") as server:
            write_files(tmp_path, page_host, server.root.partition("://")[2].replace("127.0.0.1", "localhost"))
            (tmp_path / "package.json").write_text("{}")
            launch = {"executablePath": CHROMIUM, "args": ["--no-sandbox"]}
            (tmp_path / "here.config.mjs").write_text(
                'import config from "./playwright.config.mjs";\n'
                f"export default {{ ...config, use: {{ ...config.use, launchOptions: {launch} }} }};\n"
            )
            lines = [line for line in shown("browsers") if "npx" in line and "install" not in line]
            assert len(lines) == 3
            for line in lines:
                script = line.replace("npx ", "node_modules/.bin/").replace(
                    "test", "test --config here.config.mjs", "playwright" in line
                )
                code, output, errors = run_script(f"export CONFSIM_URL={server.root}\n{script}", tmp_path)
                assert code == 0, f"{line}\n{output[-2000:]}\n{errors[-2000:]}"
