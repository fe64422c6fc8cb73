"""The substitution of texts in a bundle: the same in state documents, requests and answers."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from confsim.kernel.tables.table import SecretForm, Table
from confsim.service.masking import CREDENTIAL_HEADERS, DISTINCTIVE

from .document import BundledCall, RecordedAnswer, SentRequest, content, raw

#: Names of places for secrets: fields, parameters, and the path segment before one.
_NAMED = rb"[\w-]*(?:pin|code|password|passphrase|token|secret|credential|key|verify)s?"
#: Names of parameters of a URL whose values are secrets.
_IN_URL = re.compile(rf"{_NAMED.decode()}|[\w-]*(?:sig|signature|auth|hmac|pass|pwd)", re.IGNORECASE)
#: Letters and digits that are no words: no name of an address has so many without a mark between.
_RANDOM = re.compile(r"(?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{20,}", re.IGNORECASE)
_BASIC = re.compile(r"(basic )(\S+)", re.IGNORECASE)


def secrets_of(table: str) -> Mapping[str, SecretForm]:
    """Return the fields with secrets of a table; none for a table that does not exist."""
    return Table.declared[table].secrets if table in Table.declared else {}


def of_record(table: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the secrets in a record of a table."""
    for field, form in secrets_of(table).items():
        value = record.get(field)
        if form is SecretForm.CODES:
            yield from (code for _, code in value or ())
        elif isinstance(value, str) and form is not SecretForm.TEXT:
            yield from of_url(value, keyed=form is SecretForm.KEYED_URL)
        elif isinstance(value, str) and value:
            yield value


def of_url(url: str, *, keyed: bool = False) -> Iterator[str]:
    """Yield the secrets in a URL, as they are written in it.

    They are its password, the values of parameters that are named for secrets, the parts of its path that look random,
    as those of webhooks that need no other secret, and with ``keyed`` its last segment, which is a stream key.
    """
    rest, _, query = url.partition("://")[2].partition("#")[0].partition("?")
    authority, _, path = rest.partition("/")
    segments = path.split("/")
    yield from filter(None, (authority.rpartition("@")[0].partition(":")[2], segments[-1] if keyed else ""))
    yield from filter(_RANDOM.search, segments)
    for each in re.split("[&;]", query):
        name, _, value = each.partition("=")
        if len(value) >= DISTINCTIVE and (_IN_URL.fullmatch(name) or _RANDOM.search(value)):
            yield value


class Substitution:
    """Replaces texts by others; ``pairs`` has all of them.

    Short ones are replaced only in places that are named for secrets.
    """

    def __init__(self, pairs: Mapping[str, str] | None = None) -> None:
        self.pairs: dict[str, str] = {}
        self._forms: dict[bytes, bytes] = {}
        self._long: re.Pattern[bytes] | None = None
        self._places: tuple[re.Pattern[bytes], ...] = ()
        self.add(pairs or {})

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def add(self, pairs: Mapping[str, str]) -> None:
        """Add texts and their replacements."""
        new = {old: text for old, text in pairs.items() if self.pairs.get(old) != text}
        if not new:
            return
        self.pairs |= new
        for old, text in new.items():
            for form in FORMS:
                self._forms.setdefault(form(old).encode(), form(text).encode())
        long = sorted((each for each in self._forms if len(each) >= DISTINCTIVE), key=len, reverse=True)
        self._long = re.compile(b"|".join(map(re.escape, long))) if long else None
        short = sorted(each for each in self._forms if len(each) < DISTINCTIVE)
        if short:
            any_of = b"(" + b"|".join(map(re.escape, short)) + b")"
            self._places = tuple(
                re.compile(form, re.IGNORECASE)
                for form in (
                    rb'(\\*"' + _NAMED + rb'\\*"\s*:\s*\\*")' + any_of + rb'(?=\\*")',
                    rb"((?:^|[?&;])" + _NAMED + rb"=)" + any_of + rb"(?=[&;]|$)",
                    rb"(/" + _NAMED + rb"/)" + any_of + rb"(?=[/?]|$)",
                    rb'(name="' + _NAMED + rb'"\r\n\r\n)' + any_of + rb"(?=\r\n)",
                )
            )

    def replaced(self, given: bytes) -> bytes:
        """Return a document, body or target with the texts replaced."""
        if self._long is not None:
            given = self._long.sub(lambda match: self._forms[match[0]], given)
        for place in self._places:
            given = place.sub(lambda match: match[1] + self._forms.get(match[2], match[2]), given)
        return given

    def text(self, given: str) -> str:
        """Return a text with the texts replaced."""
        return self.replaced(given.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def header(self, name: str, value: str) -> str:
        """Return the value of a header with the texts replaced, also inside Basic credentials."""
        value = _BASIC.sub(lambda match: match[1] + self._in_base64(match[2]), self.text(value))
        return _words(value, self.pairs) if self.pairs and CREDENTIAL_HEADERS.search(name) else value

    def state(self, document: bytes) -> bytes:
        """Return a state document with the texts replaced."""
        if not self._places:
            return self.replaced(document)
        whole = msgspec.json.decode(document)
        for table, clients in whole["tables"].items():
            if secrets_of(table):
                for records in clients.values():
                    for record in records:
                        self._record(table, record)
        return self.replaced(msgspec.json.encode(whole))

    def call(self, call: BundledCall) -> BundledCall:
        """Return a call of a bundle, without its answer, with the texts replaced."""
        request = call.request
        return replace(
            call,
            request=None if request is None else self.request(request),
            token=None if call.token is None else self.pairs.get(call.token) or self.text(call.token),
            texts=self._values(call.texts),
            values=self._values(call.values),
            path=tuple(map(self.text, call.path)),
            query=self._values(call.query),
            body=self._content(call.body, self.state if call.control == "put_state" else self.replaced),
            after=Raw(self.state(bytes(call.after))) if call.why else call.after,
        )

    def request(self, request: SentRequest) -> SentRequest:
        """Return a request with the texts replaced."""
        return replace(
            request,
            target=self.text(request.target),
            query=self.text(request.query),
            headers={name: self.header(name, value) for name, value in request.headers.items()},
            body=self._content(request.body, self.replaced),
        )

    def answer(self, answer: RecordedAnswer) -> RecordedAnswer:
        """Return an answer with the texts replaced."""
        headers = [(name, self.header(name, value)) for name, value in answer.headers]
        return replace(answer, headers=headers, body=self._content(answer.body, self.replaced))

    def _content(self, given: Any, change: Callable[[bytes], bytes]) -> Any:
        return content(change(raw(given))) if given else given

    def _values(self, values: Mapping[str, str]) -> dict[str, str]:
        named = re.compile(_NAMED, re.IGNORECASE)
        return {
            name: self.pairs.get(value) or self.text(value) if named.fullmatch(name.encode()) else self.text(value)
            for name, value in values.items()
        }

    def _in_base64(self, credentials: str) -> str:
        try:
            plain = b64decode(credentials, validate=True).decode()
        except ValueError:
            return credentials
        user, colon, password = plain.partition(":")
        return b64encode(f"{user}{colon}{self.text(password)}".encode()).decode()

    def _record(self, table: str, record: dict[str, Any]) -> None:
        short = {each: new for each in of_record(table, record) if (new := self.pairs.get(each)) is not None}
        for field, value in record.items() if short else ():
            if isinstance(value, str):
                record[field] = _words(value, short)
            elif secrets_of(table).get(field) is SecretForm.CODES:
                record[field] = [[address, short.get(code, code)] for address, code in value]


def _words(text: str, pairs: Mapping[str, str]) -> str:
    """Return a text with whole words replaced."""
    wanted = "|".join(map(re.escape, sorted(pairs, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{wanted})(?!\w)", lambda match: pairs[match[0]], text)


def _plain(text: str) -> str:
    return text


def _in_json(text: str) -> str:
    return msgspec.json.encode(text).decode()[1:-1]


def _in_json_twice(text: str) -> str:
    return _in_json(_in_json(text))


def _quoted(text: str) -> str:
    return quote(text, safe="")


#: Encodings in which a text may appear.
FORMS: tuple[Callable[[str], str], ...] = (_plain, _in_json, _in_json_twice, quote_plus, _quoted)
