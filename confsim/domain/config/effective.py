"""Effective configuration: the merged documents of the service, clients, templates and channels."""

from typing import Any

from msgspec import Struct

from confsim.assumptions import ask, config as assumed
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.kernel import Change

from . import documents, json_documents, templates
from .documents import DOCUMENTS, LIGHT
from .templates import VisibleTemplate


class ConfigQuery(Struct, frozen=True):
    """The part of a configuration that a call requests. ``user_languages`` are the caller's own, best first."""

    theme: str = LIGHT
    language: str | None = None
    context: str | None = None
    categories: list[str] | None = None
    user_languages: tuple[str, ...] = ()


def of_client(change: Change, client: Client, query: ConfigQuery) -> dict[str, Any]:
    """The configuration of the client, over that of the service (G395, G398)."""
    return _select(change, _merge_levels(change, _client_levels(change, client), query), query)


def of_template(change: Change, client: Client, template: VisibleTemplate, query: ConfigQuery) -> dict[str, Any]:
    """The configuration of a template: its own documents, or these merged with the broader levels (G395)."""
    own = [(template.template.client, template.id)]
    if ask(change, assumed.TEMPLATE_READ) == "effective":
        levels = _in_rank_order(change, _client_levels(change, client), own)
        return _select(change, _merge_levels(change, levels, query), query)
    return _select(change, _merge_levels(change, own, query, base={}), query)


def of_channel(change: Change, client: Client, channel: Channel, query: ConfigQuery) -> dict[str, Any]:
    """The effective configuration of a channel: service, client, templates, channel; the later wins (R436-R438).

    That of a breakout room comes after that of its event room (G438).
    """
    broader = _in_rank_order(change, _client_levels(change, client), _templates(change, client, channel))
    own = dict.fromkeys((channels.governing(change, channel).id, channel.id))
    return _select(change, _merge_levels(change, [*broader, *((client.id, id) for id in own)], query), query)


#: The id of the client that stores a document, and its level.
Level = tuple[str, str]


def _client_levels(change: Change, client: Client) -> list[Level]:
    """The levels of clients, the broadest first."""
    if ask(change, assumed.PARENT_LEVEL):
        return [(each.id, each.id) for each in clients.ancestors(change, client)][::-1]
    return [(client.id, client.id)]


def _templates(change: Change, client: Client, channel: Channel) -> list[Level]:
    """The templates that apply to the channel, with the selected one last."""
    found: dict[str, VisibleTemplate] = {}
    if ask(change, assumed.INHERITED_LEVEL) == "enabled":
        found = {each.id: each for each in templates.list_inherited(change, client) if each.enabled}
    used = templates.find_selected(change, client, channel)
    if used is not None:
        found.pop(used.id, None)
        found[used.id] = used
    return [(each.template.client, each.id) for each in found.values()]


def _in_rank_order(change: Change, broad: list[Level], template: list[Level]) -> list[Level]:
    return broad + template if ask(change, assumed.TEMPLATE_RANK) == "over-client" else template + broad


def _merge_levels(
    change: Change, levels: list[Level], query: ConfigQuery, base: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The levels merged in order; in each the theme wins over the light one, the language over none."""
    documents.require_theme(change, query.theme)
    how = ask(change, assumed.MERGE)
    themes = [query.theme]
    if query.theme != LIGHT and ask(change, assumed.THEME_OVER_LIGHT):
        themes.insert(0, LIGHT)
    languages = _languages(change, query)
    result = ask(change, assumed.SERVICE_DEFAULT) if base is None else base
    for client, level in levels:
        rows = DOCUMENTS.of(change, client)
        for theme in themes:
            for language in languages:
                document = rows.get((level, theme, language))
                if document is not None:
                    result = json_documents.merged(result, document.values, how)
    return result


def _languages(change: Change, query: ConfigQuery) -> list[str | None]:
    """The languages that count, the weakest first, after what is stored without one (G401)."""
    how = ask(change, assumed.LANGUAGES)
    wanted = [query.language] if query.language is not None else []
    if how == "user" and not wanted:
        wanted = list(query.user_languages)[::-1]
    default = ask(change, assumed.DEFAULT_LANGUAGE)
    if how == "exact":
        return [None, *(wanted or [default])]
    chain: dict[str | None, None] = {None: None, default: None}
    for language in wanted:
        for each in dict.fromkeys((language.split("-")[0], language)):
            chain.pop(each, None)
            chain[each] = None
    return list(chain)


def _select(change: Change, document: dict[str, Any], query: ConfigQuery) -> dict[str, Any]:
    """The context and the categories asked for, nothing else (G399, G400)."""
    if query.categories is not None:
        how = ask(change, assumed.CATEGORIES)
        if how == "first-level":
            document = _with_keys(document, query.categories)
        elif how == "second-level":
            parts = {key: value for key, value in document.items() if isinstance(value, dict)}
            parts = {key: _with_keys(value, query.categories) for key, value in parts.items()}
            document = {key: value for key, value in parts.items() if value}
    if query.context is not None:
        how = ask(change, assumed.CONTEXT)
        if how == "filter":
            return _with_keys(document, [query.context])
        if how == "inner":
            inner = document.get(query.context)
            return inner if isinstance(inner, dict) else {}
    return document


def _with_keys(document: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key in keys}
