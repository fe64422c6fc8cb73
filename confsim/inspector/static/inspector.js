// Live updates of the journal and copy buttons; every page works without.
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

const live = document.getElementById("live");
if (live && new URLSearchParams(location.search).get("offset") === null) {
  const refresh = async () => {
    if (document.hidden || live.contains(document.activeElement)) return;
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("live");
    if (fresh && fresh.innerHTML !== live.innerHTML) live.replaceChildren(...fresh.childNodes);
  };
  setInterval(() => refresh().catch(() => {}), 1500);
}
