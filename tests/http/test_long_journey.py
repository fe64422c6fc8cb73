"""One long journey against the live server, by httpx alone: the life of a tenant from its first day to its last.

Its actors send every call through URLs; what happens outside the API (people coming and going, phones, the
clock, the mail box) is done by the control plane. Each chapter leaves things behind that later ones depend on.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any
from urllib.parse import quote

import httpx
import jwt
import pytest

from confsim import Simulator
from kit import PARTNER_ADMIN, START, START_MS
from kit.wire import web

CUSTOMER_ADMIN = 10
SECRET = "a secret of the identity provider, 32 bytes"
LINE, PHONE = "+4930901820", "+12025550147"


class Story:
    """Who and what the story is about, and how its actors speak to the server."""

    def __init__(self, root: str, http: httpx.Client) -> None:
        self.root = root
        self.http = http
        self.tokens: dict[str, str] = {"partner": PARTNER_ADMIN}
        self.ids: dict[str, int] = {}
        self.client = self.channel = self.session = self.recording = ""
        self.links: list[str] = []

    def call(self, who: str | None, method: str, path: str, body: Any = None, status: int = 200, **query: Any) -> Any:
        """What the API answers; ``{}`` in the path is the channel."""
        path = "/v1_0" + path.replace("{}", self.channel)
        headers = {} if who is None else {"Authorization": f"Bearer {self.tokens[who]}"}
        sent = {"content": body} if isinstance(body, bytes) else {} if body is None else {"json": body}
        answer = self.http.request(method, path, headers=headers, params=query or None, **sent)
        assert answer.status_code == status, (who, method, path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def control(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        """The answer of a call of the control plane."""
        sent = {"json": body} if method == "POST" else {"params": body}
        answer = self.http.request(method, f"/_confsim{path}", **sent)
        assert answer.status_code == status, (method, path, answer.status_code, answer.text)
        return answer.json()

    def wait(self, by: str | int) -> list[str]:
        """Let time go by; answers what happened."""
        return [each["what"] for each in self.control("POST", "/clock/advance", by=by)["fired"]]

    def joins(self, who: str, state: str = "in") -> str | None:
        """Let somebody join the channel, as a real client would with its token; answers the session."""
        joined = self.control("POST", "/presence/join", channel=self.channel, token=self.tokens[who])
        assert joined["state"] == state
        session: str | None = joined.get("session")
        return session

    def present(self) -> dict[int, str]:
        """Who is in the channel or in front of it, and where: in, waiting, or the id of a breakout room."""
        found = self.control("GET", "/presence", channel=self.channel)
        return {each["userId"]: each.get("room") or each["state"] for each in found}

    def fetch(self, url: str, status: int = 200) -> bytes:
        """The bytes behind an address, without any token."""
        answer = self.http.get(url)
        assert answer.status_code == status, (url, answer.status_code)
        return answer.content


def the_tenant(story: Story) -> None:
    """The partner makes a client, whose administrator comes from outside, makes an API token and new terms."""
    story.client = story.call("partner", "POST", "/clients/create", {"name": "Harbour Ltd"})["id"]
    made = story.control(
        "POST", "/users", clientId=story.client, handle="Ada Admin", levels=[CUSTOMER_ADMIN], email="ada@h.example"
    )
    story.tokens["admin"], story.ids["admin"] = made["token"], made["id"]
    assert [each["name"] for each in story.call("partner", "GET", "/clients", query="harb")["results"]] == [
        "Harbour Ltd"
    ]
    server = story.call("admin", "POST", "/api_tokens", {"label": "server"})
    story.tokens["server"] = server["token"]
    assert story.call("admin", "GET", f"/clients/{story.client}")["name"] == "Harbour Ltd"
    story.call("admin", "POST", "/terms/new", {"url": "https://h.example/terms"})
    story.call("admin", "GET", "/channels", status=401)
    version = story.call(None, "GET", f"/clients/{story.client}/terms")["version"]
    story.call("admin", "POST", f"/users/me/terms/{version}")
    assert story.call("admin", "GET", "/channels")["results"] == []


def the_people(story: Story) -> None:
    """Employees come in by the client's own identity provider, accept the terms and verify their addresses."""
    story.control(
        "POST", "/validators", clientId=story.client, validatorId="idp", algorithm="HS256", key=SECRET, active=True
    )
    for who, name in [("owner", "Olga Owner"), ("host", "Henry Host"), ("user", "Uwe User")]:
        claims = {"sub": f"staff-{who}", "name": name, "iat": START_MS // 1000, "exp": START_MS // 1000 + 3600}
        forged = {"idToken": jwt.encode(claims, SECRET[::-1])}
        story.call(None, "POST", f"/clients/{story.client}/users/exchange", forged, status=401)
        login = {"idToken": jwt.encode(claims, SECRET)}
        story.tokens[who] = story.call(None, "POST", f"/clients/{story.client}/users/exchange", login)["token"]
        terms = story.call(who, "GET", "/users/me/terms")
        story.call(who, "POST", f"/users/me/terms/{terms['currentVersion']}")
        me = story.call(who, "GET", "/users/me")
        assert (me["handle"], me["clientId"], me["unregistered"]) == (name, story.client, False)
        story.ids[who] = me["id"]
    story.call("owner", "POST", "/users/me/email", {"email": "olga@h.example"})
    mail = story.control("GET", "/mail", to="olga@h.example")[-1]
    story.call("owner", "POST", f"/users/me/email/verify/{mail['code']}")
    assert story.call("owner", "GET", "/users/me/email")["email"] == "olga@h.example"


def the_channel(story: Story) -> None:
    """The owner makes a channel, describes it, shares it with a host and opens it for guests behind a closed door."""
    story.channel = story.call("owner", "POST", "/channels/create", {"name": "Harbour Office"})["channelUuid"]
    story.call("owner", "POST", "/channels/{}/description", {"description": "x" * 201}, status=400)
    story.call("owner", "POST", "/channels/{}/description", {"description": "Quay 7"})
    story.call("host", "POST", "/channels/{}/operators/" + str(story.ids["host"]), status=403)
    story.call("owner", "POST", "/channels/{}/operators/" + str(story.ids["host"]))
    story.call("owner", "POST", "/channels/{}/settings/guest/access/enable")
    story.call("owner", "POST", "/channels/{}/friendly/url", {"url": "harbour"})
    story.call("host", "POST", "/channels/{}/settings/lobby/door/close")
    story.call("host", "POST", "/channels/{}/settings/lobby/door/auto-close/enable")
    reported = story.call("host", "GET", "/channels/{}")
    assert (reported["description"], reported["isOperator"], reported["isOwner"], reported["isOpen"]) == (
        "Quay 7",
        True,
        False,
        False,
    )
    assert story.call("server", "GET", "/channels", meetingId=reported["meetingId"]) == {"uuid": story.channel}
    assert story.call(None, "GET", f"/clients/{story.client}/find/channel", url="harbour")["uuid"] == story.channel
    upload = story.call("owner", "POST", "/channels/{}/media", b"\x89PNG plan", name="plan.png", read="public")
    assert story.call("host", "GET", "/channels/{}/media/" + upload["id"])["size"] == 9
    story.links.append(story.call("owner", "GET", f"/channels/{{}}/media/{upload['id']}/link")["url"])
    assert story.fetch(story.links[0]) == b"\x89PNG plan"


def the_lobby(story: Story) -> None:
    """Who is no host waits at the closed door; a host admits, opens the door, and mutes the attendees."""
    guest = story.call(None, "POST", f"/clients/{story.client}/users/guest/{story.channel}", {"handle": "Gus Guest"})
    story.tokens["guest"] = guest["token"]
    story.ids["guest"] = story.call("guest", "GET", "/users/me")["id"]
    assert story.joins("guest", "waiting") is None
    assert story.call("host", "GET", f"/channels/populations/{story.channel},nonsense").get(story.channel, 0) == 0
    story.session = story.joins("owner") or ""
    assert story.call("owner", "GET", f"/sessions/{story.session}")["participantsCount"] == 1
    assert story.control("POST", "/presence/admit", channel=story.channel, userId=story.ids["guest"])["state"] == "in"
    story.joins("user", "waiting")
    story.call("guest", "POST", "/channels/{}/settings/lobby/door/open", status=403)
    story.call("host", "POST", "/channels/{}/settings/lobby/door/open")
    assert set(story.present().values()) == {"in"}
    story.call("host", "POST", "/channels/{}/settings/attendees/mute")
    muted = {each["userId"]: each["muted"] for each in story.control("GET", "/presence", channel=story.channel)}
    assert muted == {story.ids["guest"]: True, story.ids["owner"]: False, story.ids["user"]: True}
    assert story.call("host", "GET", f"/channels/populations/{story.channel}") == {story.channel: 3}
    story.call("owner", "POST", "/channels/{}/settings/presenters/limit/1")
    story.control("POST", "/presence/presenter", channel=story.channel, userId=story.ids["user"])
    story.control("POST", "/presence/presenter", 409, channel=story.channel, userId=story.ids["guest"])


def the_recording_begins(story: Story) -> None:
    """A host starts it; nobody starts a second one, and it has no end and no assets yet."""
    assert story.call("user", "GET", "/channels/{}/record/possible") == {"possible": True}
    story.call("user", "POST", "/channels/{}/record", status=403)
    story.call("host", "POST", "/channels/{}/record")
    story.call("server", "POST", "/channels/{}/record", status=409)
    (found,) = story.call("host", "GET", "/channels/{}/recordings")["results"]
    assert found == {"id": found["id"], "channel": story.channel, "session": story.session, "startTime": START_MS}
    story.recording = f"/channels/{{}}/recordings/{found['id']}"
    assert story.call("host", "GET", f"{story.recording}/assets") == []
    assert story.call("owner", "GET", f"/sessions/{story.session}")["hadRecording"] is True


def the_phones_go_out(story: Story) -> None:
    """Once an administrator allows it: a price, then a new and a registered user at the phone, who hang up."""
    call = {"number": "1-800-FLOWERS,12#", "name": "Flora"}
    story.call("host", "POST", "/channels/{}/dial/unregistered", call, status=403)
    story.call("owner", "POST", "/channels/{}/settings/dial/out/enable", status=403)
    story.call("admin", "POST", "/channels/{}/settings/dial/out/enable")
    reported = story.call("host", "GET", "/channels/{}/dial/quote/" + quote(f"{PHONE},1#", safe=""))
    assert (reported["number"], reported["currency"], reported["country"]) == (PHONE, "USD", "US")
    flora = story.call("host", "POST", "/channels/{}/dial/unregistered", call)["id"]
    story.call("host", "POST", "/channels/{}/dial/registered", {"number": PHONE, "sipUserId": story.ids["admin"]})
    story.wait("1s")
    heard = {each["userId"]: "".join(tone["tone"] for tone in each["tones"]) for each in story.control("GET", "/calls")}
    assert heard == {flora: "", story.ids["admin"]: ""}
    story.wait("1s")
    assert "".join(tone["tone"] for tone in story.control("GET", "/calls")[-1]["tones"]) == "12#"
    story.call("host", "POST", f"/channels/{{}}/users/{flora}/rename", {"handle": "Flora Fleur"})
    newest = story.call("host", "GET", "/channels/{}/participants", limit=2)
    assert (newest["total"], newest["results"][1]) == (5, {"id": flora, "handle": "Flora Fleur"})
    for gone in (flora, story.ids["admin"]):
        assert story.control("POST", "/calls/hangup", userId=gone) == {"state": "ended"}
    assert set(story.present()) == {story.ids[who] for who in ("owner", "guest", "user")}


def the_phones_come_in(story: Story) -> None:
    """By a number of the client's and the code of the channel, as long as dial-in is on and with the right PIN."""
    story.control("POST", "/numbers", clientId=story.client, number=LINE, isDefault=True)
    assert story.call("user", "GET", "/numbers/inbound") == [{"number": LINE, "code": "DE", "isDefault": True}]
    assigned = story.call("owner", "POST", f"/channels/{{}}/dial/numbers/{LINE[1:]}")
    assert assigned["phone"] == {"number": LINE, "code": "DE"}
    keyed: dict[str, Any] = {"number": LINE, "code": assigned["code"], "caller": PHONE}
    assert story.control("POST", "/calls/dial-in", 409, **keyed)["reason"] == "dial_in_off"
    story.call("admin", "POST", "/channels/{}/settings/dial/in/enable")
    story.call("host", "POST", "/channels/{}/dial/pins", {"pin": "0042"})
    story.call("user", "GET", "/channels/{}/dial/pins", status=403)
    assert story.control("POST", "/calls/dial-in", 409, **keyed)["reason"] == "pin_wrong"
    caller = story.control("POST", "/calls/dial-in", **keyed, pin="0042")
    assert (caller["state"], story.call("server", "GET", f"/users/{caller['userId']}")["handle"]) == ("in", PHONE)
    story.ids["caller"] = caller["userId"]


def the_breakout(story: Story) -> None:
    """A breakout session of ten minutes with two rooms, one of them for a linked user; the clock brings all back."""
    sessions = "/channels/{}/breakout/sessions"
    story.call("owner", "POST", sessions, {"duration": 600_000}, status=403)
    story.call("owner", "POST", "/channels/{}/settings/event/room/enable")
    linked = story.call("host", "POST", "/channels/{}/linked/users/new", {"handle": "Lin Linked"})["id"]
    invited = {"idToken": story.call("host", "GET", f"/users/{linked}/invitation")["code"]}
    story.tokens["linked"] = story.call(None, "POST", f"/clients/{story.client}/users/exchange", invited)["token"]
    story.joins("linked")
    breakout = f"{sessions}/{story.call('host', 'POST', sessions, {'name': 'Groups', 'duration': 600_000})['id']}"
    rooms = [story.call("host", "POST", f"{breakout}/rooms", {"name": name})["id"] for name in ("North", "South")]
    story.call("user", "GET", "/channels/{}/breakout/session", status=204)
    routed = {story.ids["user"]: rooms[0], linked: rooms[1]}
    for user, room in routed.items():
        story.call("host", "POST", f"{breakout}/rooms/{room}/participants/{user}")
    story.call("host", "POST", "/channels/{}/breakout/session/start")
    assert {user: where for user, where in story.present().items() if where != "in"} == routed
    view = story.call("user", "GET", "/channels/{}/breakout/session")
    assert (view["isActive"], view["breakoutRoom"]["name"]) == (True, "North")
    late = f"{breakout}/rooms/{rooms[0]}/participants/{story.ids['guest']}"
    story.call("host", "POST", late, status=409)
    assert story.wait(599_999) == []
    assert story.wait(1) == ["breakout end"]
    assert set(story.present().values()) == {"in"}
    (done,) = story.call("host", "GET", sessions, sessionId=story.session)
    assert (done["name"], done["isActive"], done["isCompleted"]) == ("Groups", False, True)


def the_broadcast(story: Story) -> None:
    """It goes out once an enabled destination is there and its start-up is over, and is history when it ends."""
    assert story.call("owner", "GET", "/channels/{}/broadcast/destinations") == []
    story.call("host", "POST", "/channels/{}/broadcast/start", status=403)
    story.call("admin", "POST", "/channels/{}/settings/broadcast/enable")
    story.call("host", "POST", "/channels/{}/broadcast/start", status=409)
    target = {"destination": "rtmp://live.example/app/key", "label": "Live", "enabled": True}
    story.call("host", "POST", "/channels/{}/broadcast/destinations", target, status=403)
    story.call("owner", "POST", "/channels/{}/broadcast/destinations", target)
    story.call("host", "POST", "/channels/{}/broadcast/start")
    assert story.call("host", "GET", "/channels/{}/broadcast") == {"state": "starting"}
    assert story.wait("4m") == ["broadcast start"]
    assert story.call("host", "GET", "/channels/{}/broadcast") == {"state": "running"}
    running = story.call("host", "GET", "/channels/{}/broadcast/metrics")
    assert (running["channelId"], running["sessions"], "ended" in running) == (story.channel, [story.session], False)
    story.call("host", "POST", "/channels/{}/broadcast/stop")
    history = story.call("host", "GET", "/channels/{}/broadcast/history", session=story.session)
    assert (history["total"], history["rows"][0]["id"]) == (1, running["id"])


def the_recording_ends(story: Story) -> None:
    """With its session; it is processed by the clock, and then the owner with the verified address has mail."""
    story.call("user", "DELETE", f"/channels/{{}}/session/{story.session}", status=403)
    story.call("host", "DELETE", f"/channels/{{}}/session/{story.session}")
    assert story.present() == {}
    ended = story.call("owner", "GET", f"/sessions/{story.session}")["ended"]
    reported = story.call("host", "GET", story.recording)
    assert (reported["endTime"], "readyTime" in reported) == (ended, False)
    story.call("owner", "GET", f"{story.recording}/download", status=409)
    assert {each["state"] for each in story.call("host", "GET", f"{story.recording}/assets")} == {"Pending"}
    assert story.wait("2s") == ["recording processing"]
    assert story.call("host", "GET", story.recording)["readyTime"] == ended + 2000
    assert {call["state"] for call in story.control("GET", "/calls")} == {"ended"}
    assert [each["to"] for each in story.control("GET", "/mail", kind="recording")] == ["olga@h.example"]
    assert story.call("host", "GET", "/channels/{}")["isOpen"] is False


def the_files(story: Story) -> None:
    """The same bytes by the mailed link, the download URL and the token, each as long as it lives."""
    mailed = story.control("GET", "/mail", kind="recording")[-1]["link"]
    assert mailed.startswith(f"{story.root}/files/")
    story.call("host", "GET", f"{story.recording}/download", status=403)
    url = story.call("owner", "GET", f"{story.recording}/download", ttl="1m")["url"]
    archive = story.call("owner", "GET", f"{story.recording}/download", kind="archive")["url"]
    video = story.fetch(url)
    assert (video[4:8], story.fetch(mailed)) == (b"ftyp", video)
    with zipfile.ZipFile(io.BytesIO(story.fetch(archive))) as opened:
        assert (opened.testzip(), opened.read("combined.mp4")) == (None, video)
    token = story.call("host", "GET", f"{story.recording}/credentials")["jwt"]
    items = story.call(None, "GET", f"/channels/recording/assets/{token}")
    bytes_of = {
        item["kind"]: story.fetch(f"{story.root}/v1_0/channels/recording/assets/{token}/{item['id']}") for item in items
    }
    assert {item["kind"]: item["size"] for item in items} == {kind: len(data) for kind, data in bytes_of.items()}
    assert bytes_of["combined_video"] == video
    assert [each["id"] for each in story.call("owner", "GET", f"/sessions/{story.session}/recordings")] == [
        item["id"] for item in items
    ]
    story.wait("60s")
    story.fetch(url, 403)
    story.wait("4m")
    story.fetch(archive, 403)
    story.call(None, "GET", f"/channels/recording/assets/{token}", status=401)
    story.links.append(mailed)


def the_history(story: Story) -> None:
    """It lists who took part; a second session is another one, and ends with the last who leaves."""
    people = story.call("host", "GET", f"/sessions/{story.session}/participants")
    assert {each["handle"] for each in people} >= {"Olga Owner", "Gus Guest", "Uwe User", "Flora Fleur", PHONE}
    second = story.joins("owner")
    assert second not in (None, story.session)
    found = story.call("owner", "GET", "/sessions", channel=story.channel, hasRecording="true")
    assert (found["total"], found["results"][0]["id"]) == (1, story.session)
    story.control("POST", "/presence/leave", channel=story.channel, userId=story.ids["owner"])
    found = story.call("owner", "GET", "/sessions", channel=story.channel)["results"]
    assert [(each["id"], "ended" in each) for each in found] == [(second, True), (story.session, True)]
    rooms = [each for each in story.call("owner", "GET", "/sessions")["results"] if each["channel"] != story.channel]
    assert {each["parentId"] for each in rooms} == {story.session}


def the_end(story: Story) -> None:
    """Deleting the channel takes everything along that hangs on it; a disabled client does nothing any more."""
    story.call("host", "DELETE", "/channels/{}", status=403)
    story.call("owner", "DELETE", "/channels/{}")
    for path in ("/channels/{}", story.recording, "/channels/{}/dial/pins", f"/sessions/{story.session}"):
        story.call("server", "GET", path, status=404)
    for link in story.links:
        story.fetch(link, 404)
    story.call(None, "GET", f"/clients/{story.client}/find/channel", status=404, url="harbour")
    story.call("linked", "GET", "/users/me", status=401)
    again = story.call("owner", "POST", "/channels/create", {"name": "Harbour Office"})["channelUuid"]
    story.channel = again
    story.call("owner", "POST", "/channels/{}/friendly/url", {"url": "harbour"})
    assigned = story.call("owner", "POST", f"/channels/{{}}/dial/numbers/{LINE}/exclusive")
    assert assigned == {"phone": {"number": LINE, "code": "DE"}}
    story.call("admin", "POST", f"/numbers/inbound/{LINE}/disable")
    assert story.call("owner", "GET", "/channels/{}/dial/numbers") == {"total": 0, "results": []}
    story.call("partner", "POST", f"/clients/{story.client}/service/disable")
    refused = story.call("owner", "POST", "/channels/create", {"name": "Another"}, status=403)
    assert refused["code"] == "service_disabled"


CHAPTERS = (
    the_tenant,
    the_people,
    the_channel,
    the_lobby,
    the_recording_begins,
    the_phones_go_out,
    the_phones_come_in,
    the_breakout,
    the_broadcast,
    the_recording_ends,
    the_files,
    the_history,
    the_end,
)


@pytest.mark.rule("R249", "R363", "R551", "R557")
def test_the_life_of_a_tenant():
    """Tenant, people, channel, lobby, recording, phones, breakout, broadcast, files, history, end."""
    sim = Simulator(clock=START, profile={"duration.broadcast-start": "time(240)"})
    with sim.serve() as server, web.client(base_url=server.root) as http:
        story = Story(server.root, http)
        for chapter in CHAPTERS:
            chapter(story)
        assert story.control("GET", "/health")["status"] == "ok"
        assert story.control("GET", "/requests/unmatched") == []
