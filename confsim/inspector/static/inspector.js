// Copy, keys, live updates and their pause, clocks that run, the slider, searches that go on; every page works without.
"use strict";

document.documentElement.classList.add("scripted"); // shows what works by scripts alone
const all = (what, within = document) => [...within.querySelectorAll(what)];

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const copied = document.getElementById(button.dataset.copy), label = button.querySelector(".lbl"), before = label.textContent;
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(copied.textContent.trim());
    label.textContent = "Copied";
  } else { // browsers have it on https and on loopback alone
    getSelection().selectAllChildren(copied);
    label.textContent = "Selected: copy it by the keyboard";
  }
  button.classList.add("done");
  setTimeout(() => { label.textContent = before; button.classList.remove("done"); }, 2000);
});

const ask = async (path, headers = {}) => {
  const response = await fetch(path, { cache: "no-store", headers: { Accept: "text/html", ...headers } });
  return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
};

// Parts of a page follow the world. The page is asked for again only once its tag is another one: a 304 costs nothing.
const parts = [...document.querySelectorAll("[data-live]")];
const query = new URLSearchParams(location.search);
let tag = document.body.dataset.tag;

const isBusy = (part) => part.matches(":active") || [...part.querySelectorAll("input, textarea")].some(
  (field) => field === document.activeElement || (field.type !== "hidden" && field.value !== field.defaultValue));

const name = (element) => element && (element.id || element.getAttribute("href") || element.value);

const update = (part, fresh) => {
  const focused = part.contains(document.activeElement) ? name(document.activeElement) : null;
  const open = new Map([...part.querySelectorAll("details[id]")].map((each) => [each.id, each.open]));
  part.replaceChildren(...fresh.childNodes);
  for (const each of part.querySelectorAll("details[id]")) {
    if (open.has(each.id)) each.open = open.get(each.id);
  }
  if (focused) [...part.querySelectorAll("a, button, summary")].find((each) => name(each) === focused)?.focus();
  keep(part);
};

const source = new Map();  // what the server sent of each part, before clocks ran in it
const keep = (part) => source.set(part.id, part.innerHTML);
parts.forEach(keep);

let paused = false;
for (const button of all("button.live")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    paused = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", paused);
    button.querySelector("span:last-child").textContent = paused ? "Paused" : "Live";
  });
}

const follow = async () => {
  if (document.hidden || paused) return;
  const page = await ask(location.href, { "If-None-Match": `"${tag}"` });
  if (!page) return;
  let left = false;
  for (const part of parts) {
    const fresh = page.getElementById(part.id);
    if (!fresh || fresh.innerHTML === source.get(part.id)) continue;
    if (isBusy(part)) left = true;
    else update(part, fresh);
  }
  if (!left) tag = page.body.dataset.tag;
};

if (parts.length && !["offset", "start", "before"].some((name) => query.get(name))) {
  const again = () => follow().catch(() => {}).finally(() => setTimeout(again, 1000));
  setTimeout(again, 1000);
}

// Clocks that run, and what is released by itself.
const shown = new WeakMap();
setInterval(() => {
  for (const each of document.querySelectorAll("time[data-now], [data-countdown]")) {
    const begun = shown.get(each) ?? performance.now();
    shown.set(each, begun);
    const passed = performance.now() - begun;
    if (each.dataset.countdown) {
      each.textContent = Math.max(0, Math.round((Number(each.dataset.countdown) - passed) / 1000));
    } else {
      const now = new Date(Number(each.dataset.now) + passed * Number(each.dataset.rate));
      each.textContent = now.toISOString().slice(11, 19);
    }
  }
}, 500);

// A search that has not looked through everything goes on by itself.
const merge = (found, fresh) => {
  if (!fresh.querySelector("a")) return;
  if (found.tagName === "TBODY") { // rows
    found.querySelector("td[colspan]")?.parentNode.remove();
    found.append(...fresh.childNodes);
    return;
  }
  for (const section of [...fresh.querySelectorAll("section")]) {
    const title = section.querySelector("h2").textContent;
    const known = [...found.querySelectorAll("section")].find((each) => each.querySelector("h2").textContent === title);
    if (known) known.querySelector("ul").append(...section.querySelectorAll("li"));
    else found.append(section);
  }
};

const goOn = async (link) => {
  const page = await ask(link.href);
  const found = document.getElementById("found");
  if (!page || !found) return;
  merge(found, page.getElementById("found"));
  const next = page.querySelector("a[data-further]");
  if (!next || found.querySelectorAll("a").length > 200) {
    if (next) link.replaceWith(document.adoptNode(next));
    else link.replaceWith("Everything was looked through.");
    return;
  }
  const following = document.adoptNode(next);
  link.replaceWith(following);
  await goOn(following);
};
const further = document.querySelector("a[data-further]");
if (further) goOn(further).catch(() => {});

// The selected row of a list is in sight.
const here = document.querySelector(".list .items [aria-current]");
if (here) here.closest(".list").scrollTop = here.closest("li").offsetTop - innerHeight / 2;

// The slider goes to its moment when it is let go.
document.getElementById("place")?.addEventListener("change", (event) => event.target.form.requestSubmit());

// Keys: / searches, j and k move through rows, g and a letter go to a page, ? says so.
const pages = { o: "", j: "inspector/requests", w: "inspector/webhooks", m: "inspector/mail", r: "inspector/records",
  p: "inspector/presence", t: "inspector/time", a: "inspector/operations" };
let before = "";
addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = all("a.row").filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row === document.activeElement);
  const current = at < 0 ? rows.findIndex((row) => row.hasAttribute("aria-current")) : at;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("q").focus();
  } else if (event.key === "?") document.getElementById("keys").togglePopover();
  else if (before === "g" && event.key in pages) location.href = document.body.dataset.home + pages[event.key];
  else if (event.key === "j") rows[Math.min(rows.length - 1, current + 1)]?.focus();
  else if (event.key === "k") rows[Math.max(0, current - 1)]?.focus();
  before = event.key;
});
