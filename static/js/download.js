// A form that gives a file leaves the page as it is, so it is ready again at once: what was made
// is told by the list of exports, and a second one does no harm.
(() => {
  "use strict";
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.hasAttribute("data-download")) return;
    delete form.dataset.sent;
    if (event.submitter) event.submitter.removeAttribute("aria-busy");
  });
})();
