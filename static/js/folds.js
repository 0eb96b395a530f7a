// Folds what is long, and keeps [data-needs-shown] buttons disabled until every fold was opened.
// Without this script everything is open, and nothing was hidden.
(() => {
  "use strict";
  const folded = new Set();
  let made = 0;

  const lineHeight = (element) => {
    const height = parseFloat(getComputedStyle(element).lineHeight);
    return Number.isNaN(height) ? 20 : height;
  };

  const tell = (element) => {
    folded.delete(element);
    element.dispatchEvent(new CustomEvent("placet:shown", { bubbles: true }));
    judge();
  };

  const judge = () => {
    folded.forEach((element) => element.isConnected || folded.delete(element));
    const waiting = folded.size > 0;
    document.querySelectorAll("[data-needs-shown]").forEach((button) => {
      button.disabled = waiting || button.hasAttribute("data-blocked");
    });
    document.querySelectorAll("[data-folds-opened]").forEach((field) => {
      field.value = `${made - folded.size}/${made}`;
    });
    document.querySelectorAll("[data-needs-shown-hint]").forEach((hint) => {
      hint.hidden = !waiting;
    });
  };

  const button = (element) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "btn btn--small fold__open";
    made.textContent = element.dataset.foldOpen || "…";
    made.addEventListener("click", () => open(element, made));
    return made;
  };

  const open = (element, made) => {
    element.classList.remove("is-folded");
    element.style.maxHeight = "";
    // the button goes, so the focus moves to what it opened
    if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
    element.focus({ preventScroll: true });
    made.remove();
    tell(element);
  };

  const foldBlock = (element) => {
    const lines = Number(element.dataset.fold) || 12;
    const limit = lines * lineHeight(element);
    // a fold that hides a line or two costs more than it saves
    if (element.scrollHeight < limit * 1.25) return;
    element.style.maxHeight = `${limit}px`;
    element.classList.add("is-folded");
    element.after(button(element));
    folded.add(element);
    made += 1;
  };

  const foldDetails = (element) => {
    element.open = false;
    folded.add(element);
    made += 1;
    element.addEventListener("toggle", () => element.open && folded.has(element) && tell(element));
  };

  const fold = (element) => {
    if (element.dataset.folds) return;
    element.dataset.folds = "yes";
    if (element instanceof HTMLDetailsElement) foldDetails(element);
    else foldBlock(element);
  };

  const start = (root) => {
    // from the inside out: a block is measured before what holds it is closed
    const found = [...root.querySelectorAll("[data-fold]")].reverse();
    if (root.matches && root.matches("[data-fold]")) found.push(root);
    found.forEach(fold);
    judge();
  };

  start(document);
  document.addEventListener("htmx:load", (event) => start(event.detail.elt));
})();
