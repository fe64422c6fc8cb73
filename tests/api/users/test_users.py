"""Users as answers show them, and what they change of themselves."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.api.catalogue import API as API_OPERATIONS
from confsim.assumptions.protocol import sizes
from confsim.assumptions.users import users as assumed
from confsim.contract.types import ImageSize
from confsim.domain import images
from confsim.domain.clients import clients
from confsim.domain.users import users
from confsim.domain.users.users import Account, AuthKind
from confsim.kernel.refusal import Misuse
from confsim.service.conformance import Conformance
from kit import ADMIN, API_TOKEN, CUSTOMER, PARTNER_ADMIN
from kit.things.people import PNG, made_user, under, updated


def user_of(sim: Simulator, id: int, caller: str = "demo-owner") -> dict:
    """The user as a caller sees it."""
    return sim.call("get_users", caller, userIds=id).body[0]


@pytest.mark.rule("R043", "R046", "R047", "R048", "R049", "R051", "R054", "R147")
def test_get_me_shows_the_caller(sim, people):
    """A user without details shows what every user has, and no option that has no value."""
    assert sim.call("get_me", "demo-user").body == {
        "id": people["demo-user"],
        "handle": "Uma User",
        "urlHandle": "uma-user",
        "fullName": "Uma User",
        "clientId": CUSTOMER,
        "reputation": 1,
        "following": False,
        "followedBy": False,
        "unregistered": False,
        "authKind": "OAuth",
        "kind": "User",
    }


@pytest.mark.rule("R043")
def test_options_show_once_they_are_set(sim):
    """Description, image and languages appear when they have a value."""
    sim.call("set_user_description", "demo-user", userId="me", body={"description": "Here"})
    sim.call("set_user_image", "demo-user", userId="me", url="https://img.example/1.png")
    sim.call("set_user_languages", "demo-user", userId="me", body={"languages": ["de-CH", "en"]})
    shown = sim.call("get_me", "demo-user").body
    assert shown["description"] == "Here"
    assert shown["imageUrl"].startswith("http://confsim.test/files/")
    assert shown["languages"] == {"languages": ["de-CH", "en"], "acceptLanguage": "de-CH, en;q=0.9"}


@pytest.mark.rule("R053")
def test_a_guest_has_no_auth_kind(sim):
    """A guest calls as himself, is unregistered and authenticates in no way."""
    shown = sim.call("get_me", "demo-guest").body
    assert (shown["handle"], shown["unregistered"], shown["kind"]) == ("Guest Gwen", True, "Guest")
    assert "authKind" not in shown


def test_an_api_token_is_no_user(sim):
    """Nobody is me to an API token."""
    answer = sim.call("get_me", API_TOKEN)
    assert (answer.status, answer.body["code"]) == (403, "no_user_context")


@pytest.mark.rule("R045")
@pytest.mark.parametrize(
    ("handle", "shown"),
    [
        ("Ann Lee", "ann-lee"),
        ("Ünal  Çelik!", "unal-celik"),
        ("-- a.b --", "a-b"),
        ("Иван", None),
        ("ŠKODA 2", "skoda-2"),
    ],
)
def test_the_url_handle_is_made_of_the_handle(sim, handle, shown):
    """Accents go, everything that is no letter or digit becomes a hyphen; nothing left means no urlHandle."""
    assert user_of(sim, made_user(sim, CUSTOMER, handle).id).get("urlHandle") == shown


def test_the_url_handle_may_be_percent_encoded():
    """Where a profile says so, the handle is encoded as it is."""
    sim = under({assumed.URL_HANDLE.id: "percent"})
    assert user_of(sim, made_user(sim, CUSTOMER, "Ann/Лee").id)["urlHandle"] == "Ann%2F%D0%9Bee"


KINDS = [
    (Account.REGISTERED, {}, "User", False),
    (Account.PREDEFINED, {}, "Predefined", False),
    (Account.GUEST, {}, "Guest", True),
    (Account.LINKED, {}, "Guest", True),
    (Account.DIALLED, {}, "DialOut", True),
    (Account.DIALLED, {"inbound": True}, "DialIn", True),
]


@pytest.mark.rule("R051")
@pytest.mark.parametrize(("account", "fields", "kind", "unregistered"), KINDS)
def test_each_sort_of_account_has_its_kind(sim, account, fields, kind, unregistered):
    """Kind and unregistered show the kind of account of a user; anyone who is not connected has no authKind."""
    shown = user_of(sim, made_user(sim, CUSTOMER, "Ann", account, **fields).id)
    assert (shown["kind"], shown["unregistered"], shown.get("authKind")) == (kind, unregistered, None)


@pytest.mark.rule("R054")
@pytest.mark.parametrize(("kind", "word"), [(AuthKind.OAUTH, "OAuth"), (AuthKind.CUSTOM, "Custom")])
def test_auth_kind_tells_how_a_user_authenticates(sim, kind, word):
    """The answer distinguishes public providers and custom authentication."""
    assert user_of(sim, made_user(sim, CUSTOMER, "Ann", auth_kind=kind).id)["authKind"] == word


def test_a_profile_chooses_the_words_of_kinds():
    """The words of kind and authKind, and whether a predefined user counts as registered, are assumptions."""
    sim = under(
        {
            assumed.KIND_WORDS.id: {"predefined": "STUB"},
            assumed.AUTH_KIND_WORDS.id: {"OAuth": "oauth"},
            assumed.PREDEFINED_UNREGISTERED.id: True,
        }
    )
    shown = user_of(sim, made_user(sim, CUSTOMER, "Ann", Account.PREDEFINED, auth_kind=AuthKind.OAUTH).id)
    assert (shown["kind"], shown["authKind"], shown["unregistered"]) == ("STUB", "oauth", True)


@pytest.mark.rule("R047", "R048")
def test_following_is_seen_from_the_caller(sim, people):
    """Following is true when the caller follows the user, followedBy in the other direction."""
    owner, user = people["demo-owner"], people["demo-user"]
    updated(sim, owner, CUSTOMER, follows=(user,))
    seen = {caller: user_of(sim, about, caller) for caller, about in (("demo-owner", user), ("demo-user", owner))}
    assert (seen["demo-owner"]["following"], seen["demo-owner"]["followedBy"]) == (True, False)
    assert (seen["demo-user"]["following"], seen["demo-user"]["followedBy"]) == (False, True)
    assert not sim.call("get_me", "demo-operator").body["following"]


# Several users
@pytest.mark.rule("R146")
def test_get_users_answers_in_the_order_asked(sim, people):
    """One object for each distinct id, in the order of the list, whatever spaces and empty items it has."""
    owner, user, guest = (people[f"demo-{who}"] for who in ("owner", "user", "guest"))
    answer = sim.call("get_users", "demo-guest", userIds=f"{user}, {owner},,{guest},{user}")
    assert [each["id"] for each in answer.body] == [user, owner, guest]


@pytest.mark.rule("R146")
def test_get_users_answers_an_array_for_one_id(sim, people):
    """A single id is a list of one."""
    assert [each["handle"] for each in sim.call("get_users", API_TOKEN, userIds=people["demo-user"]).body] == [
        "Uma User"
    ]


@pytest.mark.parametrize("container", ["array", "by-id", "single", "page"])
def test_get_users_answers_in_the_container_in_force(people, container):
    """Each container of G098, for one user and for two, fits the OpenAPI document of its profile."""
    sim = under({assumed.SEVERAL_CONTAINER.id: container})
    sim.service.pipeline.hold_against(Conformance(sim.service.profile))
    ids = [people["demo-user"], people["demo-owner"]]
    two = sim.call("get_users", API_TOKEN, userIds=f"{ids[0]},{ids[1]}").body
    one = sim.call("get_users", API_TOKEN, userIds=ids[0]).body
    first, second = {"by-id": lambda: two.values(), "page": lambda: two["results"]}.get(container, lambda: two)()
    assert [first["id"], second["id"]] == ids
    expected = {"by-id": {str(ids[0]): first}, "single": first, "page": {"total": 1, "results": [first]}}
    assert one == expected.get(container, [first])
    assert sim.service.bugs == []


def test_get_users_leaves_out_whom_the_client_does_not_have(sim, people):
    """Unknown and foreign ids are left out, or refused where a profile says so."""
    wanted = f"{people['demo-user']},1,{people['demo-other-admin']}"
    assert [each["id"] for each in sim.call("get_users", "demo-owner", userIds=wanted).body] == [people["demo-user"]]
    answer = under({assumed.SEVERAL.id: "refused"}).call("get_users", "demo-owner", userIds=wanted)
    assert answer.status == 404


@pytest.mark.parametrize("wanted", ["me", "1,x", "1.5", ",", "99999999999999999999", "1;2"])
def test_get_users_refuses_what_are_no_ids(sim, wanted):
    """A list of user ids holds whole numbers, at least one."""
    assert sim.call("get_users", "demo-owner", userIds=wanted).status == 400


def test_get_users_has_a_most_of_ids(people):
    """As many ids as the limit are looked up, one more is refused."""
    sim = under({sizes.USER_IDS.id: 3})
    assert sim.call("get_users", "demo-owner", userIds="1,2,3").status == 200
    assert sim.call("get_users", "demo-owner", userIds="1,2,3,4").status == 400


# One user
@pytest.mark.rule("R032", "R148", "R150")
def test_a_partner_admin_reads_users_of_a_child(sim, people):
    """With for_client only users of that child are found."""
    named = {"for_client": CUSTOMER}
    answer = sim.call("get_user", PARTNER_ADMIN, userId=people["demo-user"], **named)
    assert (answer.status, answer.body["handle"], answer.body["clientId"]) == (200, "Uma User", CUSTOMER)
    assert sim.call("get_user", PARTNER_ADMIN, userId=people[PARTNER_ADMIN], **named).status == 404
    assert sim.call("get_user", PARTNER_ADMIN, userId=people["demo-user"]).status == 404


@pytest.mark.rule("R148")
@pytest.mark.parametrize(
    ("caller", "status"),
    [(API_TOKEN, 200), (ADMIN, 403), ("demo-owner", 403), ("demo-user", 403), ("demo-guest", 403), (None, 401)],
)
def test_get_user_is_for_partner_admins_and_api_tokens(sim, people, caller, status):
    """Everybody else has the look-up of several users."""
    assert sim.call("get_user", caller, userId=people["demo-user"]).status == status


@pytest.mark.rule("R149")
@pytest.mark.parametrize("text", ["abc", "1.0", "Me", "1e3"])
def test_the_user_id_is_a_number(sim, text):
    """Text is no user id in this path."""
    assert sim.call("get_user", API_TOKEN, userId=text).status == 400


@pytest.mark.rule("R149")
def test_me_is_a_call_of_its_own(sim):
    """The number in the path takes no me; the caller has a path of the same form."""
    with pytest.raises(Misuse, match="get_user with userId 'me' is get_me"):
        sim.call("get_user", API_TOKEN, userId="me")
    assert API_OPERATIONS["get_me"].path == API_OPERATIONS["get_user"].path.format(userId="me")


# Images in answers
CALLS = [("get_me", {}), ("get_users", {"userIds": 0}), ("get_user", {"userId": 0}), ("list_users", {})]


def _shown(sim: Simulator, people: dict, operation: str, arguments: dict, **more) -> object:
    admin = people[ADMIN]
    named = dict.fromkeys(arguments, admin)
    return sim.call(operation, ADMIN if operation == "get_me" else API_TOKEN, **named, **more)


@pytest.mark.rule("R029", "R031")
@pytest.mark.parametrize(("operation", "arguments"), CALLS)
def test_img_size_changes_nothing_but_image_references(sim, people, operation, arguments):
    """Every size gives the same answer but for the address of the image; an unknown size is refused."""
    sim.call("set_user_image", ADMIN, userId="me", body=PNG)
    plain = _shown(sim, people, operation, arguments).content.decode()
    for size in ImageSize:
        sized = _shown(sim, people, operation, arguments, imgSize=size.value).content.decode()
        assert sized == plain.replace("size=medium", f"size={size}")
        assert f"size={size}" in sized
    assert _shown(sim, people, operation, arguments, imgSize="huge").status == 400


# Details
@pytest.mark.parametrize(
    ("operation", "field", "stored"),
    [("set_user_description", "description", " Möbius "), ("set_user_full_name", "fullName", "Möbius")],
)
def test_a_text_about_a_user_is_set_and_cleared(sim, operation, field, stored):
    """A text is stored as it came, a name without outer blanks; empty text clears it."""
    assert sim.call(operation, "demo-user", userId="me", body={field: " Möbius "}).content == b""
    assert sim.call("get_me", "demo-user").body[field] == stored
    sim.call(operation, "demo-user", userId="me", body={field: ""})
    assert field not in sim.call("get_me", "demo-user").body


@pytest.mark.parametrize(
    ("operation", "field", "most"),
    [
        ("set_user_description", "description", 2048),
        ("set_user_full_name", "fullName", 255),
    ],
)
def test_a_text_about_a_user_has_a_length(sim, operation, field, most):
    """A text may be as long as the limit; longer, missing, odd and controlling ones are refused."""
    assert sim.call(operation, "demo-user", userId="me", body={field: "x" * most}).status == 200
    for body in ({field: "x" * (most + 1)}, {}, {field: 5}, {field: "a\u0000"}):
        assert sim.call(operation, "demo-user", userId="me", body=body).status == 400


# Who may change whom
SELF_SERVICE = [
    ("set_user_description", {"body": {"description": "x"}}),
    ("set_user_full_name", {"body": {"fullName": "x"}}),
    ("set_user_image", {"url": "https://img.example/1.png"}),
    ("remove_user_image", {}),
    ("set_user_handle", {"body": {"handle": "x"}}),
    ("set_user_email", {"body": {"email": "x@example.org"}}),
    ("get_user_email", {}),
    ("set_user_languages", {"body": {"languages": ["en"]}}),
    ("list_user_properties", {}),
    ("set_user_property", {"key": "k", "body": 1}),
]


@pytest.mark.rule("R041")
@pytest.mark.parametrize(("operation", "arguments"), SELF_SERVICE)
def test_users_change_themselves_and_administrators_everybody(sim, people, operation, arguments):
    """The caller, a Customer Admin and an API token may; other users and other clients may not."""
    user = people["demo-user"]
    for caller, about in (
        ("demo-user", "me"),
        ("demo-user", user),
        (ADMIN, user),
        (API_TOKEN, user),
        ("demo-guest", "me"),
    ):
        assert sim.call(operation, caller, userId=about, **arguments).status == 200
    for caller, about, status in (
        ("demo-owner", user, 403),
        ("demo-guest", user, 403),
        ("demo-other-admin", user, 404),
        (ADMIN, 99, 404),
        (API_TOKEN, "me", 403),
        (None, user, 401),
        ("demo-user", "you", 400),
    ):
        assert sim.call(operation, caller, userId=about, **arguments).status == status


@pytest.mark.rule("R041")
def test_a_profile_takes_me_for_properties_alone():
    """Where a profile says so, the other calls want a number."""
    sim = under({assumed.ME.id: "properties"})
    assert sim.call("set_user_property", "demo-user", userId="me", key="k", body=1).status == 200
    assert sim.call("set_user_description", "demo-user", userId="me", body={"description": "x"}).status == 400


# Look-ups
def test_the_client_of_a_user(sim, people):
    """Any caller of the client reads to which client a user belongs."""
    for caller in ("demo-user", "demo-guest", API_TOKEN):
        assert sim.call("get_user_client", caller, userId=people["demo-user"]).body == {"id": CUSTOMER}
    assert sim.call("get_user_client", "demo-other-admin", userId=people["demo-user"]).status == 404


def test_a_registered_user_is_found_by_handle(sim, people):
    """The handle finds the user who has it, without case; guests and users of other clients are not found."""
    assert sim.call("find_user_by_handle", "demo-guest", handle="uma USER").body == {"id": people["demo-user"]}
    for handle in ("Guest Gwen", "Otto Other", "nobody"):
        assert sim.call("find_user_by_handle", "demo-owner", handle=handle).status == 404
    assert sim.call("find_user_by_handle", "demo-owner").status == 400


def test_a_user_is_found_by_verified_address(sim, people):
    """A verified address finds its user, the oldest of several; one that waits finds nobody."""
    assert sim.call("find_user_by_email", ADMIN, email="OLAF@customer.example").body["id"] == people["demo-owner"]
    sim.call("set_user_email", "demo-user", userId="me", body={"email": "uma@customer.example"})
    assert sim.call("find_user_by_email", API_TOKEN, email="uma@customer.example").status == 404
    assert sim.call("find_user_by_email", "demo-owner", email="olaf@customer.example").status == 403
    assert sim.call("find_user_by_email", ADMIN).status == 400


def test_alternative_that_images_come_in_a_form(people):
    """The first part with a filename is the image; a body that is no form is refused, beside a URL it is not read."""
    sim = under({"images.form": "multipart"})
    form = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\n\r\n' + PNG + b"1\r\n--x--\r\n"
    kind = "multipart/form-data; boundary=x"
    assert sim.call("set_user_image", "demo-user", userId="me", body=form, content_type=kind).status == 200
    change = sim.service.change()
    user = users.get(change, CUSTOMER, people["demo-user"])
    assert images.get(change, CUSTOMER, user.image).data == PNG + b"1"
    assert sim.call("set_user_image", "demo-user", userId="me", body=PNG).body["code"] == "invalid_input"
    url = "https://img.example/1.png"
    assert sim.call("set_user_image", "demo-user", userId="me", body=PNG, url=url).status == 200


@pytest.mark.parametrize("operation", ["set_user_description", "set_user_image", "set_user_handle"])
def test_a_disabled_client_changes_no_user(sim, operation):
    """While the service is disabled, what changes a user is refused and what reads one is not."""
    change = sim.service.change()
    customer = clients.get(change, CUSTOMER)
    clients.update(change, customer, service=clients.ServiceState.DISABLED)
    sim.service.commit(change)
    assert sim.call(operation, "demo-user", userId="me").status == 403
    assert sim.call("get_me", "demo-user").status == 200
