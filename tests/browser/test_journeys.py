"""What testers do with the inspector."""

from __future__ import annotations

import re
import threading

import httpx
import pytest
from playwright.sync_api import expect

from confsim.inspector.pages import records, searching
from kit import OWNER, ROOM, START_MS, USER


def test_a_bug_of_a_client_is_found(sim, visit):
    """From the failed call in the journal to the field that was misspelt, the cure, and a test to keep."""
    page = visit().page
    row = page.get_by_role("region", name="Refused calls").get_by_role("listitem").filter(has_text="400")
    expect(row).to_contain_text("create_channel")
    row.get_by_role("link").first.click()
    expect(page.locator("main")).to_contain_text('"nam": "Planning"')
    expect(page.get_by_text(re.compile("no effect|ignored|not know", re.I)).first).to_be_visible()
    page.locator("article").get_by_role("link", name="create_channel", exact=True).click()
    expect(page.get_by_role("row").filter(has_text="The name of the channel")).to_contain_text("yes")
    page.go_back()
    page.get_by_text("Make it again: pytest").click()
    copy = page.get_by_role("button", name="Copy as pytest")
    copy.click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") != ""


def test_the_journal_is_live(sim, visit):
    """A call appears without a reload, also on the overview."""
    for path in ("inspector/requests", ""):
        page = visit().open(path).page
        calls = page.locator("ol.items > li").filter(has_text="list_channels")
        before = calls.count()
        sim.call("list_channels", OWNER)
        calls.nth(before).wait_for()


def test_time_is_moved_and_what_fell_due_is_seen(sim, visit):
    """The reservation runs out; the record is gone, and is there at the earlier moment."""
    page = visit().open("inspector/time").page
    expect(page.locator("main")).to_contain_text("The reservation of soon ends")
    page.get_by_role("button", name="+15 min").first.click()
    expect(page.locator("main")).to_contain_text("00:15:00.000")
    assert sim.clock.now == START_MS + 900_000
    visited = sim.requests[-1].id
    visitor = visit().open("inspector/records?kind=reservations&search=soon")
    expect(visitor.page.get_by_role("row").filter(has_text="soon")).to_have_count(0)
    visitor.open(f"inspector/records?kind=reservations&search=soon&at={visited}")
    expect(visitor.page.get_by_role("row").filter(has_text="soon")).to_have_count(1)


def test_a_held_call_is_released(sim, visit):
    """From the notice in the header to the answer of the call."""
    page = visit().page
    page.get_by_role("link", name="1 held").click()
    page.get_by_role("button", name="Release").click()
    page.get_by_text("No call is held").wait_for()
    assert sim.requests[-1].operation == "get_me"
    expect(page.get_by_role("link", name="1 held")).to_have_count(0)


def test_another_assumption_is_asked(sim, visit):
    """What if names were not unique: the answers that would differ, side by side; any other value can be given."""
    sim.call("create_channel", OWNER, body={"name": "Planning"})
    page = visit().open("inspector/assumptions?search=channels.unique-names").page
    page.get_by_role("link", name="What if channels.unique-names = allow").click()
    expect(page.locator("main")).to_contain_text("What if channels.unique-names = allow")
    refused = page.locator("article", has_text="channel_name_taken")
    expect(refused.locator(".st")).to_have_text(["409", "200"])
    expect(refused.get_by_role("heading", level=3)).to_have_text(["As it was", "As it would be"])
    page.go_back()
    page.get_by_text("Another…").click()
    page.get_by_label("Another value of channels.unique-names").fill("refuse")
    page.get_by_role("button", name="What if").click()
    expect(page.locator("main")).to_contain_text("That is the value in force.")


def test_everything_is_found(sim, visit):
    """Records, mails, calls, assumptions, by one field; a guide is read, a name explained."""
    page = visit().page
    page.get_by_role("searchbox", name="Search everything").fill("uma@example.com")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text(re.compile("mail", re.I))
    page.get_by_role("navigation").get_by_role("link", name=re.compile("Guides")).click()
    page.get_by_role("link", name="Choosing and learning assumptions").click()
    page.get_by_role("link", name="G353").first.click()
    expect(page.locator("main")).to_contain_text("Which fields have the participants")


def test_pages_work_without_scripts(sim, visit):
    """Forms, links and everything that is shown."""
    page = visit(java_script_enabled=False).page
    page.get_by_role("navigation").get_by_role("link", name=re.compile("Faults")).click()
    page.get_by_label("Add a fault").fill('{"operation": "list_channels", "do": {"status": 503}}')
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("main")).to_contain_text("list_channels")
    assert sim.call("list_channels", OWNER).status == 503


def test_hostile_names_run_no_script(sim, visit):
    """A world full of them: pages show them as text."""
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    sim.call("create_channel", OWNER, body={"name": hostile})
    sim.call("set_user_full_name", USER, userId=1004, body={"fullName": hostile})
    visitor = visit()
    dialogs = []
    visitor.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    for path in ("", "inspector/requests", "inspector/records?kind=channels", "inspector/search?q=onerror"):
        visitor.open(path)
        expect(visitor.page.locator("img")).to_have_count(0)
    expect(visitor.page.locator("main")).to_contain_text("onerror=alert(1)")
    assert dialogs == []


def test_another_site_cannot_act(sim, visit):
    """A form of a page elsewhere is refused: the world stays as it is."""
    visitor = visit()
    before = sim.clock.now
    answer = httpx.post(f"{visitor.root}inspector/clock", data={"by": "1h"}, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert sim.clock.now == before


@pytest.mark.parametrize("path", ["", "inspector/requests", "inspector/faults"])
def test_the_keyboard_alone_reaches_everything(sim, visit, path):
    """Tab leads through all that can be acted on, in the order of the page, and each shows that it has the focus."""
    page = visit().open(path).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    wanted = page.evaluate(
        "[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]"
        ".filter(each => each.type !== 'hidden' && !each.hidden && each.checkVisibility()).length"
    )
    seen = page.evaluate("[]")
    for _ in range(wanted + 10):
        place = page.evaluate(
            "(() => { const all = [...document.querySelectorAll('*')], it = document.activeElement;"
            " const style = getComputedStyle(it);"
            " return [all.indexOf(it), it.tagName, style.outlineStyle !== 'none' || it.className === 'skip']; })()"
        )
        if place[1] == "BODY":
            break
        assert place[2], place
        seen.append(place[0])
        page.keyboard.press("Tab")
    assert len(seen) >= wanted
    assert seen == sorted(seen)


def test_a_call_is_opened_by_the_keyboard(sim, visit):
    """Past the menu by the skip link, to the first call, by Enter."""
    page = visit().open("inspector/requests").page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('a.row')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/requests/[rct]\d+$"))


def test_pages_follow_the_world(sim, visit):
    """Mail, time, records, presence, faults, worlds and the header show what happens, without a reload."""
    pages = {
        path: visit().open(f"inspector/{path}").page
        for path in ("mail", "time", "records?kind=channels", f"presence?channel={ROOM}", "faults", "worlds")
    }
    for page in pages.values():
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    sim.call("set_user_email", USER, userId=1004, body={"email": "second@example.com"})
    sim.call("create_channel", OWNER, body={"name": "Appeared"})
    sim.presence.join(ROOM, 1003)
    fault = sim.faults.add("get_client", do={"status": 503})
    sim.snapshot("just now")
    sim.clock.advance("1h")
    expect(pages["mail"].locator("main")).to_contain_text("second@example.com")
    expect(pages["time"].locator("main")).to_contain_text("01:00:00.000")
    expect(pages["records?kind=channels"].locator("main")).to_contain_text("Appeared")
    expect(pages[f"presence?channel={ROOM}"].locator("#live-people").get_by_text("1003")).to_be_visible()
    expect(pages["faults"].get_by_role("button", name=f"Remove {fault.id}")).to_be_visible()
    expect(pages["worlds"].get_by_role("button", name="Restore just now")).to_be_visible()
    for page in pages.values():
        expect(page.locator("header.bar")).to_contain_text("01:00:00")
    for held in sim.faults.held:
        held.release()
    for page in pages.values():
        expect(page.get_by_role("link", name="1 held")).to_have_count(0)


def test_what_somebody_types_stays(sim, visit):
    """A part of the page in which a field is being filled in is left as it is until that is done."""
    page = visit().open("inspector/faults").page
    body = page.get_by_label(re.compile("^Effect on h1"))
    page.get_by_text("Another effect").click()
    body.fill('{"status": 418}')
    fault = sim.faults.add("get_client", do={"status": 503})
    expect(page.get_by_role("button", name=f"Remove {fault.id}")).to_be_visible()
    expect(body).to_have_value('{"status": 418}')
    page.get_by_role("button", name="Do so").click()
    page.get_by_text("No call is held").wait_for()
    expect(page.locator("header.bar")).not_to_contain_text("held")
    assert [each.status for each in sim.requests if each.operation == "get_me"] == [418]


def test_a_running_clock_runs(sim, visit):
    """In the header, without asking the server."""
    sim.clock.resume()
    page = visit().open("inspector/guides").page
    shown = page.locator("header.bar time")
    first = shown.text_content()
    expect(shown).not_to_have_text(first)


def test_body_and_answer_of_a_held_call_are_changed(sim, visit):
    """In fields that have what was sent, and what is withheld."""
    for held in sim.faults.held:
        held.release()
    made = []
    for when, button, label, text in (
        ("before", "Release it with this body", "Body of ", '{"name": "Changed on its way"}'),
        ("after", "Answer so", "Answer to ", '{"channelUuid": "made up"}'),
    ):
        sim.faults.put([{"operation": "create_channel", "do": {"hold": when, "holdAtMost": "10m"}}])
        thread = threading.Thread(
            target=lambda: made.append(sim.call("create_channel", OWNER, body={"name": f"Sent {len(made)}"}))
        )
        thread.start()
        held = sim.faults.wait_for_held("30s").info
        page = visit().open("inspector/faults").page
        field = page.get_by_label(re.compile(f"^{label}{held.id}"))
        expect(field).to_have_value(re.compile('"Sent 0"' if when == "before" else "channelUuid"))
        field.fill(text)
        page.get_by_role("button", name=button).click()
        page.get_by_text("No call is held").wait_for()
        thread.join(30)
    names = sim.call("get_channel", OWNER, uuid=made[0].body["channelUuid"]).body
    assert names["name"] == "Changed on its way"
    assert made[1].body == {"channelUuid": "made up"}


def test_time_travel_stops_at_timers(sim, visit):
    """From the journal to the timer, to the world before it, and from there along the moments."""
    sim.clock.advance("16m")
    page = visit().open("inspector/requests").page
    row = page.locator("ol.items > li").filter(has_text="The reservation of soon ends")
    expect(row).to_have_count(1)
    row.get_by_role("link").first.click()
    expect(page.get_by_role("table", name="Fields of reservation soon")).to_contain_text("was soon")
    page.get_by_role("link", name="The world before it").click()
    page.get_by_label("Kind", exact=True).select_option("reservations")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("main")).to_contain_text("1 record")
    page.get_by_role("list", name="Moments beside it").get_by_role("link").filter(has_text="handle reservation").click()
    expect(page.locator("main")).to_contain_text("0 records")
    expect(page.get_by_role("list", name="Moments beside it").locator("[aria-current]")).to_contain_text(
        "handle reservation"
    )


def test_a_search_goes_on_by_itself(sim, visit, monkeypatch):
    """Where a page looks through a part of the records; without scripts a link goes on."""
    for each in (searching, records):
        monkeypatch.setattr(each, "LOOK", 10)
    for path in ("search?q=Planning", "records?search=Planning"):
        page = visit().open(f"inspector/{path}").page
        page.get_by_text("Everything was looked through.").wait_for()
        expect(page.locator("#found a")).not_to_have_count(0)
        page = visit(java_script_enabled=False).open(f"inspector/{path}").page
        page.get_by_role("link", name="Look further").click()
        expect(page).to_have_url(re.compile("start=10"))


def test_a_reset_is_confirmed(sim, visit):
    """In a second step; the journal is empty then."""
    for held in sim.faults.held:
        held.release()
    page = visit().page
    page.get_by_text("Reset the world…").click()
    page.get_by_role("button", name="Yes, reset it").click()
    expect(page.locator("main")).to_contain_text("No calls yet.")
    assert len(sim.requests) == 0


def test_one_fault_is_removed(sim, visit):
    """By its own button; the others stay."""
    fault = sim.faults.add("get_client", times="always", do={"status": 503})
    page = visit().open("inspector/faults").page
    page.get_by_role("button", name=f"Remove {fault.id}").click()
    expect(page.get_by_role("button", name=f"Remove {fault.id}")).to_have_count(0)
    assert fault.id not in [each.id for each in sim.faults]
