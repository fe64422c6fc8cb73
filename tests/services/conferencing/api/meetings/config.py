"""Configuration documents of clients, channels and templates, and what they come to together."""

from __future__ import annotations

import copy
import re
from typing import Any

from services.conferencing import gates, requests
from services.conferencing.api.meetings.templates import usable
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import Channel, Client, ConfigDocument

Document = dict[str, Any]


def merged(base: Any, over: Any, lists: str) -> Any:
    """The base with what lies over it: objects are merged, everything else is replaced."""
    if isinstance(base, dict) and isinstance(over, dict):
        result = dict(base)
        for key, value in over.items():
            result[key] = merged(base[key], value, lists) if key in base else value
        return result
    if lists == "append" and isinstance(base, list) and isinstance(over, list):
        return base + [item for item in over if item not in base]
    return over


def _language(ctx: Context) -> str:
    word = requests.query(ctx, "language")
    if word is None:
        return ""
    if not re.fullmatch(ctx.style.channels.config_language_form, word):
        raise invalid("language", "language", "bad_query")
    return word.lower()


def _theme(ctx: Context) -> str:
    word, known = requests.query(ctx, "theme") or "light", ctx.style.channels.config_themes
    if known is not None and word not in known:
        raise invalid("theme", "choice", "bad_query")
    return word


def _layers(ctx: Context, scopes: list[str]) -> Document:
    """The documents of the scopes over one another, the general ones of each first."""
    language, theme, lists = _language(ctx), _theme(ctx), ctx.style.channels.config_lists
    if ctx.bug("theme-ignored"):
        theme = "light"
    keys = dict.fromkeys([("", "light"), ("", theme), (language, "light"), (language, theme)])
    result = copy.deepcopy(dict(ctx.style.channels.config_default))
    for scope in scopes:
        for tongue, look in keys:
            item = ctx.db.configs.get(f"{scope}|{tongue}|{look}")
            if item is not None:
                result = merged(result, item.document, lists)
    return result


def _part(ctx: Context, document: Document) -> Document:
    """The categories asked for."""
    rules = ctx.style.channels
    context, categories = requests.query(ctx, "context"), requests.query(ctx, "categories")
    if context is not None:
        if context in rules.config_contexts:
            document = {k: v for k, v in document.items() if k in rules.config_contexts[context]}
        elif rules.config_bad_context == "fail":
            raise invalid("context", "choice", "bad_query")
    if categories is not None and not ctx.bug("categories-ignored"):
        wanted = [word.strip() for word in categories.split(",")]
        if rules.config_bad_category == "fail" and any(word not in document for word in wanted):
            raise invalid("categories", "choice", "bad_query")
        document = {k: v for k, v in document.items() if k in wanted}
    return document


def _cleaned(value: Any) -> Any:
    """The document without its nulls, which delete."""
    if isinstance(value, dict):
        return {key: _cleaned(part) for key, part in value.items() if part is not None}
    return value


def _store(ctx: Context, scope: str) -> None:
    given, rules = requests.raw_json(ctx), ctx.style.channels
    if not isinstance(given, dict):
        raise Failure("not_object")
    language, theme = _language(ctx), _theme(ctx)
    if rules.config_texts in given and not language and rules.texts_need_language:
        raise invalid("language", "required", "bad_query")
    key = f"{scope}|{language}|{theme}"
    before = ctx.db.configs.get(key)
    document = given
    if before is not None and rules.config_write == "merge" and not ctx.bug("config-write-replaces"):
        document = merged(before.document, given, rules.config_lists)
    if rules.config_null == "deletes":
        document = _cleaned(document)
    ctx.db.configs.put(ConfigDocument(key, scope, language, theme, document))


def _client_scopes(ctx: Context, client: Client) -> list[str]:
    """The clients whose configuration counts, the broadest first."""
    chain, above = [f"client:{client.id}"], client
    while ctx.style.channels.inheritance == "client-chain" and above.parent_id:
        parent = ctx.db.clients.get(above.parent_id)
        if parent is None:
            break
        chain.insert(0, f"client:{parent.id}")
        above = parent
    return chain


def _channel_scopes(ctx: Context, channel: Channel) -> list[str]:
    scopes = _client_scopes(ctx, ctx.client)
    own = [f"channel:{channel.id}"]
    if channel.template_id is not None:
        template = ctx.db.templates.get(channel.template_id)
        if template is not None and template.enabled:
            own.insert(0, f"template:{template.id}")
    return [*own, *scopes] if ctx.bug("client-config-wins") else [*scopes, *own]


QUERY = "context categories language theme"


@route("GET", "/config", "config.client", query=QUERY)
def of_client(ctx: Context) -> Any:
    """The configuration of the caller's client."""
    gates.ask(ctx, "config.client")
    return _part(ctx, _layers(ctx, _client_scopes(ctx, ctx.client)))


@route("POST", "/config", "config.client.set", query="language theme", kind="do")
def set_of_client(ctx: Context) -> None:
    """Store configuration of the caller's client."""
    gates.ask(ctx, "config.client.set")
    _store(ctx, f"client:{ctx.client.id}")


@route("GET", "/channels/<uuid>/config", "config.channel", query=QUERY)
def of_channel(ctx: Context) -> Any:
    """The effective configuration of a channel."""
    channel = gates.channel(ctx, "config.channel")
    if not ctx.bug("channel-config-cached"):
        return _part(ctx, _layers(ctx, _channel_scopes(ctx, channel)))
    key = ("config", channel.id, _language(ctx), _theme(ctx))
    if key not in ctx.service.cache:
        ctx.service.cache[key] = _layers(ctx, _channel_scopes(ctx, channel))
    return _part(ctx, ctx.service.cache[key])


@route("POST", "/channels/<uuid>/config", "config.channel.set", query="language theme", kind="do")
def set_of_channel(ctx: Context) -> None:
    """Store configuration of a channel."""
    asked = "config.channel" if ctx.bug("config-written-by-reader") else "config.channel.set"
    channel = gates.channel(ctx, asked)
    _store(ctx, f"channel:{channel.id}")
    for key in [k for k in ctx.service.cache if k[:2] == ("config", channel.id)]:
        del ctx.service.cache[key]


@route("GET", "/templates/<templateId>/config", "config.template", query=QUERY)
def of_template(ctx: Context) -> Any:
    """The configuration of a template."""
    gates.ask(ctx, "config.template")
    return _part(ctx, _layers(ctx, [f"template:{usable(ctx).id}"]))


@route("POST", "/templates/<templateId>/config", "config.template.set", query="language theme", kind="do")
def set_of_template(ctx: Context) -> None:
    """Store configuration of a template of the own client."""
    gates.ask(ctx, "config.template.set")
    template = usable(ctx)
    if template.client_id != ctx.client.id and not ctx.bug("inherited-template-written"):
        raise Failure("template_inherited", "template")
    _store(ctx, f"template:{template.id}")
