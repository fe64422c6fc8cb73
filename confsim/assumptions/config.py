"""Configuration documents, the effective configuration of a channel, and templates."""

from __future__ import annotations

from typing import Any

from .register import Assumption, assumption, text, texts

_READS = "get_config get_channel_config get_template_config"
_WRITES = "set_config set_channel_config set_template_config"
#: The texts key under which every string counts as a text.
EVERY_STRING = "*"

# config.*
STRUCTURE = assumption(
    "config.structure",
    "G391 G392 G416",
    "Shape of a configuration document: any JSON object, or one of contexts that hold categories. It changes no legacy "
    "setting.",
    "object",
    ("contexts",),
    _WRITES,
)
MERGE = assumption(
    "config.merge",
    "G393",
    "How a level is laid over a broader one: objects by key at every depth with the rest replaced, by the keys of the "
    "first level alone, or at every depth with arrays put behind one another.",
    "deep",
    ("top", "concatenate"),
    _READS,
)
UPDATE = assumption(
    "config.update",
    "G394 G406",
    "What a POST holds: a merge patch whose nulls remove keys, the whole new document, or keys to set with null as a "
    "value. The last write wins.",
    "patch",
    ("replace", "keep"),
    _WRITES,
)
TEMPLATE_READ = assumption(
    "config.template-read",
    "G395",
    "What reading the configuration of a template answers: its own document, or the broader levels with it.",
    "own",
    ("effective",),
    "get_template_config",
)
TEMPLATE_RANK = assumption(
    "config.template-rank",
    "G396",
    "Whether a template wins over the client's configuration or the client's over the template.",
    "over-client",
    ("under-client",),
    "get_channel_config get_template_config",
)
INHERITED_LEVEL = assumption(
    "config.inherited-templates",
    "G393 G396 G411",
    "Where an inheritable template of a parent counts: in the channels that use it, in the template's place; or, once "
    "the sub-client has enabled it, in all of its channels, above the client and below the template that is used.",
    "used",
    ("enabled",),
    "get_channel_config",
)
PARENT_LEVEL = assumption(
    "config.parent-level",
    "G397",
    "Whether the configurations of the parent clients are levels, below the client's own.",
    False,
    (True,),
    _READS,
)


def _document(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is no JSON object")
    return value


SERVICE_DEFAULT: Assumption[dict[str, Any]] = assumption(
    "config.service-default",
    "G398",
    "The document of the service itself, below every client's.",
    {},
    ("any JSON object",),
    _READS,
    check=_document,
    samples=({"theme": "dark"},),
)
CONTEXT = assumption(
    "config.context",
    "G391 G399",
    "What context does: keeps the first-level key of that name alone, answers what stands under it, or nothing.",
    "filter",
    ("inner", "ignore"),
    _READS,
)
CATEGORIES = assumption(
    "config.categories",
    "G391 G400 G055",
    "What the comma separated categories do: keep keys of the second level, keep keys of the first level, or nothing.",
    "second-level",
    ("first-level", "ignore"),
    _READS,
)
LANGUAGES = assumption(
    "config.languages",
    "G401",
    "Languages of a reading, over what is stored without a language: the default one, then the one asked for without "
    "and with its region; the one asked for alone; or the caller's own where none is asked for.",
    "chain",
    ("exact", "user"),
    _READS,
)
DEFAULT_LANGUAGE = assumption(
    "config.default-language",
    "G401",
    "The default language of configurations.",
    "en",
    ("any language code",),
    _READS,
    check=text,
    samples=("de",),
)
LANGUAGE_SCOPE = assumption(
    "config.language-scope",
    "G401",
    "What is stored for the language of an update: everything posted, or its texts alone.",
    "document",
    ("texts",),
    _WRITES,
)
TEXTS_WITHOUT_LANGUAGE = assumption(
    "config.texts-without-language",
    "G402",
    "An update of texts without language: refused, stored for the default language, or without effect on the texts.",
    "refuse",
    ("default-language", "ignore"),
    _WRITES,
    refuses={"LANGUAGE_MISSING": ("refuse",)},
)
TEXTS_KEY = assumption(
    "config.texts-key",
    "G403",
    "Key, at any level of a document, under which its texts stand; * takes every string for a text.",
    "customTexts",
    ("texts", EVERY_STRING, "any other key"),
    _WRITES,
    check=text,
)
THEMES: Assumption[tuple[str, ...]] = assumption(
    "config.themes",
    "G404",
    "The themes there are; an empty list takes any word.",
    (),
    (("light", "dark"), "any list of words"),
    f"{_READS} {_WRITES}",
    check=texts("words"),
    refuses={"THEME_UNKNOWN": lambda value, operation, profile: bool(value)},
    samples=(["dark"],),
)
THEME_OVER_LIGHT = assumption(
    "config.theme-over-light",
    "G404",
    "Whether a theme is laid over the light one, or stands for itself.",
    True,
    (False,),
    _READS,
)

# templates.*
NO_TEMPLATE = assumption(
    "templates.none",
    "G409",
    "What reading the template of a channel without one answers: 404, or 204 without a body.",
    "404",
    ("204",),
    "get_channel_template",
    refuses={"NO_TEMPLATE": ("404",)},
)
LISTED = assumption(
    "templates.listed-for-channel",
    "G410",
    "Templates that are listed for a channel: the enabled ones, all, or the one it uses.",
    "enabled",
    ("all", "selected"),
    "list_channel_templates",
)
INHERITED_LISTED = assumption(
    "templates.inherited-listed",
    "G411",
    "Whether inherited templates are listed with the client's own.",
    True,
    (False,),
    "list_templates",
)
INHERITED_ENABLED = assumption(
    "templates.inherited-enabled",
    "G411",
    "Whether an inherited template is enabled before the sub-client has said so.",
    False,
    (True,),
    "list_templates get_template",
)
INHERITED_FROM = assumption(
    "templates.inherited-from",
    "G411 G154",
    "Whose inheritable templates a client sees: those of all its ancestors, or of its parent alone.",
    "ancestors",
    ("parent",),
    "list_templates get_template",
)
NEW_ENABLED = assumption(
    "templates.new-enabled", "G584", "Whether a new template is enabled.", True, (False,), "create_template"
)
NEW_INHERITABLE = assumption(
    "templates.new-inheritable", "G584", "Whether a new template is inheritable.", False, (True,), "create_template"
)
ONLY_FALSE = assumption(
    "templates.only-false",
    "G412",
    "What onlyEnabled=false and onlyInheritable=false do: nothing, or ask for the others.",
    "nothing",
    ("others",),
    "list_templates",
)
IN_USE = assumption(
    "templates.in-use",
    "G413",
    "A template that channels use is disabled, removed or no longer inheritable: they keep it unless it is removed, "
    "they lose it at once, or it is refused.",
    "keep",
    ("lose", "refuse"),
    "set_template_state set_template_inheritance remove_template",
    refuses={"TEMPLATE_IN_USE": ("refuse",)},
)
ORDER = assumption(
    "templates.order",
    "G414 G087",
    "Order of templates: by name without regard to case, or by creation with the client's own first.",
    "name",
    ("creation",),
    "list_templates list_channel_templates",
)
