// The keys of the terminal, and marking text. Every action is a form of the page: without this script they work too.
"use strict";

const main = () => document.getElementById("main");
const said = () => document.getElementById("said");
let busy = false;
let presses = 0;
document.documentElement.classList.add("js");

function say(text, warn) {
  said().textContent = text;
  said().classList.toggle("warn", Boolean(warn));
}

// Units.

const units = () => [...document.querySelectorAll("li.unit")];
const here = () => document.querySelector("li.unit[aria-current]");

function choose(unit, quiet) {
  if (!unit) return;
  for (const one of units()) one.removeAttribute("aria-current");
  unit.setAttribute("aria-current", "true");
  for (const mark of document.querySelectorAll("mark")) {
    mark.classList.toggle("here", mark.dataset.unit === unit.dataset.unit);
  }
  if (!quiet) {
    unit.focus({ preventScroll: true });
    unit.scrollIntoView({ block: "nearest" });
    const mark = document.querySelector("[data-part='r'] mark.here");
    if (mark) mark.scrollIntoView({ block: "nearest" });
  }
}

function move(step) {
  const all = units();
  if (all.length) choose(all[Math.min(Math.max(all.indexOf(here()) + step, 0), all.length - 1)]);
}

// What is typed and not sent: it stays on the same sample, and is asked about before another one.

const typed = (sent) => [...document.querySelectorAll("main textarea, main input:not([type=hidden])")].filter(
  (one) => one.form !== sent && !one.form?.marking && one.value !== one.defaultValue);
const field = (one) => `${one.closest("details") ? `[data-key="${one.closest("details").dataset.key}"]` : "#new"} [name=${one.name}]`;
let asked = false;

function leaves(form, button) {
  const left = typed(form)[0];
  if (asked || !left || (form && !/^(accept|none|skip|exclude|undo|redo)$/.test(button?.value))) return true;
  asked = true;
  left.focus();
  say("what you typed here is not sent: send it, or do the same once more to leave it", true);
  return false;
}

// Back, reload, log out and closing the tab: the browser asks.
addEventListener("beforeunload", (event) => {
  if (document.querySelector(".sample") && typed()[0]) event.preventDefault();
});

// Sending a form without leaving the page: where it cannot be sent, what was typed stays.

async function go(url, options, form) {
  if (busy) return;
  busy = true;
  document.body.classList.add("busy");
  const waits = setTimeout(say, 1000, form ? "saving …" : "loading …");
  const sample = document.querySelector("[data-sample]")?.dataset.sample;
  try {
    const answer = await fetch(url, { credentials: "same-origin", ...options }).catch(() => {
      throw new Error("the server cannot be reached");
    });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.status === 401) throw new Error("your session has ended: log in again in another tab, or ask an owner for a token");
    if (answer.status === 413) throw new Error("the text is too long: write less");
    if (!page.getElementById("main")) throw new Error(`the server answered ${answer.status}`);
    if (answer.status >= 500 || answer.status === 429) throw new Error(page.getElementById("why").textContent.replace(/^not saved: |\.$/gi, ""));
    show(page, answer, sample, form);
  } catch (error) {
    const kept = typed()[0] || form?.marking ? "What you typed is still here: try" : "Try";
    say(`${form ? "not saved" : "not loaded"}: ${error.message}. ${kept} again.`, true);
  } finally {
    clearTimeout(waits);
    busy = false;
    document.body.classList.remove("busy");
  }
}

function show(page, answer, before, acted) {
  const scrolled = document.querySelector(".deciding")?.scrollTop || 0;
  const kept = typed(acted).filter((one) => !one.closest(".again")).map((one) => [field(one), one.value]);
  for (const part of ["header.top", "#main"]) {
    document.querySelector(part).replaceWith(document.adoptNode(page.querySelector(part)));
  }
  document.title = page.title;
  said().className = page.getElementById("said").className;
  said().replaceChildren(...page.getElementById("said").childNodes);
  const same = document.querySelector("[data-sample]")?.dataset.sample === before;
  const url = answer.redirected || !acted ? answer.url : location.href;
  if (same) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  presses = 0;
  asked = false;
  for (const [where, text] of same ? kept : []) {
    const found = document.querySelector(where);
    if (found?.closest("details")) found.closest("details").open = true;
    if (found) found.value = text;
  }
  begin(same);
  const side = document.querySelector(".deciding");
  if (same && side) side.scrollTop = scrolled;
  else scrollTo(0, 0);
  toWhatOpens();
}

const toWhatOpens = () => document.querySelector(".again, [data-key=w][open]")?.scrollIntoView({ block: "start" });

function begin(same) {
  choose(here(), true);
  if (!here()) return;
  here().focus({ preventScroll: !same });
  const side = document.querySelector(".deciding");  // where it scrolls by itself, the question stays in sight
  if (!same && side.scrollHeight > side.clientHeight) here().scrollIntoView({ block: "nearest" });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.action.endsWith("/login") || form.action.endsWith("/logout")) return;
  event.preventDefault();
  if (!leaves(form, event.submitter)) return;
  const body = new URLSearchParams(new FormData(form, event.submitter));
  if (body.get("do") === "evidence" && here()) body.set("do", `evidence::${here().dataset.unit}`);
  if (body.has("presses")) body.set("presses", String(Math.max(1, presses)));
  go(form.action, { method: "POST", body }, form);
});

addEventListener("popstate", () => location.reload());

document.addEventListener("change", (event) => {
  const unit = event.target.closest("li.unit");
  if (unit && event.target.matches("select")) unit.querySelector(".set").click();
});

// Marking text: its place in code points. The server checks that the words stand there.

const behind = (piece, text) => Number(piece.dataset.start) + [...text].length;

function place(node, offset) {
  const piece = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest?.("[data-start]");
  if (piece) {
    const before = node.nodeType === Node.TEXT_NODE ? node.data.slice(0, offset) : offset ? piece.textContent : "";
    return [behind(piece, before), piece.closest("[data-part]")];
  }
  const part = node.nodeType === Node.ELEMENT_NODE ? node.closest("[data-part]") : null;
  const next = part?.children[Math.min(offset, part.children.length - 1)];
  return next ? [behind(next, offset >= part.children.length ? next.textContent : ""), part] : null;
}

document.addEventListener("selectionchange", () => {
  const form = document.getElementById("new");
  const selection = getSelection();
  if (!form || !selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const start = place(range.startContainer, range.startOffset);
  const end = place(range.endContainer, range.endOffset);
  if (!start || !end || start[1] !== end[1] || !start[1]) return;
  const part = start[1].dataset.part;
  const fields = { part, start: start[0], end: end[0], surface: range.toString() };
  for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
  form.marking = fields;
  form.classList.add("marked");
  form.querySelector(".evidence").hidden = part === "r";
  form.querySelector("[value=add]").hidden = part !== "r";
  say(part === "r" ? "marked: Add, or the digit of its label" : "marked: e makes it the evidence of the chosen unit");
});

function unmark(form) {
  for (const name of ["part", "start", "end"]) form.elements[name].value = "";
  form.marking = null;
  form.classList.remove("marked");
  form.querySelector(".evidence").hidden = true;
  form.querySelector("[value=add]").hidden = false;
}

document.addEventListener("input", (event) => {
  if (event.target.name === "surface" && event.target.form?.id === "new") unmark(event.target.form);
});

document.addEventListener("click", (event) => {
  presses += 1;
  const mark = event.target.closest("mark");
  if (mark && getSelection().isCollapsed) choose(document.getElementById(`u-${mark.dataset.unit}`));
  const unit = event.target.closest("li.unit");
  if (unit && !event.target.closest("button, select, summary, input")) choose(unit, true);
  const link = event.target.closest("nav a, #said a, a[data-key]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    if (leaves()) go(link.href, {});
  }
});

// Of many units only the chosen one shows its buttons: Tab goes from unit to unit.
document.addEventListener("focusin", (event) => {
  if (event.target.matches("li.unit")) choose(event.target, true);
});

// Keys: those of the terminal, on any keyboard layout.

function letter(event) {
  if (event.key.length !== 1 || event.key.charCodeAt(0) < 128) return event.key;
  const found = /^Key([A-Z])$/.exec(event.code);
  return found ? (event.shiftKey ? found[1] : found[1].toLowerCase()) : event.key;
}

function digit(key) {
  const form = document.getElementById("new");
  const marking = form?.marking?.part === "r";
  const select = marking ? form.elements.label : here()?.querySelector("select");
  const option = select?.querySelector(`option[data-digit="${key}"]`);
  if (!option) return false;
  select.value = option.value;
  (marking ? form.querySelector("[value=add]") : here().querySelector(".set")).click();
  return true;
}

function act(key) {
  if (key === "j" || key === "ArrowDown") return move(1), true;
  if (key === "k" || key === "ArrowUp") return move(-1), true;
  if (/^[0-9]$/.test(key) && !here()?.querySelector(`button[data-key="${key}"]`) && digit(key)) return true;
  const form = document.getElementById("new");
  if (key === "e" && form?.marking && form.marking.part !== "r") return form.querySelector(".evidence").click(), true;
  const side = key === "E" && here()?.querySelector(".sides [aria-pressed=true]")?.value.split(":")[1];
  const find = side > 0 ? `[value="rest:${side}:"]` : `[data-key="${CSS.escape(key)}"]`;
  const found = here()?.querySelector(find) || [...document.querySelectorAll(find)].find((one) => !one.closest("li.unit"));
  if (!found) return false;
  if (found.tagName === "DETAILS") {
    found.open = !found.open;
    found.querySelector(found.open ? "textarea, input:not([type=hidden]), select" : "summary")?.focus();
    if (found.open) found.scrollIntoView({ block: "nearest" });
    else choose(here());
  } else if (found.tagName === "INPUT") found.focus();
  else found.click();
  return true;
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "Escape") {
    getSelection().removeAllRanges();
    if (document.getElementById("new")) unmark(document.getElementById("new"));
    if (typing) choose(here()) || event.target.blur();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !document.querySelector("[data-key]")) return;
  if (event.key === "Enter" || (event.key === " " && event.target.closest?.("button, a, summary"))) return;
  const key = letter(event);
  presses += 1;
  // a key that is held down, or was pressed before the next sample was there, decides nothing on it
  if ((busy || event.repeat) && !/^(j|k|Arrow)/.test(key)) return event.preventDefault();
  if (act(key)) event.preventDefault();
  else if (/^[^ ]$/u.test(key)) say(`${key} does nothing here${document.querySelector("[data-key='?']") ? "; ? shows the keys" : ""}`);
});

begin(false);
toWhatOpens();
