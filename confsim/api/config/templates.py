"""Settings templates of clients, and the template of a channel (P2 Configuration and templates)."""

from enum import StrEnum
from typing import Annotated

from confsim.api import views
from confsim.api.call import API, Call
from confsim.api.forms import TemplateId
from confsim.api.views import Id
from confsim.assumptions import Reason, ask, config as assumed
from confsim.contract import NO_CONTENT, Chosen, Limit, Name, NoContent, Offset, Page, Source, Switch, Wire, gates
from confsim.domain.channels.channels import Channel
from confsim.domain.config import template_choice, templates
from confsim.domain.config.templates import VisibleTemplate
from confsim.kernel import Refusal

operation = API.family(line="P2 Configuration and templates")
named = API.family(gate=gates.ADMIN.assumed("G407"), line="P2 L354", source=Source.NAME_ONLY)


class Inheritance(StrEnum):
    """The state words of template inheritance."""

    ALLOW = "allow"
    DISALLOW = "disallow"


class Template(Wire):
    """A settings template as the client sees it (P2 Settings template)."""

    id: Annotated[TemplateId, "The id of the template."]
    name: Annotated[str, "The name of the template."]
    enabled: Annotated[bool, "Whether it can be selected."]
    inheritable: Annotated[bool, "Whether clients below may use it."]
    inherited: Annotated[bool, "Whether it comes from a client above."]


class ChannelTemplate(Wire):
    """The template in use on a channel (P2 Settings template)."""

    id: Annotated[TemplateId, "The id of the template."]
    name: Annotated[str, "The name of the template."]
    inherited: Annotated[bool, "Whether it comes from a client above."]


class TemplateName(Wire):
    """The name of a template."""

    name: Annotated[Name, "The name of the template."]


def _template_view(template: VisibleTemplate) -> Template:
    return Template(
        id=template.id,
        name=template.template.name,
        enabled=template.enabled,
        inheritable=template.template.inheritable,
        inherited=template.inherited,
    )


@operation("GET /templates/{templateId}", gate=gates.SIGNED_IN.assumed("G405"), rules="R320 R448", gaps="G408")
def get_template(call: Call, template: VisibleTemplate) -> Template:
    """Get a template: the client's own, or an inheritable one of a client above."""
    return _template_view(template)


@operation(
    "GET /templates", gate=gates.SIGNED_IN.assumed("G405"), rules="R021 R023 R320 R321 R440 R449", gaps="G411 G412 G414"
)
def list_templates(
    call: Call,
    *,
    limit: Limit | None = None,
    offset: Offset | None = None,
    onlyEnabled: Annotated[bool | None, "Only those that can be selected."] = None,
    onlyInheritable: Annotated[bool | None, "Only those that clients below may use."] = None,
) -> Page[Template]:
    """List the templates of the client with those it inherits, by name."""
    found = templates.list_templates(
        call.change, call.client, shown=True, inheritable=onlyInheritable is True, offered=onlyEnabled is True
    )
    if onlyEnabled is False:
        found = [seen for seen in found if _is_not(call, seen.enabled)]
    if onlyInheritable is False:
        found = [seen for seen in found if _is_not(call, seen.template.inheritable)]
    return views.page(call, found, limit, offset, lambda shown: [*map(_template_view, shown)])


def _is_not(call: Call, has: bool) -> bool:
    """Whether a filter that is false passes an element: one without what it names, or any."""
    return ask(call.change, assumed.ONLY_FALSE) == "nothing" or not has


_NO_TEMPLATE = Chosen(assumed.NO_TEMPLATE, {"404": ChannelTemplate, "204": ChannelTemplate | NoContent})


@operation("GET /channels/{uuid}/template", gate=gates.ACCESS.assumed("G405"), rules="R322 R450", gaps="G409")
def get_channel_template(call: Call, channel: Channel) -> Annotated[ChannelTemplate | NoContent, _NO_TEMPLATE]:
    """Get the template that the channel uses. 404 when it uses none."""
    seen = templates.find_selected(call.change, call.client, channel)
    if seen is not None:
        return ChannelTemplate(id=seen.id, name=seen.template.name, inherited=seen.inherited)
    if ask(call.change, assumed.NO_TEMPLATE) == "204":
        return NO_CONTENT
    raise Refusal(Reason.NO_TEMPLATE)


@operation(
    "GET /channels/{uuid}/templates",
    gate=gates.ACCESS.assumed("G405"),
    rules="R021 R320 R440 R451",
    gaps="G410",
    of_whole_client=True,
)
def list_channel_templates(
    call: Call, channel: Channel, *, limit: Limit | None = None, offset: Offset | None = None
) -> Page[Template]:
    """List the templates that can be selected for the channel: the enabled ones, own and inherited."""
    return views.page(
        call,
        templates.list_for_channel(call.change, call.client, channel),
        limit,
        offset,
        lambda shown: [*map(_template_view, shown)],
    )


@named("POST /templates", rules="R320", gaps="G407 G584", identifies={"id": "templates"})
def create_template(call: Call, body: TemplateName) -> Id:
    """Create a template of the client, without configuration."""
    return Id(id=templates.create(call.change, call.client, body.name).id)


@named("POST /templates/{templateId}", rules="R320", gaps="G411 G584")
def update_template(call: Call, template: VisibleTemplate, body: TemplateName) -> None:
    """Rename a template of the client. 403 for an inherited one."""
    templates.rename(call.change, template, body.name)


@named("DELETE /templates/{templateId}", rules="R438", gaps="G411 G413 G584", removes="templates")
def remove_template(call: Call, template: VisibleTemplate) -> None:
    """Remove a template of the client, from every channel that uses it too. 403 for an inherited one."""
    templates.remove(call.change, template)


@named("POST /templates/{templateId}/{state}", rules="R440", gaps="G411 G413 G585")
def set_template_state(call: Call, template: VisibleTemplate, state: Switch) -> None:
    """Enable or disable a template for the channels of this client; an inherited one too."""
    templates.offer(call.change, template, state)


@named("POST /templates/{templateId}/inheritance/{state}", rules="R440", gaps="G411 G413 G583")
def set_template_inheritance(call: Call, template: VisibleTemplate, state: Inheritance) -> None:
    """Allow or disallow sub-clients to enable a template of the client. 403 for an inherited one."""
    templates.share(call.change, template, state)


@named(
    "POST /channels/{uuid}/template/{templateId}",
    gate=gates.OPERATOR.assumed("G407"),
    rules="R322 R438 R440",
    gaps="G407 G586",
)
def select_channel_template(call: Call, channel: Channel, template: VisibleTemplate) -> None:
    """Select a template for the channel that its client has enabled. 409 for a disabled one."""
    template_choice.select(call.change, channel, template.id, enabled=template.enabled)


@named("DELETE /channels/{uuid}/template", gate=gates.OPERATOR.assumed("G407"), rules="R322 R438", gaps="G536 G586")
def remove_channel_template(call: Call, channel: Channel) -> None:
    """Remove the template of the channel; no effect when it uses none."""
    template_choice.deselect(call.change, channel)
