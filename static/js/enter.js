// Enter in a field presses the first button of its form: [data-nothing], which sends nothing.
// The button says so itself (formmethod="dialog", outside of any dialog); this only keeps other
// scripts from taking the form for sent.
(() => {
  "use strict";
  document.addEventListener(
    "submit",
    (event) => event.submitter?.hasAttribute("data-nothing") && event.preventDefault(),
    { capture: true },
  );
})();
