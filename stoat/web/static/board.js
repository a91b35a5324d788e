// Keeps a page current without losing the reader's place. Every page is whole without this file.
"use strict";

(() => {
  const body = document.body;
  const slug = body.dataset.plan;
  const TOO_MANY = 60; // nodes: beyond this the whole page is the shorter question
  const words = (text) => (text || "").split(" ").filter(Boolean);
  const near = body.dataset.near && new Set(words(body.dataset.near));
  let version = body.dataset.version;

  /** Whether this page shows anything of a node, named as this plan names it. */
  const concerns = (name) => (near ? near.has(name) : !name.includes("/") || Boolean(document.getElementById("node-" + name)));

  // ---- putting new parts in place of old ones ----

  /** What must survive a part being replaced: focus, folds, and how far its scrollers are. */
  function remember(part) {
    const active = part.contains(document.activeElement) ? document.activeElement : null;
    const links = [...part.querySelectorAll("a, button, summary, [tabindex]")];
    return {
      focus: active && { id: active.id, href: active.getAttribute("href"), index: links.indexOf(active) },
      open: new Map([...part.querySelectorAll("details[id]")].map((fold) => [fold.id, fold.open])),
      left: part.scrollLeft,
      top: part.scrollTop,
    };
  }

  function restore(part, kept) {
    for (const fold of part.querySelectorAll("details[id]")) {
      if (kept.open.has(fold.id)) fold.open = kept.open.get(fold.id);
    }
    part.scrollLeft = kept.left;
    part.scrollTop = kept.top;
    if (!kept.focus) return;
    const links = [...part.querySelectorAll("a, button, summary, [tabindex]")];
    const { id, href, index } = kept.focus;
    const again =
      (id && (part.id === id ? part : links.find((it) => it.id === id))) ||
      (href && links.find((it) => it.getAttribute("href") === href)) ||
      links[Math.min(index, links.length - 1)];
    if (again) again.focus({ preventScroll: true });
  }

  function replace(old, fresh) {
    const kept = remember(old);
    old.replaceWith(fresh);
    restore(fresh, kept);
    dress(fresh);
  }

  /** Lay a fetched page over this one: parts and cards whose mark is another one, or the whole graph. */
  function lay(page, { shape }) {
    const graph = document.getElementById("graph");
    const freshGraph = page.getElementById("graph");
    if (shape && graph && freshGraph) replace(graph, freshGraph);
    const changed = [];
    for (const fresh of page.querySelectorAll("[data-mark]")) {
      const old = document.getElementById(fresh.id);
      if (!old || old.dataset.mark === fresh.dataset.mark) continue;
      const card = Boolean(fresh.dataset.node);
      if (card) {
        fresh.classList.add("new");
        changed.push(fresh);
      }
      replace(old, fresh);
      if (card) for (const line of linesOf(fresh.dataset.node).out) line.classList.toggle("met", fresh.dataset.status === "done");
    }
    if (page.title) document.title = page.title;
    return changed;
  }

  // ---- what is asked of others, and may take its time ----

  /** Put GitHub's text about a node where its page has the link to it; without an answer the link stays. */
  async function fill() {
    const old = document.querySelector("[data-fetch]");
    if (!old) return;
    try {
      const answer = await fetch(old.dataset.fetch, { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById(old.id);
      const shown = document.getElementById(old.id);
      if (!fresh || !shown) return;
      fresh.dataset.fetch = old.dataset.fetch;
      replace(shown, fresh);
    } catch (problem) {
      // The server went away: news of it comes with the stream.
    }
  }

  // ---- hearing of news ----

  const pending = new Set();
  let shape = false;
  let busy = false;
  let again = false;

  async function refresh() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      do {
        again = false;
        const nodes = [...pending];
        const whole = shape || !document.getElementById("graph") || nodes.length > TOO_MANY;
        pending.clear();
        const askedShape = shape;
        shape = false;
        const query = whole ? "" : "?parts=" + encodeURIComponent(nodes.join(","));
        const answer = await fetch(location.pathname + query, { headers: { Accept: "text/html" } });
        if (!answer.ok) {
          if (answer.status === 404) location.reload();
          shape = shape || whole;
          nodes.forEach((name) => pending.add(name));
          throw new Error("answered " + answer.status);
        }
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        announce(lay(page, { shape: askedShape }));
        fill();
      } while (again);
    } catch (problem) {
      setTimeout(refresh, 2000);
    } finally {
      busy = false;
    }
  }

  const live = document.getElementById("live");
  function connection(words, away) {
    live.hidden = false;
    live.classList.toggle("away", away);
    if (live.textContent !== words) live.textContent = words;
  }

  function listen() {
    if (!version) return;
    const query = new URLSearchParams({ since: version });
    for (const name of words(body.dataset.plans)) query.append("plan", name);
    const source = new EventSource("/api/events?" + query);
    source.addEventListener("open", () => connection("live", false));
    source.addEventListener("error", () => {
      connection("reconnecting…", true);
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(() => {
        shape = true;
        refresh();
        listen();
      }, 2000);
    });
    source.addEventListener("change", (event) => {
      version = event.lastEventId;
      const change = JSON.parse(event.data);
      const mine = !slug || change.plan === slug;
      const names = change.nodes.map((name) => (mine ? name : change.plan + "/" + name)).filter(concerns);
      names.forEach((name) => pending.add(name));
      if (mine && (change.shape || change.removed.length)) shape = true;
      // A change of no node is one of the plan itself: its header, its needs, a note.
      if (names.length || shape || (mine && !change.nodes.length)) refresh();
    });
    source.addEventListener("reset", (event) => {
      version = event.lastEventId;
      shape = true;
      refresh();
    });
    addEventListener("pagehide", () => source.close(), { once: true });
  }
  // A page that the back button brings back was closed to news: connect again from where it was.
  addEventListener("pageshow", (event) => event.persisted && listen());

  let saying = 0;
  function announce(cards) {
    if (!cards.length) return;
    clearTimeout(saying);
    saying = setTimeout(() => {
      document.getElementById("said").textContent = cards.slice(0, 3).map((it) => it.getAttribute("aria-label")).join("; ")
        + (cards.length > 3 ? "; and " + (cards.length - 3) + " more" : "");
    }, 300);
  }

  // ---- the graph under hand and keys ----

  function linesOf(name) {
    const lines = document.querySelectorAll(".edges path");
    const to = [];
    const out = [];
    for (const line of lines) {
      if (line.dataset.to === name) to.push(line);
      if (line.dataset.from === name) out.push(line);
    }
    return { to, out };
  }

  const cardOf = (name) => document.getElementById("node-" + name);

  function light(name) {
    document.querySelectorAll(".lit").forEach((it) => it.classList.remove("lit"));
    if (!name) return;
    const { to, out } = linesOf(name);
    for (const line of [...to, ...out]) {
      line.classList.add("lit");
      const other = cardOf(line.dataset.from === name ? line.dataset.to : line.dataset.from);
      if (other) other.classList.add("lit");
    }
  }

  let lit;
  function lightAt(target) {
    const card = target instanceof Element && target.closest(".card");
    const name = card ? card.dataset.node : undefined;
    if (name !== lit) light((lit = name));
  }
  document.addEventListener("pointerover", (event) => lightAt(event.target));
  document.addEventListener("focusin", (event) => lightAt(event.target));

  function neighbour(card, key) {
    const slot = card.closest("li");
    if (key === "ArrowDown" || key === "ArrowUp") {
      let next = slot;
      do next = key === "ArrowDown" ? next.nextElementSibling : next.previousElementSibling;
      while (next && !next.querySelector(".card"));
      return next && next.querySelector(".card");
    }
    const { to, out } = linesOf(card.dataset.node);
    const names = key === "ArrowLeft" ? to.map((it) => it.dataset.from) : out.map((it) => it.dataset.to);
    return names.map(cardOf).find(Boolean);
  }

  document.addEventListener("keydown", (event) => {
    if (!event.key.startsWith("Arrow") || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const card = event.target instanceof Element && event.target.closest(".card");
    const next = card && neighbour(card, event.key);
    if (!next) return;
    event.preventDefault();
    next.querySelector("h3 a").focus();
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  // ---- small comforts ----

  /** Times in the reader's own zone where one points at them (sentences have theirs in UTC), a button beside commands. */
  function dress(part) {
    for (const time of part.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (isNaN(at)) continue;
      time.title = at.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
    }
    for (const button of part.querySelectorAll("button[data-steer]")) button.hidden = false;
    for (const code of navigator.clipboard ? part.querySelectorAll("code[data-copy]") : []) {
      if (code.nextElementSibling && code.nextElementSibling.matches(".copy")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "copy";
      button.setAttribute("aria-label", "copy " + code.textContent);
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "copied";
        setTimeout(() => (button.textContent = "copy"), 1500);
      });
      code.after(button);
    }
  }

  // ---- what a person decides here ----

  document.addEventListener("click", async (event) => {
    const button = event.target instanceof Element && event.target.closest("button[data-steer]");
    if (!button) return;
    const said = button.parentElement.querySelector(".problem");
    button.disabled = true;
    said.textContent = "";
    try {
      const answer = await fetch(button.dataset.steer, {
        method: button.dataset.method,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ runner: button.dataset.runner }),
      });
      if (!answer.ok) {
        const problem = await answer.json();
        said.textContent = problem.detail + (problem.hint ? " (" + problem.hint + ")" : "");
      }
    } catch (problem) {
      said.textContent = "the board does not answer";
    }
    button.disabled = false; // what changed comes with the stream
  });

  /** How long agents have been at work, counted on. */
  function count() {
    for (const it of document.querySelectorAll("[data-since]")) {
      const seconds = Math.max(0, Math.floor((Date.now() - new Date(it.dataset.since)) / 1000));
      const parts = [[Math.floor(seconds / 3600), "h"], [Math.floor(seconds / 60) % 60, "m"], [seconds % 60, "s"]];
      const from = parts.findIndex(([many]) => many);
      it.textContent = parts.slice(from < 0 ? 2 : from, (from < 0 ? 2 : from) + 2).map(([many, unit]) => many + unit).join(" ");
    }
  }
  setInterval(count, 1000);

  dress(document);
  count();
  listen();
  fill();
})();
