// Runs before the page is painted, so that the chosen scheme never flashes; then serves the switch.
(() => {
  "use strict";
  const key = "placet-theme";
  const root = document.documentElement;

  const stored = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage may be forbidden; the system's scheme is then the only one
    }
  };

  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };

  const keep = (theme) => {
    try {
      localStorage.setItem(key, theme);
    } catch {
      // it still holds until the page is left
    }
  };

  const serve = (fieldset) => {
    const chosen = fieldset.querySelector(`input[value="${root.dataset.theme || "system"}"]`);
    if (chosen) chosen.checked = true;
    fieldset.hidden = false;
    fieldset.addEventListener("change", (event) => {
      apply(event.target.value);
      keep(event.target.value);
    });
  };

  apply(stored());
  window.addEventListener("storage", (event) => event.key === key && apply(event.newValue));
  document.addEventListener("DOMContentLoaded", () =>
    document.querySelectorAll("[data-theme-switch]").forEach(serve),
  );
})();
