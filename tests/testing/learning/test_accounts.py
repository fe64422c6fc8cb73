"""The accounts file, and what is wrong with one."""

from __future__ import annotations

import tomllib

import pytest

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from confsim.testing.learning.accounts import accounts_of, read_accounts
from kit import CUSTOMER


def test_the_file_that_a_world_answers_is_read(tmp_path):
    """The file that a world answers is read."""
    file = tmp_path / "accounts.toml"
    file.write_bytes(Simulator().control("get_accounts").data)
    accounts = read_accounts(file)
    assert accounts.client == CUSTOMER
    assert accounts.tokens["owner"] == "demo-owner"
    assert accounts.role("demo-operator") == "operator"
    assert accounts.role("nobody's") == ""


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('[client]\nid = "c"\n[tokens]\nking = "t"', "'king' is none of the roles partner-admin, "),
        ('[client]\nid = "c"\n[tokens]\nowner = ""', "[tokens] owner is no token"),
        ('[client]\nid = "c"\n[tokens]\nowner = "a b"', "[tokens] owner is no token"),
        ('[client]\nid = "c"\n[tokens]\nowner = 1', "[tokens] owner is no token"),
        ('[client]\nid = "c"\n[tokens]\nowner = "a"\nuser = "a"', "two roles have the same token"),
        ('[client]\nid = "c"', "[tokens] is to hold a token"),
        ('[tokens]\nowner = "a"', "[client] id is to be the id of the client"),
        ('[client]\nid = "c"\nname = "C"\n[tokens]\nowner = "a"', "[client] holds an id alone, not name"),
        ('[client]\nid = "c"\n[tokens]\nowner = "a"\n[more]', "[more] is none of [client] and [tokens]"),
    ],
)
def test_what_is_wrong_is_named(text, wrong):
    """What is wrong is named."""
    with pytest.raises(Misuse) as caught:
        accounts_of(tomllib.loads(text))
    assert wrong in str(caught.value)


def test_a_file_that_is_not_there_or_no_toml_is_named(tmp_path):
    """A file that is not there or no toml is named."""
    with pytest.raises(Misuse, match=r"missing\.toml"):
        read_accounts(tmp_path / "missing.toml")
    (tmp_path / "broken.toml").write_text("[tokens")
    with pytest.raises(Misuse, match=r"broken\.toml.*not valid TOML"):
        read_accounts(tmp_path / "broken.toml")
