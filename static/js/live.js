// Live regions: polled only while seen, never swapped from under the focus, news said aloud.
(() => {
  "use strict";
  const status = document.getElementById("live-status");
  const connection = document.getElementById("connection");
  const said = new Map();

  const live = (element) => element instanceof Element && element.hasAttribute("data-live");

  const inUse = (element) => {
    const active = document.activeElement;
    if (active && active !== document.body && element.contains(active)) return true;
    const selection = document.getSelection();
    return Boolean(selection && !selection.isCollapsed && element.contains(selection.anchorNode));
  };

  const announce = (element) => {
    const source = element.matches("[data-announce]")
      ? element
      : element.querySelector("[data-announce]");
    if (!source || !status) return;
    const words = source.dataset.announce;
    if (said.get(element.id) === words) return;
    said.set(element.id, words);
    status.textContent = words;
  };

  const warn = (words) => {
    if (!connection) return;
    connection.querySelector("[data-connection-words]").textContent = connection.dataset[words];
    connection.hidden = false;
  };

  const reason = (code) => {
    if (code === 409) return "conflict";
    return code === 401 || code === 403 ? "refused" : "failed";
  };

  // what is already on the page is not news
  document.querySelectorAll("[data-live][id]").forEach((region) => {
    const source = region.matches("[data-announce]")
      ? region
      : region.querySelector("[data-announce]");
    if (source) said.set(region.id, source.dataset.announce);
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (live(event.detail.elt) && document.hidden) event.preventDefault();
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    // the next round brings the same news again
    if (live(event.detail.elt) && inUse(event.detail.target)) event.detail.shouldSwap = false;
  });

  document.addEventListener("htmx:load", (event) => {
    const region = event.detail.elt.closest?.("[data-live], [data-announce]");
    if (region && region.id) announce(region);
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful && connection) connection.hidden = true;
  });

  document.addEventListener("htmx:sendError", () => warn("lost"));
  document.addEventListener("htmx:responseError", (event) => warn(reason(event.detail.xhr.status)));
})();
