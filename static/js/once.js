// A form is sent once: a second click while the answer is awaited does nothing.
// The server refuses a second decision in any case; this only spares the reader its answer.
(() => {
  "use strict";
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method === "dialog") return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    if (event.submitter) event.submitter.setAttribute("aria-busy", "true");
  });

  // the page may come back from the browser's memory, where it was left as sent
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("form[data-sent]").forEach((form) => {
      delete form.dataset.sent;
      form.querySelectorAll("[aria-busy]").forEach((button) => button.removeAttribute("aria-busy"));
    });
  });
})();
