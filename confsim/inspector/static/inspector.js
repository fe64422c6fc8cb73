// Live updates, clocks that run, searches that go on, and copy buttons; every page works without.
"use strict";

for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } else {  // browsers have it on https and on loopback alone
      getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
      button.textContent = "Selected: copy it by the keyboard";
    }
  });
}

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

const follow = async () => {
  if (document.hidden) return;
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

if (parts.length && !query.get("offset") && !query.get("start")) {
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
      each.textContent = now.toISOString().slice(0, 19).replace("T", " ");
    }
  }
}, 500);

// A search that has not looked through everything goes on by itself.
const merge = (found, fresh) => {
  if (!fresh.querySelector("a")) return;
  if (found.tagName === "TBODY") {  // rows
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
