"""Long bodies in exports: written in pieces, so that other threads have the interpreter in between."""

from __future__ import annotations

from base64 import b64decode

import msgspec
import pytest
from hypothesis import given, strategies as st

from confsim.control.export import literals


@pytest.fixture(autouse=True, scope="module")
def _small_pieces():
    """Three bytes or characters are a piece."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(literals, "_PIECE", 3)
        yield


@given(st.binary(max_size=20))
def test_bytes_in_base64_are_those_in_one_piece(raw):
    """Decoding the Base64 text gives the bytes."""
    assert b64decode(literals.in_base64(raw), validate=True) == raw


@given(st.binary(max_size=20) | st.text(st.characters(max_codepoint=127), max_size=20).map(str.encode))
def test_a_literal_of_bytes_has_their_value(raw):
    """Evaluating the expression as an argument gives the bytes, whichever quotes its pieces have."""
    assert eval(f"bytes({literals.bytes_literal(raw)})") == raw


@given(st.text(max_size=20))
def test_a_text_in_a_json_document_is_the_text(text):
    """Decoding the document gives the text, wherever its pieces end."""
    document = msgspec.json.encode({"text": literals.in_json(text)})
    assert document == msgspec.json.encode({"text": text})
