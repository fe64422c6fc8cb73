"""The people of the demo world, and what they do in a channel."""

from __future__ import annotations

from kit.exploration.view import Finder, View, word

from .act import Act, control

#: The numbers of the users of the demo customer by what acts call them.
NUMBERS = {"admin": 1001, "owner": 1002, "operator": 1003, "user": 1004, "guest": 1005}
#: The ids of access levels.
ADMIN_LEVEL, PARTNER_LEVEL = 10, 20
#: An id and a number that nothing has.
UNKNOWN, NOBODY = "99999999-9999-4999-8999-999999999999", 99_999


def exists(user: int) -> Finder:
    """Return the finder of whether a user exists."""
    return lambda view: user in view.users


def present(channel: str, user: int, *states: str) -> Finder:
    """Return the finder of whether a user is in a channel, in one of these states if any are given."""

    def find(view: View) -> bool:
        return any(
            each.channel == channel and each.user == user and (not states or word(each.state) in states)
            for each in view["presences"]
        )

    return find


def comes(who: str, channel: str, where: str) -> Act:
    """Return the act of joining a channel, for somebody who is not inside."""
    user = NUMBERS[who]
    inside = present(channel, user, "in", "in room")
    return control(
        f"the {who} joins {where}",
        "join_channel",
        when=lambda view: exists(user)(view) and channel in view.channels and not inside(view),
        channel=channel,
        userId=user,
    )


def goes(who: str, channel: str, where: str) -> Act:
    """Return the act of leaving a channel or its lobby, for somebody who is there."""
    user = NUMBERS[who]
    return control(
        f"the {who} leaves {where}",
        "leave_channel",
        when=lambda view: channel in view.channels and present(channel, user)(view),
        channel=channel,
        userId=user,
    )


def admitted(who: str, channel: str, where: str) -> Act:
    """Return the act of admitting somebody who waits in the lobby."""
    user = NUMBERS[who]
    waits = present(channel, user, "waiting")
    return control(f"a host admits the {who} to {where}", "admit_to_channel", when=waits, channel=channel, userId=user)
