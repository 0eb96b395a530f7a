// Single-letter keys: j and k move between rows, o opens, c and r go to Claim and Reject, ? helps.
// No key decides anything. They can be switched off (WCAG 2.2, 2.1.4) in the help dialog.
(() => {
  "use strict";
  const dialog = document.getElementById("keys");
  if (!dialog) return;
  const store = `placet-keys:${dialog.dataset.whose}`;
  const wanted = dialog.querySelector("[data-keys-wanted]");

  const recall = () => {
    try {
      return localStorage.getItem(store) !== "off";
    } catch {
      return true;
    }
  };

  const keep = (on) => {
    try {
      localStorage.setItem(store, on ? "on" : "off");
    } catch {
      // it still holds until the page is left
    }
  };

  const typing = (target) =>
    target instanceof Element &&
    target.closest("input, select, textarea, dialog, [contenteditable]") !== null;

  const links = () => [...document.querySelectorAll("[data-row] .table__open, a[data-row]")];

  const move = (by) => {
    const all = links();
    if (!all.length) return;
    const row = document.activeElement.closest("[data-row]");
    const at = all.findIndex((link) => row && row.contains(link));
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
    all[Math.max(0, Math.min(all.length - 1, next))].focus();
  };

  const openRow = () => {
    const row = here();
    const link = row && (row.matches("a") ? row : row.querySelector(".table__open"));
    if (link) link.click();
  };

  const here = () => document.activeElement.closest("[data-row]");

  const goTo = (key) => {
    const found = (here() || document).querySelector(`[data-key="${key}"]`);
    if (found) found.focus();
  };

  // from a row, to the form where it is rejected: the form decides, no key does
  const toReject = () => {
    const link = here() && here().querySelector(".table__open");
    if (link) location.assign(`${link.href}#reject`);
    else goTo("r");
  };

  const acts = {
    j: () => move(1),
    k: () => move(-1),
    o: openRow,
    c: () => goTo("c"),
    r: toReject,
    "?": () => dialog.showModal(),
  };

  if (location.hash === "#reject") goTo("r");
  wanted.checked = recall();
  wanted.addEventListener("change", () => keep(wanted.checked));
  document.querySelectorAll("[data-keys-open]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (!wanted.checked || typing(event.target) || !(event.key in acts)) return;
    event.preventDefault();
    acts[event.key]();
  });
})();
