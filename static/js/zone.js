// Tells the server in which zone a time was typed, and the reader too: "in Europe/Berlin".
// Without this script times are typed, and understood, in the zone that the page names.
(() => {
  "use strict";
  if (document.documentElement.dataset.zone === "kept") return;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone) return;
  document.querySelectorAll("input[data-zone]").forEach((input) => {
    input.value = zone;
  });
  document.querySelectorAll("[data-zone-name]").forEach((element) => {
    element.textContent = zone;
  });
})();
