"""The way in over HTTP."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from confsim.kernel.refusal import Misuse

from .exchange import Got, Sent


class Http:
    """Any server of the API by the address of its mount: a confsim server, or the real thing."""

    def __init__(self, root: str, timeout: float = 30) -> None:
        self.root = root.rstrip("/")
        parts = urlsplit(self.root)
        kinds = {"http": HTTPConnection, "https": HTTPSConnection}
        if parts.scheme not in kinds or not parts.netloc:
            raise Misuse(f"{root!r} is no address such as http://127.0.0.1:8080")
        self._connection = kinds[parts.scheme](parts.netloc, timeout=timeout)
        self._base = parts.path

    def send(self, sent: Sent) -> Got:
        """One request, one answer. Misuse when the server cannot be reached."""
        return self.request(sent.method, sent.target, sent.query, sent.headers, sent.body)

    def request(self, method: str, target: str, query: str, headers: dict[str, str], body: bytes) -> Got:
        """One request to a path below the mount. Misuse when the server cannot be reached."""
        url = self._base + target + (f"?{query}" if query else "")
        connection = self._connection
        try:
            connection.request(method, url, body or None, headers)
            response = connection.getresponse()
            lines = {name.lower(): value for name, value in response.getheaders()}
            return Got(response.status, lines, response.read())
        except (OSError, HTTPException) as error:
            connection.close()
            raise Misuse(f"{self.root} cannot be reached: {error or type(error).__name__}") from None

    def wait(self, seconds: float) -> None:
        """Move the clock of a confsim server on; wait as long for any other."""
        body = json.dumps({"by": int(seconds * 1000)}).encode()
        headers = {"content-type": "application/json"}
        if self.request("POST", "/_confsim/clock/advance", "", headers, body).status != 200:
            time.sleep(seconds)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
