// Closes an open menu when the reader turns to something else.
(() => {
  "use strict";
  const opened = () => document.querySelectorAll("details[data-menu][open]");

  document.addEventListener("click", (event) =>
    opened().forEach((menu) => menu.contains(event.target) || (menu.open = false)),
  );

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    opened().forEach((menu) => {
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  });
})();
