"""The register of assumptions against the code that asks it and the gaps that it must settle."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import confsim.api.catalogue  # noqa: F401 its modules declare machines, tables and entries
from confsim.api.catalogue import API
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import REGISTER

ROOT = Path(__file__).parents[2] / "confsim"
TREES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}

#: The gaps of high and medium impact on a client: the whole service, identity, users, access, clients (Part 1).
_ONE = """
    G001 G002 G003 G009 G012 G015 G016 G017 G018 G019 G020 G021 G023 G025 G026 G027 G028 G030 G031 G033 G034
    G035 G037 G038 G039 G040 G041 G042 G043 G044 G045 G047 G048 G049 G051 G052 G054 G055 G058 G059 G060 G061
    G063 G064 G065 G066 G067 G069 G070 G071 G072 G074 G075 G077 G079 G080 G081 G084 G086 G089 G090 G092 G093
    G094 G096 G098 G104 G105 G106 G108 G109 G110 G111 G112 G113 G114 G116 G118 G119 G121 G123 G125 G126 G128
    G133 G137 G138 G139 G140 G141 G144 G147 G148 G149 G150 G151 G152 G153 G154 G155 G156 G157 G158 G159 G160
    G161 G162 G163 G164 G165 G166 G167 G168 G169 G172 G173 G174 G175 G176 G178 G180 G181 G184 G189 G190 G193
    G195 G196 G197 G198 G199 G200 G201 G202 G203 G204 G205 G206 G209 G210 G212 G213 G214 G215 G216 G218 G219
    G220 G222 G223 G224 G226 G227 G228 G229 G230 G231 G232 G233 G234 G235 G236 G238 G239 G240 G241 G242 G244
    G245 G247 G252 G253 G254 G255 G257 G259 G260 G261 G262 G263 G264 G266 G267 G271 G272 G274 G277 G278 G279
    G281 G283 G284 G285 G286 G288 G289 G290 G294 G296 G297
"""
PART_ONE = tuple(_ONE.split())

#: The same of channels, sessions, configuration, breakout, telephony, recordings, media, events (Part 2).
_TWO = """
    G298 G299 G300 G301 G302 G303 G304 G306 G308 G309 G310 G314 G315 G317 G319 G320 G321 G322 G324 G325 G326
    G327 G328 G329 G330 G331 G332 G333 G334 G338 G340 G341 G342 G344 G345 G347 G348 G349 G350 G351 G352 G353
    G354 G356 G357 G359 G360 G361 G362 G363 G364 G365 G366 G371 G373 G378 G380 G383 G385 G391 G393 G394 G395
    G396 G397 G399 G400 G401 G402 G403 G404 G405 G407 G409 G410 G411 G413 G417 G418 G421 G422 G423 G424 G425
    G426 G428 G429 G430 G431 G432 G433 G434 G435 G436 G437 G438 G440 G442 G443 G444 G445 G448 G449 G450 G451
    G452 G454 G455 G457 G459 G461 G462 G463 G464 G465 G466 G468 G469 G470 G471 G472 G473 G474 G475 G476 G477
    G480 G482 G483 G484 G485 G486 G487 G488 G489 G490 G491 G492 G493 G497 G498 G499 G500 G501 G502 G506 G507
    G509 G510 G512 G513 G514 G516 G518 G519 G522 G523 G524 G527 G528 G529 G531 G532 G533 G534 G535 G536 G537
    G539 G540 G541 G546 G547 G549 G553 G557 G561 G562 G565 G567 G568 G569 G571 G573 G575 G576 G577 G579 G580
    G583 G584 G585 G586 G589 G590 G591 G592 G593 G595 G596
"""
PART_TWO = tuple(_TWO.split())


def declared():
    """The entries that modules declare by name: id, name, module."""
    for module, tree in TREES.items():
        for node in tree.body:
            value = getattr(node, "value", None)
            if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "assumption":
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                assert isinstance(target, ast.Name), ast.unparse(node)[:80]
                yield pytest.param(target.id, module, id=str(ast.literal_eval(value.args[0])))


def names_read():
    """Every name and attribute that code reads, with the module that does."""
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield module, node.id
            elif isinstance(node, ast.Attribute):
                yield module, node.attr


READ = set(names_read())


@pytest.mark.parametrize(("name", "module"), list(declared()))
def test_every_entry_is_asked_somewhere(name, module):
    """An entry that no code reads would settle nothing."""
    assert any(read == name for _, read in READ), f"{name} of {module}"


@pytest.mark.parametrize("reason", list(Reason), ids=lambda reason: reason.name)
def test_every_reason_is_given_somewhere(reason):
    """A refusal that nothing raises has no business in the table."""
    assert any(read == reason.name and module != "assumptions/refusals.py" for module, read in READ)


@pytest.mark.parametrize("entry", list(REGISTER.entries.values()), ids=lambda entry: entry.id)
def test_every_entry_is_well_formed(entry):
    """It names gaps and operations that there are, says something, and takes its own default and alternatives."""
    assert entry.gaps
    assert all(gap[0] == "G" and gap[1:].isdigit() and 1 <= int(gap[1:]) <= 597 for gap in entry.gaps)
    assert entry.statement.endswith(".")
    assert all(API.get(name) is not None for name in entry.operations), entry.operations
    assert entry.check(entry.default) == entry.default
    for alternative in entry.alternatives:
        if not isinstance(alternative, str) or " " not in alternative:
            entry.check(alternative)


@pytest.mark.parametrize("gap", PART_ONE)
def test_every_weighty_gap_of_part_one_is_an_assumption(gap):
    """What the documents leave open and a client would notice has an entry that names it."""
    assert gap in SETTLED


@pytest.mark.parametrize("gap", PART_TWO)
def test_every_weighty_gap_of_part_two_is_an_assumption(gap):
    """The same for the second document."""
    assert gap in SETTLED


SETTLED = {gap for entry in REGISTER.entries.values() for gap in entry.gaps}
