"""Acts of templates and configuration."""

from __future__ import annotations

from kit import ADMIN, CUSTOMER, NOTHING, OTHER_ADMIN, OWNER, PARTNER, PARTNER_ADMIN, ROOM, USER
from kit.exploration.view import fewer, first, newest

from .act import Act, api

_FIRST, _NEWEST = first("templates", client=CUSTOMER), newest("templates", client=CUSTOMER)
_FROM_ABOVE = newest("templates", client=PARTNER)

TEMPLATES: tuple[Act, ...] = (
    api("the admin creates a template", "create_template", ADMIN, when=fewer("templates", 3), body={"name": "Plain"}),
    api("the partner creates a template", "create_template", PARTNER_ADMIN, when=fewer("templates", 3),
        body={"name": "From above"}),
    *(
        api(f"the {who} {verb} the newest template", "set_template_inheritance", token, templateId=found, state=state)
        for who, token, found in (("admin", ADMIN, _NEWEST), ("partner", PARTNER_ADMIN, _FROM_ABOVE))
        for verb, state in (("hands down", "allow"), ("keeps", "disallow"))
    ),
    *(
        api(f"the admin {verb} the {which} template", "set_template_state", ADMIN, templateId=found, state=state)
        for which, found in (("first", _FIRST), ("newest", _NEWEST))
        for verb, state in (("offers", "enable"), ("withdraws", "disable"))
    ),
    api("the owner selects the first template", "select_channel_template", OWNER, uuid=ROOM, templateId=_FIRST),
    api("the owner selects the newest template", "select_channel_template", OWNER, uuid=ROOM, templateId=_NEWEST),
    api("the admin offers the template of the partner", "set_template_state", ADMIN, templateId=_FROM_ABOVE,
        state="enable"),
    api("the owner selects the template of the partner", "select_channel_template", OWNER, uuid=ROOM,
        templateId=_FROM_ABOVE),
    api("the owner selects an unknown template", "select_channel_template", OWNER, uuid=ROOM, templateId=NOTHING),
    api("the user selects the first template", "select_channel_template", USER, uuid=ROOM, templateId=_FIRST),
    api("the owner removes the template of the room", "remove_channel_template", OWNER, uuid=ROOM),
    api("the admin removes the first template", "remove_template", ADMIN, templateId=_FIRST),
    api("the partner removes the newest template", "remove_template", PARTNER_ADMIN, templateId=_FROM_ABOVE),
    api("another admin removes the first template", "remove_template", OTHER_ADMIN, templateId=_FIRST),
    api("the admin renames the newest template", "update_template", ADMIN, templateId=_NEWEST, body={"name": "Better"}),
)  # fmt: skip

DOCUMENTS: tuple[Act, ...] = (
    api("the admin configures the client", "set_config", ADMIN, body={"logo": "one"}),
    api("the admin clears the configuration of the client", "set_config", ADMIN, body={"logo": "null"}),
    api("the admin configures the dark theme in German", "set_config", ADMIN, theme="dark", language="de",
        body={"title": "Hallo"}),
    api("the owner configures the room", "set_channel_config", OWNER, uuid=ROOM, body={"logo": "two"}),
    api("the owner clears the configuration of the room", "set_channel_config", OWNER, uuid=ROOM,
        body={"logo": "null"}),
    api("the admin configures the first template", "set_template_config", ADMIN, templateId=_FIRST,
        body={"logo": "three"}),
    api("the user configures the room", "set_channel_config", USER, uuid=ROOM, body={"logo": "four"}),
    api("the owner reads the configuration of the room", "get_channel_config", OWNER, uuid=ROOM),
)  # fmt: skip

ACTS: tuple[Act, ...] = (*TEMPLATES, *DOCUMENTS)
