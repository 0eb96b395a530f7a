// [data-next-fold] leads to the next part that is still folded, and puts the focus on its opener.
(() => {
  "use strict";
  const next = () =>
    document.querySelector("details[data-fold]:not([open]) > summary, .is-folded + .fold__open");

  document.addEventListener("click", (event) => {
    const asked = event.target instanceof Element && event.target.closest("[data-next-fold]");
    const found = asked && next();
    if (!found) return;
    found.scrollIntoView({ block: "center" });
    found.focus({ preventScroll: true });
  });
})();
