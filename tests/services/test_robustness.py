"""Whatever is sent, no operation breaks."""

from __future__ import annotations

import random
import re

from services.calls.client import Api
from services.conferencing.context import ROUTES

BODIES = [
    "",
    "{",
    "null",
    "[]",
    "{}",
    "5",
    '"\\ud800"',
    '{"handle": "\\ud800", "name": "\\ud800", "url": "\\ud800"}',
    '{"name": 1, "handle": [], "url": {}, "duration": 1e400, "languages": "de", "active": 1}',
    '{"name": "A", "handle": "Abc", "url": "https://a.example", "duration": 99999999999999999999, "label": ""}',
    '{"name": "New", "email": "a@b.example", "description": "x", "imageUrl": "http://[", "originId": "o"}',
    '{"name": "New", "handle": "New", "duration": 60000, "languages": ["de"], "idToken": "a.b.c"}',
    '{"idToken": "e30.e30.AA"}',
    '{"idToken": "..", "description": null}',
    '["Google", "https://a.example", "a.example"]',
    '["", "http://[", "' + "x" * 300 + '"]',
]
QUERIES = [
    "",
    "?limit=3&offset=2&search=a&sort=name&order=desc&imgSize=small",
    "?limit=-1&offset=x&sort=&order=&imgSize=&ttl=&for_client=",
    "?name=%ff%00&url=http://[&query=%20&tags_all=,&tags_any=a&levels=a&categories=,&theme=dark&language=de",
    "?ttl=1d&url=https://a.example/b.png&handle=x&read=public&name=x&from=1&to=2&hasRecording=true&meetingId=1",
    "?for_client=x",
]


def test_nothing_breaks(api: Api) -> None:
    """No random call is answered with status 500."""
    chance = random.Random(0)
    breakout = api.breakout()
    room = api.room(breakout)
    known = {
        "uuid": [api.channel, api.seeded["quietChannel"], api.seeded["otherChannel"], "x", "%00"],
        "clientId": [api.client_id, api.seeded["partnerClient"], api.seeded["siblingClient"], "x"],
        "userId": ["me", *map(str, api.users.values()), "0", "999999999999999999", "٣"],
        "sessionId": [api.seeded["session"], api.seeded["otherSession"]],
        "breakoutSession": [breakout],
        "breakoutRoom": [room],
        "mediaId": [api.seeded["otherMedia"]],
        "id": api.seeded["eventsEndpoints"],
        "state": ["enable", "disable", "open", "close", "mute", "unmute"],
        "level": ["1", "2", "3", "5", "10", "40"],
        "limit": ["5", "999999999999999999"],
    }
    known["channelUuid"] = known["uuid"]
    callers = [
        "partner-admin",
        "customer-admin",
        "owner",
        "operator",
        "user",
        "guest",
        "api-token",
        "other-admin",
        None,
    ]
    for route in chance.sample(ROUTES, len(ROUTES)) * 3:
        if route.name in ("client.service", "terms.new") and chance.random() < 0.8:
            continue
        path = re.sub(r"<(\w+)>", lambda m: str(chance.choice(known.get(m[1], ["x", "1", "%2e"]))), route.path)
        more = {}
        if route.method == "POST":
            more = {"data": chance.choice(BODIES), "content_type": "application/json"}
        if route.name == "staging.clock":
            continue
        answer = api(chance.choice(callers), route.method, path + chance.choice(QUERIES), **more)
        assert answer.status < 500, (route.method, path, more, answer)
