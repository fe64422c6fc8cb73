"""Calls into an application in this process, as one of its seeded accounts."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

from werkzeug.test import Client

from services import conferencing


class Answer:
    """A status and a body."""

    def __init__(self, response: Any) -> None:
        self.status = response.status_code
        self.raw = response.get_data(as_text=True)
        self.headers = response.headers

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def items(self) -> Any:
        """The elements of a paged or bare list."""
        return self.json["results"] if isinstance(self.json, dict) else self.json

    def __repr__(self) -> str:
        return f"{self.status} {self.raw[:300]}"


class Api:
    """An application with its tokens."""

    def __init__(self, style: str, *bugs: str, seed: int = 0) -> None:
        self.app = conferencing.create_app(style, bugs, seed)
        self.style = conferencing.STYLES[style]
        self.seeded = self.app.seeded
        self.users = self.seeded["users"]
        self.client_id = self.app.client
        self.channel = self.seeded["channel"]
        self.web = Client(self.app)
        self.called: set[str] = set()

    def headers(self, who: str | None) -> dict[str, str]:
        if who is None:
            return {}
        auth = self.style.auth
        if who.startswith("api:") or who == "api-token":
            return {auth.api_header: auth.api_scheme + self.app.tokens.get(who, who.removeprefix("api:"))}
        return {auth.user_header: auth.user_scheme + self.app.tokens.get(who, who)}

    def __call__(self, who: str | None, method: str, path: str, body: Any = ..., **more: Any) -> Answer:
        """Call as a seeded account, or with a token itself (an API token after "api:")."""
        kwargs: dict[str, Any] = {"headers": self.headers(who) | more.pop("headers", {})}
        if body is not ...:
            kwargs |= {"data": json.dumps(body), "content_type": "application/json"}
        response = self.web.open(self.style.base_path + path, method=method, **kwargs, **more)
        if response.status_code < 300:
            route, _ = self.app._adapter.match(self.style.base_path + path.split("?")[0], method=method)
            self.called.add(route.name)
        return Answer(response)

    def ok(self, who: str | None, method: str, path: str, body: Any = ..., **more: Any) -> Answer:
        answer = self(who, method, path, body, **more)
        assert answer.status < 300, f"{method} {path}: {answer}"
        return answer

    def fails(self, kind: str, who: str | None, method: str, path: str, body: Any = ..., **more: Any) -> Answer:
        answer = self(who, method, path, body, **more)
        told = self.style.errors.kinds[kind]
        assert answer.status == told.status, f"{method} {path}: {answer} instead of {kind}"
        assert str(told.code) in answer.raw, f"{method} {path}: {answer} instead of {kind}"
        return answer

    def advance(self, seconds: int) -> None:
        self.ok(None, "POST", "/staging/clock", {"advanceSeconds": seconds})

    def present(self, user: int, there: bool = True, channel: str | None = None) -> None:
        self.ok(
            None, "POST", "/staging/presence", {"channel": channel or self.channel, "userId": user, "present": there}
        )

    def jwt(self, secret: str = "secret-1", **claims: Any) -> str:
        now = self.app.service.clock.now() // 1000

        def part(value: Any) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        text = part({"alg": "HS256", "typ": "JWT"}) + "." + part({"exp": now + 3600, **claims})
        signature = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
        return text + "." + base64.urlsafe_b64encode(signature).decode().rstrip("=")

    def guest(self, handle: str = "Visitor", channel: str | None = None, client: str | None = None) -> tuple[int, str]:
        """A new guest: the number and the token."""
        path = f"/clients/{client or self.client_id}/users/guest/{channel or self.channel}"
        token = self.ok(None, "POST", path, {"handle": handle}).json["token"]
        if self.style.auth.terms_apply_to_guests == "always":
            self.ok(token, "POST", "/users/me/terms/1")
        return self.ok(token, "GET", "/users/me").json["id"], token

    def breakout(self, **fields: Any) -> str:
        """A new breakout session of the seeded channel, which is made an event room."""
        self.ok("owner", "POST", f"/channels/{self.channel}/settings/event/room/enable")
        return str(self.ok("owner", "POST", f"/channels/{self.channel}/breakout/sessions", fields).json["id"])

    def room(self, breakout: str, **fields: Any) -> str:
        path = f"/channels/{self.channel}/breakout/sessions/{breakout}/rooms"
        return str(self.ok("owner", "POST", path, fields).json["id"])


def either(answer: Answer, ok: bool, api: Api, kind: str) -> None:
    """The answer is a success, or else the failure of this kind."""
    assert answer.status == (200 if ok else api.style.errors.kinds[kind].status), answer


def done(answer: Answer, ok: bool, api: Api, kind: str) -> None:
    """The answer is a success without a body of its own, or else the failure of this kind."""
    told = api.style.errors.kinds[kind]
    if ok:
        assert answer.status in (api.style.replies.done, api.style.replies.deleted), answer
    else:
        assert answer.status == told.status, answer
        assert str(told.code) in answer.raw, answer
