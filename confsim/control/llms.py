"""The description of confsim for language models (llms.txt), made from the declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from confsim.api.catalogue import API
from confsim.contract.operation import Catalogue
from confsim.guides import list_

from .declare import CONTROL, PREFIX

_ABOUT = """\
> A service double of a multi-tenant web-conferencing REST API, in process and in pure Python: a simulated world that is
> called as the API is, and steered by a control plane.

- Python: `Simulator().call("reserve_handle", "demo-user", body={"handle": "new"})` answers with `status`, `body`,
  `headers`; `sim.control("advance_clock", by="15m")` steers. pytest has the fixtures `confsim` and `confsim_server`.
- HTTP: `confsim serve`, then `Authorization: Bearer demo-owner`. Tokens of the demo world: demo-partner-admin,
  demo-customer-admin, demo-owner, demo-operator, demo-user, demo-guest, demo-api-token, demo-other-admin.
- What the API's documents leave open is a named assumption. Each call notes those that it relied on, and a profile
  chooses alternatives.
- Errors are JSON with `status`, `code` and `message`; those of the control plane are problem documents (RFC 9457).
"""


def text(root: str, profile: Mapping[str, Any]) -> str:
    """Return the text in Markdown, in the form of llmstxt.org; links begin with ``root``, the URL of the mount."""
    return "\n".join(_lines(root, profile)) + "\n"


def _lines(root: str, profile: Mapping[str, Any]) -> Iterator[str]:
    control = f"{root}{PREFIX}"
    yield f"# confsim\n\n{_ABOUT}"
    yield "## Reference\n"
    yield f"- [API]({root}/openapi.json): the OpenAPI document of the {len(API)} operations"
    yield f"- [Control plane]({control}/openapi.json): the OpenAPI document of what steers the world"
    yield f"- [Assumptions]({control}/assumptions): every one, with its value in force and its alternatives"
    yield f"- [Explanations]({control}/explain/R094): of a rule, gap, assumption, operation or refusal by its name"
    yield "\n## Guides\n"
    for guide in list_():
        yield f"- [{guide.title}]({control}/inspector/guides/{guide.name})"
    yield from _operations("API", API, API.prefix_under(profile), profile)
    yield from _operations("Control plane", CONTROL, PREFIX, {})


def _operations(title: str, catalogue: Catalogue, prefix: str, profile: Mapping[str, Any]) -> Iterator[str]:
    for area, about in catalogue.areas.items():
        yield f"\n## {title}: {area}\n\n{about}\n"
        for operation in catalogue:
            if operation.area == area:
                method, path = operation.route(profile)
                yield f"- `{operation.name}` {method} {prefix}{path}: {operation.summary}"
